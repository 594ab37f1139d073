import { type Command, Option } from "commander";
import { routes } from "../client/routes.ts";
import type { App, AppChange, ChatFormat } from "../contract/apps.ts";
import type { AuditEntry } from "../contract/audit.ts";
import type { AppKey, Token } from "../contract/credentials.ts";
import { limits } from "../contract/limits.ts";
import type { Statistics } from "../contract/statistics.ts";
import {
  csvOf,
  leastOfPercentile,
  shareOf,
  slowReplies,
  totalsOf,
  waitText,
} from "../contract/statistics-text.ts";
import { countOf } from "../words/phrases.ts";
import { oldThreadsText } from "../words/thread.ts";
import { oneLine } from "../words/visible.ts";
import { choices } from "./core/choices.ts";
import { CliError, didYouMean, usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  destroys,
  instantOf,
  mutates,
  ofApp,
  type Setup,
  systemTimeZone,
  views,
} from "./core/command.ts";
import { allPages } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { appIdOf, isId, reachableApps, wholeId } from "./core/ids.ts";
import { confirm, optionalTextOf } from "./core/input.ts";
import { explainMissingConsole } from "./core/missing-endpoints.ts";
import {
  type Column,
  details,
  note,
  noteFurther,
  printFile,
  printLine,
  printList,
  printOne,
  refusePageOfAll,
} from "./core/output.ts";
import { namedApp } from "./core/settings.ts";

/** Adds the verbs of `innkeep app`, which show and change the settings of your apps. */
export function addApp(app: Command, setup: Setup): void {
  const list = app.command("list").alias("ls").description(routes.apps.list.summary);
  addExamples(list, "innkeep app list", "innkeep app list --fields id,name");
  commandAction(list, setup, async (invocation) =>
    explainMissingConsole(invocation, async () => listApps(invocation)),
  );

  const view = app.command("view").alias("show").description(routes.apps.read.summary);
  view.argument("[app]", whichApp);
  addExamples(view, "innkeep app view Larder");
  commandAction<object, string | undefined>(views(view), setup, async (invocation, _, given) =>
    explainMissingConsole(invocation, async () => viewApp(invocation, given)),
  );

  addStatistics(app, setup, whichApp);

  const edit = mutates(app.command("edit").alias("update").description("Change the settings of an app"))
    .argument("[app]", whichApp)
    .option("--name <name>", "the new name of the app")
    .addOption(onOrOff("--feedback-enabled <switch>", "whether the app accepts feedback"))
    .addOption(onOrOff("--changelog-enabled <switch>", "whether the app can read its release notes"))
    .option(
      "--chat-webhook-url <url>",
      "webhook of a chat that gets a message for each proposal; `-` is standard input, `@file` a file; empty removes it",
    )
    .addOption(
      new Option("--chat-format <format>", "the kind of chat that the webhook belongs to").choices([
        ...choices.chatFormats,
      ]),
    )
    .option(
      "--github-repository <name>",
      "the repository of the app on GitHub, as owner/name; empty removes it",
    )
    .option(
      "--approval-hours <number>",
      "for how many hours an approved proposal can be claimed; empty: no limit",
    )
    .option(
      "--retention-days <number>",
      "for how many days resolved threads are kept after their last activity; empty: no limit",
    );
  addExamples(
    edit,
    "innkeep app edit Larder --feedback-enabled off --retention-days 365",
    "innkeep app edit 01a1fda3 --name Pantry --github-repository example/pantry",
    "innkeep app edit Larder --chat-format teams --chat-webhook-url - < address.txt",
  );
  commandAction<AppFlags, string | undefined>(edit, setup, async (invocation, flags, given) =>
    explainMissingConsole(invocation, async () => editApp(invocation, flags, given)),
  );
}

const whichApp =
  "id, start of the id, or name of the app; default: the app of --app, the environment or the profile";

const onOrOff = (flags: string, description: string): Option =>
  new Option(flags, description).choices(["on", "off"]);

/** Adds the verbs of `innkeep key`, for app keys. Only people and `innkeep admin` create keys. (rule K12) */
export function addKey(key: Command, setup: Setup): void {
  const list = key
    .command("list")
    .alias("ls")
    .description("List the keys of your apps, without their secrets");
  addExamples(list, "innkeep key list", "innkeep key list --app Larder");
  commandAction(ofApp(list), setup, async (invocation) =>
    explainMissingConsole(invocation, async () => listKeys(invocation)),
  );

  const revoke = key.command("revoke <key>").alias("rm").description(routes.keys.remove.summary);
  addExamples(revoke, "innkeep key revoke 01a1fda3 --yes");
  commandAction<object, string>(ofApp(destroys(revoke)), setup, async (invocation, _, given) =>
    explainMissingConsole(invocation, async () => revokeKey(invocation, given)),
  );
}

