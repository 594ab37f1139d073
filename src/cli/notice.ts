import { Argument, type Command } from "commander";
import { routes } from "../client/routes.ts";
import type { AppNotices, NoticeKind, NoticeWay } from "../contract/notices.ts";
import { choices } from "./core/choices.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, count, mutates, ofApp, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { appIdOf } from "./core/ids.ts";
import { explainMissingConsole } from "./core/missing-endpoints.ts";
import { type Column, details, note, printList, printOne } from "./core/output.ts";
import { namedApp } from "./core/settings.ts";

/** Adds the verbs of `innkeep notice`. */
export function addNotice(notice: Command, setup: Setup): void {
  const list = notice.command("list").alias("ls").description(routes.notices.read.summary);
  addExamples(list, "innkeep notice list", "innkeep notice list --app Larder");
  commandAction(ofApp(list), setup, (invocation) =>
    explainMissingConsole(invocation, () => listNotices(invocation)),
  );

  const set = mutates(notice.command("set").alias("edit").description(routes.notices.change.summary))
    .addArgument(new Argument("[kinds...]", "the kinds of notices").choices(choices.noticeKinds))
    .option(
      "--by <ways>",
      `how you get these notices: ${choices.noticeWays.join(", ")}, several of these with commas, \`none\` or \`default\``,
    )
    .option("--per-hour <number>", "how many reports in one hour cause a notice of the kind `storm`", count)
    .option("--timezone <zone>", "your time zone, such as Europe/Berlin; it applies to all apps")
    .option(
      "--quiet <hours>",
      "hours without notices, such as 22:00-07:00, or `none`; they apply to all apps",
    );
  addExamples(
    set,
    "innkeep notice set report answer --by daily --app Larder",
    "innkeep notice set storm --by mail --per-hour 20 --app Larder",
    "innkeep notice set --timezone Europe/Berlin --quiet 22:00-07:00",
  );
  commandAction<SetFlags, readonly NoticeKind[]>(ofApp(set), setup, (invocation, flags, kinds) =>
    explainMissingConsole(invocation, () => setNotices(invocation, flags, kinds)),
  );
}

interface SetFlags {
  readonly by?: string;
  readonly perHour?: number;
  readonly timezone?: string;
  readonly quiet?: string;
}

interface ListedNotice {
  readonly app: string;
  readonly kind: string;
  readonly ways: readonly string[];
  readonly byDefault: boolean;
}

const columns: readonly Column<ListedNotice>[] = [
  { heading: "app", of: ({ app }) => app },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "by", of: ({ ways }) => ways.join(", ") || "none" },
  { heading: "default", of: ({ byDefault }) => (byDefault ? "yes" : "no") },
];

async function listNotices(invocation: Invocation): Promise<undefined> {
  const { apps, timezone, quietHours, noMail, browsers } = await invocation.client().notices.read();
  const appId = namedApp(invocation) === undefined ? undefined : await appIdOf(invocation);
  printList(invocation, {
    items: apps.filter((app) => appId === undefined || app.appId === appId).flatMap(rowsOf),
    columns,
  });
  const hours =
    quietHours === null ? "no quiet hours" : `quiet hours from ${quietHours.from} to ${quietHours.to}`;
  note(invocation, `Your time zone is ${timezone}, with ${hours}.`);
  if (noMail === "server_sends_none") note(invocation, "This server sends no mail.");
  if (noMail === "address_unverified") note(invocation, "Your address is not verified, so you get no mail.");
  if (browsers === 0)
    note(invocation, "No browser shows you notices. You can turn that on in the console, under Notices.");
}

const rowsOf = ({ name, kinds }: AppNotices): ListedNotice[] =>
  kinds.map(({ kind, ways, byDefault }) => ({ app: name, kind, ways, byDefault }));

async function setNotices(
  invocation: Invocation,
  { by, perHour, timezone, quiet }: SetFlags,
  given: readonly NoticeKind[],
): Promise<undefined> {
  if ((by === undefined) !== (given.length === 0))
    throw usageError(
      "Kinds of notices and --by must be given together.",
      "For example: `innkeep notice set answer --by mail`.",
    );
  if ([by, perHour, timezone, quiet].every((value) => value === undefined))
    throw usageError(
      "There is nothing to change.",
      "Give kinds of notices together with --by, or one of --per-hour, --timezone and --quiet.",
    );
  const ways = by === undefined ? undefined : waysOf(by);
  const kinds = Object.fromEntries(given.map((kind) => [kind, ways]));
  const ofOneApp = by !== undefined || perHour !== undefined;
  const body = {
    ...(timezone === undefined ? {} : { timezone }),
    ...(quiet === undefined ? {} : { quietHours: hoursOf(quiet) }),
    ...(ofOneApp ? { apps: [{ appId: await appIdOf(invocation), kinds, stormPerHour: perHour }] } : {}),
  };
  const own = await invocation.client().notices.change({ body });
  note(invocation, "Changed your notices.");
  const [of] = body.apps ?? [];
  const hours = own.quietHours === null ? "none" : `${own.quietHours.from}-${own.quietHours.to}`;
  printOne(invocation, own, () =>
    details({
      ...Object.fromEntries(
        own.apps
          .filter(({ appId }) => appId === of?.appId)
          .flatMap(rowsOf)
          .map(({ kind, ways }) => [kind, ways.join(", ") || "none"]),
      ),
      timezone: own.timezone,
      quiet: hours,
    }),
  );
}

/** Returns the ways that a person named, or null for the default. Throws a usage error for an unknown way. */
function waysOf(given: string): NoticeWay[] | null {
  if (given === "default") return null;
  const names = given === "none" ? [] : given.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !isWay(name));
  if (unknown !== undefined)
    throw new CliError({
      exit: "usage",
      code: "usage",
      message: `Notices cannot be sent by ${unknown}.`,
      next: `Give ${choices.noticeWays.join(", ")}, \`none\` or \`default\`.`,
    });
  return names.filter(isWay);
}

const isWay = (name: string): name is NoticeWay => choices.noticeWays.some((way) => way === name);

function hoursOf(given: string): { readonly from: string; readonly to: string } | null {
  if (given === "none") return null;
  const [from = "", to = "", ...more] = given.split("-").map((time) => time.trim());
  if (to === "" || more.length > 0)
    throw usageError(
      `--quiet must be two times such as 22:00-07:00, not ${given}.`,
      "`none` turns quiet hours off.",
    );
  return { from, to };
}
