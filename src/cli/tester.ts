import type { Command } from "commander";
import type { Client } from "../client/call.ts";
import { routes } from "../client/routes.ts";
import { longPoll, type PollResult } from "../client/wait.ts";
import { limits } from "../contract/limits.ts";
import type { SessionResult, SessionStatus } from "../contract/test-sessions.ts";
import type { OpenListing, Slot } from "../contract/tester.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import {
  addExamples,
  commandAction,
  forTester,
  mutates,
  type Setup,
  several,
  wholeNumber,
} from "./core/command.ts";
import { lastingClient } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { ownSlotId, wholeId } from "./core/ids.ts";
import { canAsk, readText } from "./core/input.ts";
import { asLoggedJson, type Column, details, note, printList, printOne } from "./core/output.ts";
import { assertKnownServer, isOfOtherServer, notSent } from "./core/settings.ts";
import type { ShownTask, Tasks } from "./testing/task-screen.lazy.tsx";
import { addSlotDecisions } from "./testing.ts";

export function addTask(task: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(task.command("list").alias("ls").description(routes.tester.tasks.summary))
    .option("--day <number>", "the tasks of this day of each test", wholeNumber)
    .option(
      "--watch",
      "keep running and show changes; without a terminal, print one JSON object for each change",
    );
  addExamples(list, "innkeep task list", "innkeep task list --watch");
  commandAction<TaskFlags>(list, setup, async (invocation, flags) => {
    if (!flags.watch) return listTasks(invocation, flags);
    return watchTasks(invocation, flags);
  });
}

interface TaskFlags extends TestKeyFlags {
  readonly day?: number;
  readonly watch?: boolean;
}

/** Shows the tasks of today, or of an earlier day of each test. */
async function listTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  const { day } = flags;
  if (day !== undefined && day < 1) throw usageError("--day: the days of a test are counted from 1.");
  const query = day === undefined ? {} : { day: String(day) };
  const { tasks, outstanding } = shownTasks(await invocation.client().tester.tasks({ query }), flags);
  printList(invocation, { items: tasks, columns, extra: { outstanding }, name: "tasks" });
  if (tasks.length > 0) note(invocation, outstandingInWords(outstanding));
}

type Answer = Awaited<ReturnType<Client["tester"]["tasks"]>>;

/** Returns the tasks to print. They contain their test keys only with `--with-test-keys`. */
const shownTasks = ({ tasks, outstanding }: Answer, flags: TestKeyFlags): Tasks => ({
  tasks: tasks.map((task) => omitTestKey(task, flags)),
  outstanding,
});

const outstandingInWords = (outstanding: number): string =>
  outstanding === 0 ? "There is nothing to do." : `Tasks that are still open: ${outstanding}.`;

const columns: readonly Column<ShownTask>[] = [
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "day", of: ({ dayIndex, durationDays }) => `${dayIndex}/${durationDays}` },
  { heading: "screen", of: ({ targetScreen }) => targetScreen },
  { heading: "due", of: ({ dueBy }) => dueBy },
  { heading: "done", of: ({ submitted }) => (submitted ? "yes" : "no") },
  { heading: "status", of: ({ slotStatus }) => slotStatus },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "by", of: ({ verificationTier }) => verificationTier },
  { heading: "join", of: ({ joinCheckPending }) => (joinCheckPending ? "to be confirmed" : "") },
];

/** Shows the tasks until an interrupt: on a screen, or as one JSON line per change. */
async function watchTasks(invocation: Invocation, flags: TaskFlags): Promise<undefined> {
  if (flags.day !== undefined) throw usageError("--watch shows today. Leave out --day.");
  const { context } = invocation;
  const results = (signal: AbortSignal) => pollTasks(invocation, flags, signal);
  if (!isScreen(invocation)) return writeChanges(invocation, results(context.signal));
  // The library for screens is loaded only here, because only this command needs it.
  const { showTasks } = await import("./testing/task-screen.lazy.tsx");
  await showTasks({ results, now: context.clock.now, signal: context.signal });
}