/**
 * Adds the verbs of `innkeep token`, for agent and maintainer tokens. Only people and `innkeep admin` create tokens.
 * (rule K12)
 */
export function addToken(token: Command, setup: Setup): void {
  const list = token.command("list").alias("ls").description(routes.tokens.list.summary);
  addExamples(list, "innkeep token list", "innkeep token list --fields id,label,scopes");
  commandAction(list, setup, async (invocation) =>
    explainMissingConsole(invocation, async () => listTokens(invocation)),
  );

  const revoke = destroys(token.command("revoke").alias("rm").description(routes.tokens.remove.summary))
    .argument("[token]", "the id of the token, or the start of the id")
    .option("--self", "the token that this command uses");
  addExamples(revoke, "innkeep token revoke 01a1fda3 --yes", "innkeep token revoke --self --yes");
  commandAction<RevokeTokenFlags, string | undefined>(revoke, setup, async (invocation, flags, given) =>
    explainMissingConsole(invocation, async () => revokeToken(invocation, flags, given)),
  );
}

/** Adds the verbs of `innkeep audit`, which show who did what. */
export function addAudit(audit: Command, setup: Setup): void {
  const list = audit.command("list").alias("ls").description(routes.audit.list.summary);
  list
    .option("--app <id>", "only entries about this app, by id, start of the id, or name")
    .option("--action <action>", "only entries with this action, such as key.delete")
    .option("--actor <who>", "only entries by this e-mail address, by the token with this id, or by `agent`")
    .option("--from <instant>", "only entries from this time on: ISO 8601, or a day in UTC")
    .option("--to <instant>", "only entries before this time")
    .option("--limit <number>", "the maximum number of entries on a page")
    .option("--cursor <cursor>", "continue after the previous page")
    .option("--all", "all pages")
    .option("--ndjson", "write each entry as one line of JSON, as soon as it is read");
  addExamples(
    list,
    "innkeep audit list --action key.delete --from 2026-11-01",
    "innkeep audit list --actor ada@example.org --app Larder",
    "innkeep audit list --all --ndjson > audit.ndjson",
  );
  commandAction<AuditFlags>(list, setup, async (invocation, flags) =>
    explainMissingConsole(invocation, async () => listAudit(invocation, flags)),
  );
}

type Switch = "on" | "off";

interface AppFlags {
  readonly name?: string;
  readonly feedbackEnabled?: Switch;
  readonly changelogEnabled?: Switch;
  readonly chatWebhookUrl?: string;
  readonly chatFormat?: ChatFormat;
  readonly githubRepository?: string;
  readonly approvalHours?: string;
  readonly retentionDays?: string;
}

async function listApps(invocation: Invocation): Promise<undefined> {
  const { items } = await invocation.client().apps.list();
  printList(invocation, { items, columns: appColumns });
}

const appColumns: readonly Column<App>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "name", of: ({ name }) => name },
  { heading: "feedback", of: ({ feedbackEnabled }) => switchOf(feedbackEnabled) },
  { heading: "changelog", of: ({ changelogEnabled }) => switchOf(changelogEnabled) },
  { heading: "repository", of: ({ githubRepository }) => githubRepository },
  { heading: "created", of: ({ createdAt }) => createdAt },
];

async function viewApp(invocation: Invocation, given: string | undefined): Promise<undefined> {
  const appId = await appIdOf(invocation, given, "Name one:");
  const app = await invocation.client().apps.read({ params: { appId } });
  printOne(invocation, app, () => appLines(app));
}

/**
 * Changes only the given settings. An empty text removes a setting. Throws a usage error if no setting is
 * given.
 */
async function editApp(
  invocation: Invocation,
  flags: AppFlags,
  given: string | undefined,
): Promise<undefined> {
  const body = await changeOf(invocation, flags);
  if (Object.values(body).every((value) => value === undefined))
    throw usageError("There is nothing to change.", "`innkeep app edit --help` lists the flags.");
  const appId = await appIdOf(invocation, given, "Name one:");
  await noteOldThreads(invocation, appId, body.retentionDays);
  const app = await invocation.client().apps.update({ params: { appId }, body });
  note(invocation, `Changed the app ${app.name}.`);
  printOne(invocation, app, () => appLines(app));
}

