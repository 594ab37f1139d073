import type { SlotDay } from "../../../src/contract/cycles.ts";

/** The facts about a slot that decide the state of its days. */
export interface SlotLife {
  /** The day on which the slot became active, or null. */
  readonly activeFromDay: number | null;
  /** When the slot was removed or completed; null before that. */
  readonly endedAt: string | null;
}

/** The progress of a cycle. */
export interface CycleLife {
  readonly status: string;
  readonly dayStarts: readonly string[];
  readonly closedDays: number;
}

/** The state of a day of a slot. The day on which the slot became active is never missed. (rule T10) */
export function dayStateOf(
  { dayIndex, isCounted }: { readonly dayIndex: number; readonly isCounted: boolean },
  slot: SlotLife,
  { status, dayStarts, closedDays }: CycleLife,
): SlotDay["state"] {
  if (isCounted) return "counted";
  if (slot.activeFromDay === null || dayIndex < slot.activeFromDay) return "none";
  if (endedBefore(dayStarts[dayIndex], slot.endedAt)) return "none";
  if (dayIndex <= closedDays) return dayIndex > slot.activeFromDay ? "missed" : "none";
  return status === "running" && dayIndex === closedDays + 1 ? "open" : "ahead";
}

/**
 * Whether a slot ended before the end of a day, or exactly then: a slot that is removed at the end of a day does not
 * miss that day.
 */
const endedBefore = (dayEnd: string | undefined, endedAt: string | null): boolean =>
  endedAt !== null && dayEnd !== undefined && endedAt <= dayEnd;
