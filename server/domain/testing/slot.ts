import { isOver } from "./test-days.ts";
import { isActive } from "./test-session-verdict.ts";

/** How a seat stands when a day closes. */
export interface ClosingSlot {
  readonly missedDays: number;
  /** The day on which it became active. */
  readonly activeFromDay: number;
  readonly countedDays: ReadonlySet<number>;
}

/**
 * What a closing day makes of a seat. `removed`: the days that closed before it were already too many, and nobody
 * repaired one of them while late sessions of the last one still counted. `missed`: this day is not counted.
 */
export function afterDay(
  seat: ClosingSlot,
  dayIndex: number,
  maxMissedDays: number,
): "removed" | "missed" | "unchanged" {
  if (hasMissedTooMany(seat, maxMissedDays)) return "removed";
  return isMissed(dayIndex, seat.activeFromDay, seat.countedDays) ? "missed" : "unchanged";
}

/** Whether a seat is lost once the grace of its last missed day is over. Missed days count in all, in a row or not. */
export const hasMissedTooMany = (
  { missedDays }: Pick<ClosingSlot, "missedDays">,
  maxMissedDays: number,
): boolean => missedDays >= maxMissedDays;

/** Whether a closing day is missed: it is not counted, and the seat was active before it began. */
export const isMissed = (
  dayIndex: number,
  activeFromDay: number,
  countedDays: ReadonlySet<number>,
): boolean => dayIndex > activeFromDay && !countedDays.has(dayIndex);

/** How long a request for a seat stands. */
export const requestMilliseconds = 48 * 3_600_000;

/** Whether a cycle gives seats to testers: not called off, and its last day not over. */
export const isSeating = (
  { status, dayStarts }: { readonly status: string; readonly dayStarts: readonly string[] },
  now: string,
): boolean => (status === "recruiting" || status === "running") && !isOver({ dayStarts }, now);

/** Whether a seat can still earn a day: only then does its tester see the test key. (rule T12) */
export const canEarn = (status: string, cycleStatus: string): boolean =>
  isActive({ status }) && (cycleStatus === "recruiting" || cycleStatus === "running");

/** The counted days of a seat, as the store keeps them: between commas. */
export const countedDaysOf = (counted: string): ReadonlySet<number> =>
  new Set(counted.split(",").flatMap((day) => (day === "" ? [] : [Number(day)])));
