import type { SessionResult, SessionStatus } from "../contract/test-sessions.ts";
import type { Invocation } from "./core/context.ts";
import { details } from "./core/details.ts";
import { printOne } from "./core/output.ts";
import { type TestKeyFile, testKeyOf } from "./test-key.ts";

export interface ReportFlags extends TestKeyFile {
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screen?: readonly string[];
  readonly appVersion?: string;
}

/** Reports a session. A session that matches no slot or counts no day is not a failure. */
export async function reportSession(invocation: Invocation, flags: ReportFlags): Promise<undefined> {
  const { startedAt, endedAt, screen: screens = [], appVersion } = flags;
  const testKey = await testKeyOf(invocation, flags);
  const body = { testKey, startedAt, endedAt, screens: [...screens], appVersion };
  const result = await invocation.client().sessions.report({ body });
  printOne(invocation, result, () => resultInWords(result));
}

export async function sessionStatus(invocation: Invocation, flags: TestKeyFile): Promise<undefined> {
  const query = { testKey: await testKeyOf(invocation, flags) };
  const status = await invocation.client().sessions.status({ query });
  printOne(invocation, status, () => statusInWords(status));
}

const unmatched = "The key is no tester's.";

function resultInWords({ matched, counted, dayIndex, reason }: SessionResult): string {
  if (!matched) return unmatched;
  if (counted) return `Day ${dayIndex} is counted.`;
  return `Not counted${dayIndex >= 1 ? ` for day ${dayIndex}` : ""}: ${reasons[reason ?? ""] ?? reason}.`;
}

/** Unknown reasons are shown unchanged. */
const reasons: Readonly<Record<string, string>> = {
  session_below_bar: "it was too short, or reached too few screens; a longer one can still count the day",
  already_submitted: "the day is counted already",
  cycle_not_running: "the test has not started, or is over",
  slot_not_active: "the slot is no longer active",
  session_stale: "it began before the slot was active, or on a day that the server can no longer confirm",
  session_in_future: "it begins ahead of the server's clock",
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
