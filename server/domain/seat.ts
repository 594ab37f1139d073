import { isActive } from "./session-verdict.ts";

/** How a seat stands when a day closes without being counted. (decisions 4: Words and states) */
export interface ClosingSeat {
  readonly status: "active" | "at_risk";
  readonly missedDays: number;
}

/**
 * What becomes of a seat by a missed day: an active one is at risk; one at risk that has missed as many days as the
 * listing allows is removed.
 */
export function afterMissedDay(
  { status, missedDays }: ClosingSeat,
  maxMissedDays: number,
): { readonly status: "at_risk" | "removed"; readonly missedDays: number } {
  const missed = missedDays + 1;
  const removed = status === "at_risk" && missed >= maxMissedDays;
  return { status: removed ? "removed" : "at_risk", missedDays: missed };
}

/** Whether a closing day is missed: it is not counted, and the seat was active before it began. */
export const isMissed = (
  dayIndex: number,
  activeFromDay: number,
  countedDays: ReadonlySet<number>,
): boolean => dayIndex > activeFromDay && !countedDays.has(dayIndex);

/** How long a request for a seat stands. */
export const requestMilliseconds = 48 * 3_600_000;

/** Whether a seat can still earn a day: only then does its tester see the test key. (spec: Slot) */
export const canEarn = (status: string, cycleStatus: string): boolean =>
  isActive({ status }) && (cycleStatus === "recruiting" || cycleStatus === "running");

/** The counted days of a seat, as the store keeps them: between commas. */
export const countedDaysOf = (counted: string): ReadonlySet<number> =>
  new Set(counted.split(",").flatMap((day) => (day === "" ? [] : [Number(day)])));