/** If the command changes the retention days, prints how many threads the next daily cleanup will delete. */
async function noteOldThreads(
  invocation: Invocation,
  appId: string,
  days: number | null | undefined,
): Promise<void> {
  if (!days) return;
  const old = await invocation.client().apps.retention({ params: { appId }, query: { days: String(days) } });
  note(
    invocation,
    `${oldThreadsText(old)} older than ${countOf(days, "day")}. The next daily cleanup deletes them.`,
  );
}

async function changeOf(invocation: Invocation, flags: AppFlags): Promise<AppChange> {
  const { name, feedbackEnabled, changelogEnabled, githubRepository } = flags;
  const chatWebhookUrl = await optionalTextOf(invocation, "--chat-webhook-url", flags.chatWebhookUrl);
  return {
    name,
    feedbackEnabled: feedbackEnabled && feedbackEnabled === "on",
    changelogEnabled: changelogEnabled && changelogEnabled === "on",
    chatWebhookUrl: chatWebhookUrl === "" ? null : chatWebhookUrl,
    chatFormat: flags.chatFormat,
    githubRepository: githubRepository === "" ? null : githubRepository,
    approvalHours: numberOf("--approval-hours", flags.approvalHours, limits.approvalHours),
    retentionDays: numberOf("--retention-days", flags.retentionDays, limits.retentionDays),
  };
}

/** Returns a number from 1 to `most`; null for an empty text. Throws a usage error for other texts. */
function numberOf(flag: string, given: string | undefined, most: number): number | null | undefined {
  if (given === undefined) return undefined;
  // Null removes the setting.
  if (given === "") return null;
  const number = /^\d{1,6}$/.test(given.trim()) ? Number(given) : 0;
  if (number >= 1 && number <= most) return number;
  throw usageError(`${flag} must be a whole number from 1 to ${most}.`, "Leave it empty for no limit.");
}

const switchOf = (enabled: boolean): Switch => (enabled ? "on" : "off");

const appLines = (app: App): string =>
  details({
    app: app.id,
    name: app.name,
    feedback: switchOf(app.feedbackEnabled),
    changelog: switchOf(app.changelogEnabled),
    chat: app.chatWebhookUrl && `${app.chatWebhookUrl} (${app.chatFormat ?? "slack"})`,
    repository: app.githubRepository,
    approvals: app.approvalHours && `expire after ${countOf(app.approvalHours, "hour")}`,
    "resolved threads": app.retentionDays && `deleted after ${countOf(app.retentionDays, "day")}`,
    created: app.createdAt,
  });

interface KeyOfApp extends AppKey {
  readonly appId: string;
  readonly app: string;
}

async function listKeys(invocation: Invocation): Promise<undefined> {
  printList(invocation, { items: await allKeys(invocation), columns: keyColumns });
}

const keyColumns: readonly Column<KeyOfApp>[] = [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "app", of: ({ app }) => app },
  { heading: "label", of: ({ label }) => label },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "prefix", of: ({ prefix }) => prefix },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "last used", of: ({ lastUsedAt }) => lastUsedAt },
];

async function allKeys(invocation: Invocation): Promise<readonly KeyOfApp[]> {
  const client = invocation.client();
  const wanted = namedApp(invocation) && (await appIdOf(invocation));
  const reachable = await reachableApps(invocation);
  const apps = wanted
    ? [reachable.find(({ id }) => id === wanted) ?? { id: wanted, name: wanted }]
    : reachable;
  const lists = await Promise.all(
    apps.map(async ({ id, name }) => {
      const { items } = await client.keys.list({ params: { appId: id } });
      return items.map((key) => ({ ...key, appId: id, app: name }));
    }),
  );
  return lists.flat();
}

async function revokeKey(invocation: Invocation, given: string): Promise<undefined> {
  const { appId, keyId, name } = await keyOf(invocation, given);
  await confirm(invocation, `Revoke the key ${name}? Apps that use it are refused from then on.`);
  await invocation.client().keys.remove({ params: { appId, keyId } });
  note(invocation, `Revoked the key ${name}.`);
  printOne(invocation, { id: keyId, appId }, () => keyId);
}

async function onlyAppOf(invocation: Invocation): Promise<string | undefined> {
  if (namedApp(invocation) !== undefined) return appIdOf(invocation);
  const [app, ...others] = await reachableApps(invocation);
  return others.length === 0 ? app?.id : undefined;
}

async function keyOf(invocation: Invocation, given: string) {
  const onlyApp = isId(given) ? await onlyAppOf(invocation) : undefined;
  if (onlyApp !== undefined) return { appId: onlyApp, keyId: given.toLowerCase(), name: given };
  const keys = await allKeys(invocation);
  const names = keys.map(({ id, label, prefix, app: of }) => ({
    id,
    name: `${label} (${prefix}…) of ${of}`,
  }));
  const keyId = await wholeId(given, {
    thing: "key",
    command: "innkeep key list",
    list: async () => names,
  });
  const key = keys.find(({ id }) => id === keyId);
  const name = names.find(({ id }) => id === keyId)?.name.trim() ?? keyId;
  return { appId: key?.appId ?? (await appIdOf(invocation)), keyId, name };
}