/** Reads the tasks every 30 seconds, or later if the server asks. Ends when `signal` aborts. */
function pollTasks(invocation: Invocation, flags: TaskFlags, signal: AbortSignal) {
  const client = lastingClient(invocation);
  return longPoll({
    ask: () => askOnce(client, flags, signal),
    holdSeconds: () => 0,
    leftMs: () => Number.POSITIVE_INFINITY,
    pauses: { firstMs: 30_000, growth: 1, mostMs: 30_000 },
    clock: invocation.context.clock,
    signal,
  });
}

/** Sends one request without retries, so that a failure is shown immediately. `pollTasks` repeats the request. */
const askOnce = async (client: Client, flags: TaskFlags, signal: AbortSignal): Promise<Tasks> =>
  shownTasks(await client.tester.tasks({ signal, repeatAfter: () => false }), flags);

const isScreen = (invocation: Invocation): boolean =>
  canAsk(invocation) &&
  invocation.context.io.stdout.isTerminal &&
  invocation.context.env.TERM !== "dumb" &&
  !invocation.flags.json;

async function writeChanges(
  invocation: Invocation,
  results: AsyncIterable<PollResult<Tasks>>,
): Promise<undefined> {
  const { env, io } = invocation.context;
  let shown = "";
  let shownProblem = "";
  for await (const result of results) {
    const problem = "failure" in result ? result.failure.message : "";
    if (problem !== shownProblem && problem !== "") note(invocation, problem);
    shownProblem = problem;
    const text = "value" in result ? JSON.stringify(result.value) : shown;
    if (text !== shown) io.stdout.write(`${asLoggedJson(env, text)}\n`);
    shown = text;
  }
}

const slotHelp = `
These commands are for testers and use the device token of \`innkeep auth login\`. The commands for owners of a test use a
maintainer token. They are \`innkeep testing slot\`, and also work as \`innkeep slot\`.`;

export function addSlot(slot: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(slot.command("list").alias("ls").description(routes.tester.slots.summary)).option(
    "--open",
    "list tests with open slots instead of your slots",
  );
  addExamples(list, "innkeep slot list", "innkeep slot list --open");
  commandAction<SlotFlags>(list, setup, listSlots);

  const request = mutates(
    slot.command("request <slot>").description(`${routes.tester.requestSlot.summary}; its owner decides`),
  );
  addExamples(request, "innkeep slot request 01a1fe67");
  commandAction<SlotFlags, string>(request, setup, requestSlot);

  const rotate = mutates(slot.command("rotate-key [slot]").description(routes.tester.rotateKey.summary));
  addExamples(rotate, "innkeep slot rotate-key 01a1fe67 --with-test-keys");
  commandAction<SlotFlags, string | undefined>(withTestKeys(rotate), setup, rotateKey);

  addSlotDecisions(slot, given, { hidden: true });
  slot.addHelpText("after", slotHelp);
}

interface SlotFlags extends TestKeyFlags {
  readonly open?: boolean;
}

type ShownSlot = Omit<Slot, "testKey">;

/** Prints the slots of the tester. With `--open`, prints the tests with open slots. */
async function listSlots(invocation: Invocation, flags: SlotFlags): Promise<undefined> {
  if (flags.open) return listOpen(invocation);
  const { slots } = await invocation.client().tester.slots();
  const shown = slots.map((slot) => omitTestKey(slot, flags));
  printList(invocation, { items: shown, columns: slotColumns, name: "slots" });
}

const slotColumns: readonly Column<ShownSlot>[] = [
  { heading: "slot", of: ({ slotId }) => slotId, isId: true },
  { heading: "app", of: ({ app }) => app.name },
  { heading: "status", of: ({ status }) => status },
  { heading: "test", of: ({ cycleStatus }) => cycleStatus },
  { heading: "day", of: ({ dayIndex, durationDays }) => `${dayIndex}/${durationDays}` },
  { heading: "missed", of: ({ missedDays }) => missedDays },
  { heading: "last counted", of: ({ lastProofDayIndex }) => lastProofDayIndex },
  { heading: "request ends", of: ({ requestExpiresAt }) => requestExpiresAt },
  { heading: "by", of: ({ verificationTier }) => verificationTier },
];

async function listOpen(invocation: Invocation): Promise<undefined> {
  const listings = await allOpenListings(invocation);
  printList(invocation, { items: listings, columns: openColumns, name: "listings" });
  note(
    invocation,
    listings.length > 0 ? "`innkeep slot request <slot>` requests a slot." : "No test has a free slot now.",
  );
}

