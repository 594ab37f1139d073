import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import type { SessionResult, SessionStatus } from "../contract/test-sessions.ts";
import { CliError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { assertKnownServer, isOfOtherServer, notSent } from "./core/credentials.ts";
import { mutates, several } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { readText } from "./core/input.ts";
import { details, printOne } from "./core/output.ts";

export function addSession(session: Command, setup: Setup): void {
  const report = mutates(session.command("report").description(routes.sessions.report.summary))
    .requiredOption("--started-at <instant>", "when the session began: ISO 8601 with an offset, or Z")
    .requiredOption("--ended-at <instant>", "when it ended, in the same form")
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

/** The reasons in words. Reasons that are not in this table are shown unchanged. */
const reasons: Readonly<Record<string, string>> = {
  session_below_bar: "it was too short, or reached too few screens; a longer one can still count the day",
  already_submitted: "the day is counted already",
  cycle_not_running: "the test has not started, or is over",
  slot_not_active: "the slot is no longer active",
  session_stale: "it began before the slot was active, or on a day that the server can no longer confirm",
  session_in_future: "it begins in the future by the server's clock",
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

/** Adds the flag that names the test key of a slot. */
const ofTestKey = (command: Command): Command =>
  command.option(
    "--test-key-file <file>",
    "read the slot's test key from a file; `-` is standard input (INNKEEP_TEST_KEY)",
  );

const variable = "INNKEEP_TEST_KEY";

/**
 * Finds the test key of a slot. The key is a secret, so no argument of the command line contains it. Throws a CliError
 * if there is no key, or if only a file of the project names the server.
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
