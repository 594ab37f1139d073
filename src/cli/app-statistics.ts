import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { limits } from "../contract/limits.ts";
import type { Statistics } from "../contract/statistics.ts";
import { csvOf, shareOf, totalsOf, waitText } from "../contract/statistics-text.ts";
import { countOf } from "../words/phrases.ts";
import { usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { explainMissingConsole } from "./core/missing-endpoints.ts";
import type { Invocation } from "./core/context.ts";
import { systemTimeZone } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { appIdOf } from "./core/ids.ts";
import { details, printFile, printOne } from "./core/output.ts";
import { onOneLine } from "./core/plain-text.ts";

interface StatisticsFlags {
  readonly from?: string;
  readonly to?: string;
  readonly days?: string;
  readonly zone?: string;
  readonly csv?: boolean;
}

/** Adds `innkeep app statistics`, which prints the numbers of an app in a period. */
export function addStatistics(app: Command, setup: Setup, whichApp: string): void {
  const command = app
    .command("statistics")
    .alias("stats")
    .description(routes.statistics.read.summary)
    .argument("[app]", whichApp)
    .option(
      "--days <number>",
      `the number of days, up to and including the last day; at most ${limits.statistics.days}; default: 30`,
    )
    .option("--from <day>", "the first day, such as 2026-11-01")
    .option("--to <day>", "the last day; default: today")
    .option(
      "--zone <name>",
      "the time zone of the days, such as Europe/London; default: the time zone of this machine",
    )
    .option("--csv", "write a line of comma-separated values for each day");
  addExamples(
    command,
    "innkeep app statistics Larder --days 7",
    "innkeep app statistics Larder --from 2026-10-01 --to 2026-10-31 --zone Europe/London --csv > october.csv",
  );
  commandAction<StatisticsFlags, string | undefined>(command, setup, async (invocation, flags, given) =>
    explainMissingConsole(invocation, async () => showStatistics(invocation, flags, given)),
  );
}

async function showStatistics(
  invocation: Invocation,
  flags: StatisticsFlags,
  given: string | undefined,
): Promise<undefined> {
  if (flags.csv && invocation.flags.json) throw usageError("--csv and --json exclude each other.");
  const query = periodOf(flags, invocation.context.clock.now());
  const appId = await appIdOf(invocation, given, "Name one:");
  const answer = await invocation.client().statistics.read({ params: { appId }, query });
  if (flags.csv) printFile(invocation, csvOf(answer));
  else printOne(invocation, answer, () => linesOf(answer));
}

const dayMilliseconds = 86_400_000;

/** Returns the period for the request. With `--days`, the last day is `--to`, or today in the time zone. */
function periodOf({ from, to, days, zone = systemTimeZone() ?? "UTC" }: StatisticsFlags, now: Date) {
  if (days === undefined) return { from, to, zone };
  if (from !== undefined) throw usageError("--days and --from exclude each other.");
  const count = Number(days);
  if (!Number.isInteger(count) || count < 1 || count > limits.statistics.days)
    throw usageError(`--days must be a whole number from 1 to ${limits.statistics.days}.`);
  const last = to ?? dayIn(zone, now);
  const first = Date.parse(`${last}T00:00:00Z`) - (count - 1) * dayMilliseconds;
  // The server refuses a day that does not exist, and names it.
  return { from: Number.isNaN(first) ? last : new Date(first).toISOString().slice(0, 10), to: last, zone };
}

/** Returns the day of an instant in a time zone, such as `2026-11-28`. */
function dayIn(zone: string, at: Date): string {
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(at);
  } catch {
    throw usageError(`There is no time zone ${onOneLine(zone)}.`, "Use an IANA name such as Europe/London.");
  }
}

function linesOf(answer: Statistics): string {
  const { from, to, zone, firstReply, openByAge: open, agents, versions, top } = answer;
  const totals = totalsOf(answer);
  const { reports } = totals;
  const answered = (count: number) => withShare(count, reports);
  return details({
    period: `${from} to ${to}, ${zone}`,
    new: `${reports} (${totals.bug} bug, ${totals.feature} feature, ${totals.question} question, ${totals.general} general)`,
    repeats: totals.repeats,
    resolved: totals.resolved,
    replies: totals.replies,
    "first reply": firstReply.median === null ? "none" : waitsText(firstReply),
    "answered within": [
      `1 h: ${answered(firstReply.within["1h"])}`,
      `8 h: ${answered(firstReply.within["8h"])}`,
      `24 h: ${answered(firstReply.within["24h"])}`,
      `3 days: ${answered(firstReply.within["3d"])}`,
      `no reply: ${answered(firstReply.none)}`,
    ].join("\n"),
    "open now": `${open["1d"]} under 1 day, ${open["7d"]} up to 7 days, ${open["30d"]} up to 30 days, ${open.older} older`,
    "most repeated": top
      .map(({ number, subject, count }) => `#${number} ×${count}  ${onOneLine(subject)}`)
      .join("\n"),
    proposals: `${agents.proposed} proposed, ${agents.approved} approved, ${agents.rejected} rejected, ${agents.changed} sent back, ${agents.expired} expired`,
    work: `${agents.claimed} claimed, ${agents.succeeded} succeeded, ${agents.failed} failed`,
    "median decision":
      agents.medianDecisionMs === null ? undefined : `about ${waitText(agents.medianDecisionMs)}`,
    versions: versions
      .map(
        ({ version, reports: all, bugs }) => `${version}: ${countOf(all, "report")}, ${countOf(bugs, "bug")}`,
      )
      .join("\n"),
  });
}

const waitsText = ({ median, p90 }: Statistics["firstReply"]): string =>
  `about ${waitText(median ?? 0)} (median), ${waitText(p90 ?? 0)} (9 of 10)`;

function withShare(count: number, all: number): string {
  const share = shareOf(count, all);
  return share === undefined ? String(count) : `${count} (${share} %)`;
}