const mostPages = 20;

/** Reads the newest tests with open slots, from a limited number of pages. Other servers may omit `nextCursor`. */
async function allOpenListings(invocation: Invocation): Promise<readonly OpenListing[]> {
  const client = invocation.client();
  const found: OpenListing[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const page: Page = await client.tester.listings({
      query: { limit: String(limits.listPage.max), cursor },
    });
    found.push(...page.listings);
    if (!page.nextCursor) break;
    cursor = page.nextCursor;
  }
  return found;
}

interface Page {
  readonly listings: readonly OpenListing[];
  readonly nextCursor?: string | null;
}

const openColumns: readonly Column<OpenListing>[] = [
  { heading: "slot", of: ({ openSlotId }) => openSlotId, isId: true },
  { heading: "app", of: ({ appName }) => appName },
  { heading: "free", of: ({ seatsFree }) => seatsFree },
  { heading: "days", of: ({ durationDays }) => durationDays },
  { heading: "starts", of: ({ startsOn }) => startsOn },
  { heading: "test", of: ({ cycleStatus }) => cycleStatus },
  { heading: "what to do", of: ({ testBrief }) => testBrief },
];

async function requestSlot(invocation: Invocation, flags: SlotFlags, given: string): Promise<undefined> {
  const slotId = await openSlotId(invocation, given);
  const answer: Requested = await invocation.client().tester.requestSlot({ params: { slotId }, body: {} });
  note(
    invocation,
    `Requested slot ${slotId}. The owner of the test decides; \`innkeep slot list\` shows the answer.`,
  );
  const { slot } = answer;
  const shown = slot ? { slot: omitTestKey(slot, flags) } : answer;
  printOne(invocation, shown, () => (slot ? slotLines(slot) : ""));
}

/** Returns the id of an open slot, from its id or the start of its id. */
const openSlotId = (invocation: Invocation, given: string): Promise<string> =>
  wholeId(given, {
    thing: "free slot",
    command: "innkeep slot list --open",
    list: async () => {
      const listings = await allOpenListings(invocation);
      return listings.map(({ openSlotId: id, appName }) => ({ id, name: appName }));
    },
  });

/** The server's answer. Servers other than Innkeep may omit the slot. */
type Requested = Partial<Awaited<ReturnType<Client["tester"]["requestSlot"]>>>;

async function rotateKey(
  invocation: Invocation,
  flags: SlotFlags,
  given: string | undefined,
): Promise<undefined> {
  const slotId = await ownSlotId(invocation, given);
  const { slot } = await invocation.client().tester.rotateKey({ params: { slotId }, body: {} });
  note(
    invocation,
    `Slot ${slot.slotId} has a new test key. The old one no longer works: enter the new one in the app.`,
  );
  printOne(invocation, { slot: omitTestKey(slot, flags) }, () =>
    flags.withTestKeys ? (slot.testKey ?? "") : slotLines(slot),
  );
}

const slotLines = ({ slotId, app, status, requestExpiresAt, cycleStatus }: ShownSlot): string =>
  details({
    slot: slotId,
    app: app.name,
    status,
    test: cycleStatus,
    "request ends": requestExpiresAt,
    "join here": app.optInUrl,
  });

export function addSession(session: Command, setup: Setup): void {
  const report = mutates(session.command("report").description(routes.sessions.report.summary))
    .requiredOption("--started-at <instant>", "when the session began: ISO 8601 with an offset, or Z")
    .requiredOption("--ended-at <instant>", "when the session ended, in the same form")
    .option("--screen <name>", "a screen that the tester reached; repeatable", several)
    .option("--app-version <version>", "the version of the app that was tested");
  addExamples(
    report,
    "innkeep session report --started-at 2026-11-21T09:00:00Z --ended-at 2026-11-21T09:04:00Z " +
      "--screen Recipes --screen Settings",
  );
  commandAction<ReportFlags>(ofTestKey(report), setup, reportSession);

  const status = session.command("status").description(routes.sessions.status.summary);
  addExamples(status, "innkeep session status --test-key-file key.txt");
  commandAction<TestKeyFile>(ofTestKey(status), setup, sessionStatus);
}

