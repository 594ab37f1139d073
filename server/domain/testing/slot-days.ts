import type { SlotDay } from "../../../src/contract/console/cycles.ts";

/** The life of a seat, as far as its days are concerned. */
export interface SlotLife {
  /** The day on which it became active; null where it never did. */
  readonly activeFromDay: number | null;
  /** When it was removed or completed; null before. */
  readonly endedAt: string | null;
}

/** How far a cycle has come. */
export interface CycleLife {
  readonly status: string;
  readonly dayStarts: readonly string[];
  readonly closedDays: number;
}

/** How a day of a seat stands. The day on which it became active is never missed. (rule T10) */
export function dayStateOf(
  dayIndex: number,
  isCounted: boolean,
  seat: SlotLife,
  { status, dayStarts, closedDays }: CycleLife,
): SlotDay["state"] {
  if (isCounted) return "counted";
  if (seat.activeFromDay === null || dayIndex < seat.activeFromDay) return "none";
  if (endedBefore(dayStarts[dayIndex], seat.endedAt)) return "none";
  if (dayIndex <= closedDays) return dayIndex > seat.activeFromDay ? "missed" : "none";
  return status === "running" && dayIndex === closedDays + 1 ? "open" : "ahead";
}

/** Whether a seat ended before a day did, or with it: a seat that is removed at the end of a day does not miss that day. */
const endedBefore = (dayEnd: string | undefined, endedAt: string | null): boolean =>
  endedAt !== null && dayEnd !== undefined && endedAt <= dayEnd;
