import type { CliError } from "../cli-error.ts";
import type { Invocation } from "../context.ts";
import type { Exit } from "../exit-codes.ts";
import { type Column, note, printList } from "../output.ts";
import { onOneLine } from "../plain-text.ts";
import { attempt } from "./attempt.ts";
import { printKept } from "./list-kept.ts";
import type { Report } from "./report.ts";
import type { Spool } from "./spool.ts";
import { undelivered } from "./undelivered.ts";

/** What became of one kept report. */
interface Resent {
  readonly report: string;
  readonly sent: boolean;
  readonly id: string | null;
  readonly consoleUrl: string | null;
  readonly why: string | null;
}

// An Innkeep server knows a key for a day. What may have arrived longer ago might be posted twice.
const keyLifetimeMs = 23 * 3_600_000;

/** Sends all that is kept for this server, oldest first, until one must wait; ends as the first that failed. */
export async function resendAll(invocation: Invocation, spool: Spool): Promise<Exit> {
  const reports = await dueReports(invocation, spool);
  if (invocation.flags.dryRun) return printKept(invocation, reports);
  const resent: Resent[] = [];
  let worst: CliError | undefined;
  for (const report of reports) {
    const { row, failure } = await resendNext(invocation, report, spool);
    resent.push(row);
    worst ??= failure;
    if (failure && stops(failure)) break;
  }
  printList(invocation, resent, columns, { left: reports.length - resent.filter(({ sent }) => sent).length });
  return worst?.exit ?? "ok";
}

const columns: readonly Column<Resent>[] = [
  { heading: "report", of: ({ report }) => report },
  { heading: "sent", of: ({ sent }) => (sent ? "yes" : "no") },
  { heading: "id", of: ({ id }) => id },
  { heading: "where or why", of: ({ consoleUrl, why }) => consoleUrl ?? why },
];

// The rest goes to the same server, with the same key.
const stops = ({ exit }: CliError): boolean => ["tryLater", "authentication", "interrupted"].includes(exit);

async function dueReports(invocation: Invocation, spool: Spool): Promise<readonly Report[]> {
  const { reports } = await spool.list();
  const here = reports.filter(({ baseUrl }) => baseUrl === invocation.baseUrl());
  const due = here.filter((report) => !isDoubtful(report, invocation.context.clock.now()));
  if (here.length < reports.length) {
    note(
      invocation,
      `${reports.length - here.length} kept for other servers: innkeep feedback resend --list`,
    );
  }
  for (const { id } of here.filter((report) => !due.includes(report))) {
    note(
      invocation,
      `Report ${id} may have arrived more than a day ago. Look in the console; innkeep feedback resend ${id} sends it.`,
    );
  }
  return due;
}

const isDoubtful = ({ lastTry }: Report, now: Date): boolean =>
  lastTry?.outcome === "unknown" && now.getTime() - Date.parse(lastTry.at) > keyLifetimeMs;

async function resendNext(
  invocation: Invocation,
  report: Report,
  spool: Spool,
): Promise<{ readonly row: Resent; readonly failure?: CliError }> {
  const kept = { report, spool };
  const delivery = await attempt(invocation, kept);
  if (delivery.delivered) {
    const { id = null, consoleUrl = null } = delivery.answer;
    return { row: { report: report.id, sent: true, id, consoleUrl, why: null } };
  }
  const failure = undelivered(kept, delivery);
  const why = onOneLine(delivery.error.message);
  return { row: { report: report.id, sent: false, id: null, consoleUrl: null, why }, failure };
}