interface ReportFlags extends TestKeyFile {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screen?: readonly string[];
  readonly appVersion?: string;
}

/** Reports a session. A session that matches no slot or counts no day is not a failure. (rule L2) */
async function reportSession(invocation: Invocation, flags: ReportFlags): Promise<undefined> {
  const { startedAt, endedAt, screen: screens = [], appVersion } = flags;
  const testKey = await testKeyOf(invocation, flags);
  const body = { testKey, startedAt, endedAt, screens: [...screens], appVersion };
  const result = await invocation.client().sessions.report({ body });
  printOne(invocation, result, () => resultInWords(result));
}

async function sessionStatus(invocation: Invocation, flags: TestKeyFile): Promise<undefined> {
  const query = { testKey: await testKeyOf(invocation, flags) };
  const status = await invocation.client().sessions.status({ query });
  printOne(invocation, status, () => statusInWords(status));
}

const unmatched = "No slot has this test key.";

function resultInWords({ matched, counted, dayIndex, reason }: SessionResult): string {
  if (!matched) return unmatched;
  if (counted) return `Day ${dayIndex} is counted.`;
  return `Not counted${dayIndex >= 1 ? ` for day ${dayIndex}` : ""}: ${reasons[reason ?? ""] ?? reason}.`;
}

/** Why a session did not count. Unknown reasons are shown unchanged. */
const reasons: Readonly<Record<string, string>> = {
  session_below_bar:
    "it was too short, or reached too few screens; the day still counts if a longer session follows",
  already_submitted: "the day is counted already",
  cycle_not_running: "the test has not started, or is over",
  slot_not_active: "the slot is no longer active",
  session_stale: "it began before the slot was active, or on a day that the server can no longer confirm",
  session_in_future: "it begins in the future according to the server's clock",
};

function statusInWords(status: SessionStatus): string {
  if (!status.matched) return unmatched;
  const { dayIndex, durationDays, countedToday, daysCounted, dueBy } = status;
  return details({
    day: `${dayIndex} of ${durationDays}`,
    today: countedToday ? "counted" : "not counted yet",
    "days counted": daysCounted,
    "due by": dueBy,
  });
}

interface TestKeyFile {
  readonly testKeyFile?: string;
}

/** Adds the flag for the file with the test key of a slot. */
const ofTestKey = (command: Command): Command =>
  command.option(
    "--test-key-file <file>",
    "read the slot's test key from a file; `-` is standard input (INNKEEP_TEST_KEY)",
  );

const variable = "INNKEEP_TEST_KEY";

/**
 * Returns the test key of a slot. Throws a CliError without a key, or if `assertKnownServer` refuses the
 * server.
 */
async function testKeyOf(
  { context, server }: Invocation,
  { testKeyFile: file }: TestKeyFile,
): Promise<string> {
  const given =
    file === undefined ? context.env.INNKEEP_TEST_KEY : await readText(context, "--test-key-file", file);
  const testKey = given?.trim();
  const isUnsent = file === undefined && isOfOtherServer(context, server(), variable);
  if (testKey && !isUnsent) {
    const source = file === undefined ? variable : "--test-key-file";
    assertKnownServer(context, server(), `${source} is not sent to`);
    return testKey;
  }
  throw new CliError({
    exit: "authentication",
    code: "missing_credential",
    message: isUnsent ? notSent(variable, server()) : "This command needs the test key of a slot.",
    next: "Pipe it in with --test-key-file -, or set INNKEEP_TEST_KEY. `innkeep task list --with-test-keys --fields testKey` prints it.",
  });
}

interface TestKeyFlags {
  readonly withTestKeys?: boolean;
}

/** Adds the flag `--with-test-keys`, for commands whose answers contain test keys. */
const withTestKeys = (command: Command): Command =>
  command.option(
    "--with-test-keys",
    "also show test keys: anyone with a test key can report test days for its slot",
  );

/**
 * Returns the value without its test key, because the key is a secret. With `--with-test-keys`, returns the value
 * unchanged.
 */
function omitTestKey<T extends { readonly testKey?: string | null }>(
  given: T,
  { withTestKeys: shown }: TestKeyFlags,
): Omit<T, "testKey"> {
  if (shown) return given;
  const { testKey: _, ...rest } = given;
  return rest;
}
