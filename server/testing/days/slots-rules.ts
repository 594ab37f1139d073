import { isOver } from "./rules.ts";
import { isActive } from "./sessions-rules.ts";

/** A slot when a day closes. */
export interface ClosingSlot {
  readonly missedDays: number;
  /** The day on which the slot became active. */
  readonly activeFromDay: number;
  readonly countedDays: ReadonlySet<number>;
}

/**
 * Returns the effect on a slot when a day closes. `removed` means that the slot had already missed too many days before
 * this day, and no late session has changed that. `missed` means that the slot missed this day. (rule T9)
 */
export function afterDay(
  slot: ClosingSlot,
  dayIndex: number,
  maxMissedDays: number,
): "removed" | "missed" | "unchanged" {
  if (hasMissedTooMany(slot, maxMissedDays)) return "removed";
  return isMissed(dayIndex, slot.activeFromDay, slot.countedDays) ? "missed" : "unchanged";
}

/** Whether a slot has missed so many days that the tester loses it. Missed days need not be consecutive. (rule T11) */
export const hasMissedTooMany = (
  { missedDays }: Pick<ClosingSlot, "missedDays">,
  maxMissedDays: number,
): boolean => missedDays >= maxMissedDays;

/**
 * Whether a slot misses a day that closes: the day does not count, and the slot was active before the day began.
 * (rule T10)
 */
export const isMissed = (
  dayIndex: number,
  activeFromDay: number,
  countedDays: ReadonlySet<number>,
): boolean => dayIndex > activeFromDay && !countedDays.has(dayIndex);

/** How long a request for a slot is valid. */
export const requestMilliseconds = 48 * 3_600_000;

/** Whether a cycle accepts testers: it is not cancelled, and its last day is not over. */
export const acceptsTesters = (
  { status, dayStarts }: { readonly status: string; readonly dayStarts: readonly string[] },
  now: string,
): boolean => (status === "recruiting" || status === "running") && !isOver({ dayStarts }, now);

/** Whether further days of a slot can still count. Only then does its tester see the test key. (rule T12) */
export const canEarn = (status: string, cycleStatus: string): boolean =>
  isActive({ status }) && (cycleStatus === "recruiting" || cycleStatus === "running");

/** Returns the counted days of a slot. They are stored as numbers with a comma before and after each. */
export const countedDaysOf = (counted: string): ReadonlySet<number> =>
  new Set(counted.split(",").flatMap((day) => (day === "" ? [] : [Number(day)])));