interface RevokeTokenFlags {
  /** True if the command must revoke the token that it uses for its own requests. */
  readonly self?: boolean;
}

/** Lists tokens with the names of the apps that they are limited to. */
async function listTokens(invocation: Invocation): Promise<undefined> {
  const { apps, tokens } = invocation.client();
  const { items } = await tokens.list();
  const limited = items.some(({ appId }) => appId !== null);
  const names = new Map((limited ? (await apps.list()).items : []).map(({ id, name }) => [id, name]));
  printList(invocation, { items, columns: columnsWith(names) });
}

const columnsWith = (names: ReadonlyMap<string, string>): readonly Column<Token>[] => [
  { heading: "id", of: ({ id }) => id, isId: true },
  { heading: "kind", of: ({ kind }) => kind },
  { heading: "label", of: ({ label }) => label },
  { heading: "app", of: ({ appId }) => (appId === null ? "all" : (names.get(appId) ?? appId)) },
  { heading: "scopes", of: ({ scopes }) => scopes.join(", ") },
  { heading: "prefix", of: ({ prefix }) => prefix },
  { heading: "created", of: ({ createdAt }) => createdAt },
  { heading: "last used", of: ({ lastUsedAt }) => lastUsedAt },
  { heading: "ended", of: ({ ended }) => (ended ? "yes" : "no") },
];

/** Revokes the token with this id, or with `--self` the token that the command uses. Asks the person first. */
async function revokeToken(
  invocation: Invocation,
  { self }: RevokeTokenFlags,
  given: string | undefined,
): Promise<undefined> {
  if ((given === undefined) === !self) throw usageError("Name exactly one token, by its id or with --self.");
  const { id, name } =
    given === undefined ? await ownToken(invocation) : await listedToken(invocation, given);
  await confirm(invocation, `Revoke the token ${name}? Programs that use it are refused from then on.`);
  await invocation.client().tokens.remove({ params: { tokenId: id } });
  note(invocation, `Revoked the token ${name}.`);
  printOne(invocation, { id }, () => id);
}

async function listedToken(invocation: Invocation, given: string) {
  if (isId(given)) return { id: given.toLowerCase(), name: given };
  const { items } = await invocation.client().tokens.list();
  const names = items.map(({ id, label, prefix }) => ({ id, name: `${label} (${prefix}…)` }));
  const id = await wholeId(given, {
    thing: "token",
    command: "innkeep token list",
    list: async () => names,
  });
  return { id, name: names.find((one) => one.id === id)?.name ?? id };
}

async function ownToken(invocation: Invocation) {
  const { tokenId } = await invocation.client().session.me();
  if (tokenId) return { id: tokenId, name: `${tokenId} of this command` };
  throw new CliError({
    exit: "forbidden",
    code: "not_offered",
    message: "This server does not say which token this command uses.",
    next: "Revoke the token by its id, or in the console.",
  });
}

interface AuditFlags {
  readonly app?: string;
  readonly action?: string;
  readonly actor?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly ndjson?: boolean;
}

interface Page {
  readonly items: readonly AuditEntry[];
  readonly nextCursor: string | null;
}

/** Prints one page, or all pages with `--all`. With `--ndjson`, writes each page before reading the next. */
async function listAudit(invocation: Invocation, flags: AuditFlags): Promise<undefined> {
  refusePageOfAll(flags);
  if (flags.ndjson && invocation.flags.json)
    throw usageError("--ndjson already writes JSON. Leave out --json.");
  const pages = await pagesOf(invocation, flags);
  if (flags.ndjson) return writeLines(invocation, pages, flags);
  const items: AuditEntry[] = [];
  let nextCursor: string | null = null;
  for await (const page of pages) {
    items.push(...page.items);
    nextCursor = page.nextCursor;
  }
  printList(invocation, { items, columns: auditColumns, extra: { nextCursor } });
  if (items.length === 0) warnOfUnknown(invocation, flags);
  noteFurther(invocation, { count: items.length, nextCursor, all: true });
}

/** Only warns about an unknown `--action`, because a newer server may have more actions. */
function warnOfUnknown(invocation: Invocation, { action }: AuditFlags): void {
  const known: readonly string[] = choices.auditActions;
  if (action === undefined || known.includes(action)) return;
  const meant = didYouMean(action, known).trim() || `The actions are ${known.join(", ")}.`;
  note(invocation, `warning: this version of innkeep has no action "${oneLine(action)}". ${meant}`);
}

const auditColumns: readonly Column<AuditEntry>[] = [
  { heading: "at", of: ({ at }) => at },
  { heading: "actor", of: ({ actor }) => actor },
  { heading: "action", of: ({ action }) => action },
  { heading: "app", of: ({ appId }) => appId, isId: true },
  { heading: "target", of: ({ target }) => target, isId: true },
  { heading: "address", of: ({ address }) => address },
];

async function pagesOf(invocation: Invocation, flags: AuditFlags): Promise<AsyncIterable<Page>> {
  const { app, action, actor, limit, cursor, all } = flags;
  const query = {
    appId: app === undefined ? undefined : await appIdOf(invocation, app),
    action,
    actor,
    from: instantOf("--from", flags.from),
    to: instantOf("--to", flags.to),
  };
  const { list } = invocation.client().audit;
  if (!all) return onePage(await list({ query: { ...query, limit, cursor } }));
  const largest = String(limits.listPage.max);
  return allPages((after) => list({ query: { ...query, limit: largest, cursor: after } }));
}

async function* onePage(page: Page): AsyncGenerator<Page> {
  yield page;
}

async function writeLines(
  invocation: Invocation,
  pages: AsyncIterable<Page>,
  flags: AuditFlags,
): Promise<undefined> {
  let nextCursor: string | null = null;
  let count = 0;
  for await (const page of pages) {
    count += page.items.length;
    for (const entry of page.items) printLine(invocation, entry);
    nextCursor = page.nextCursor;
  }
  if (count === 0) warnOfUnknown(invocation, flags);
  noteFurther(invocation, { count, nextCursor, all: true });
}

interface StatisticsFlags {
  readonly from?: string;
  readonly to?: string;
  readonly days?: string;
  readonly zone?: string;
  readonly csv?: boolean;
}

/** Adds `innkeep app statistics`, which prints counts and waiting times for one app and one period. */
function addStatistics(app: Command, setup: Setup, whichApp: string): void {
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

/**
 * Returns the period for the request. Throws a usage error for wrong `--days`, or for `--days` with `--from`.
 */
function periodOf({ from, to, days, zone = systemTimeZone() ?? "UTC" }: StatisticsFlags, now: Date) {
  if (days === undefined) return { from, to, zone };
  if (from !== undefined) throw usageError("--days and --from exclude each other.");
  const count = Number(days);
  if (!Number.isInteger(count) || count < 1 || count > limits.statistics.days)
    throw usageError(`--days must be a whole number from 1 to ${limits.statistics.days}.`);
  const last = to ?? dayIn(zone, now);
  const first = Date.parse(`${last}T00:00:00Z`) - (count - 1) * dayMilliseconds;
  // If `last` is not a day of the calendar, the server refuses the request.
  return { from: Number.isNaN(first) ? last : new Date(first).toISOString().slice(0, 10), to: last, zone };
}

/** Returns the day of an instant in a time zone (`2026-11-28`). Throws a usage error for unknown zones. */
function dayIn(zone: string, at: Date): string {
  try {
    return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(at);
  } catch {
    throw usageError(`There is no time zone ${oneLine(zone)}.`, "Use an IANA name such as Europe/London.");
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
    "first reply": firstReply.median === null ? "none" : waitsText(answer),
    "answered within": [
      `1 h: ${answered(firstReply.within["1h"])}`,
      `8 h: ${answered(firstReply.within["8h"])}`,
      `24 h: ${answered(firstReply.within["24h"])}`,
      `3 days: ${answered(firstReply.within["3d"])}`,
      `no reply: ${answered(firstReply.none)}`,
    ].join("\n"),
    "open now": `${open["1d"]} under 1 day, ${open["7d"]} up to 7 days, ${open["30d"]} up to 30 days, ${open.older} older`,
    "most repeated": top
      .map(
        ({ id, number, subject, count }) =>
          `${number === null ? id : `#${number}`} ×${count}  ${oneLine(subject)}`,
      )
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

function waitsText(answer: Statistics): string {
  const { p90 } = slowReplies(answer);
  const slow =
    p90 === undefined
      ? `– (90th percentile, shown from ${leastOfPercentile} first replies on)`
      : `${waitText(p90)} (90th percentile)`;
  return `about ${waitText(answer.firstReply.median ?? 0)} (median), ${slow}`;
}

function withShare(count: number, all: number): string {
  const share = shareOf(count, all);
  return share === undefined ? String(count) : `${count} (${share} %)`;
}
