import type { Cycle, OwnedSlot } from "../../../src/contract/cycles.ts";
import { dayStartsOfRow, graceEndOf, todayOf } from "../days/rules.ts";
import { countedDaysOf } from "../days/slots-rules.ts";
import type { OwnedSlotRow, StandingSlotRow } from "./slots-store.ts";
import { isBelow, type Standing, type StandingCycle, standingOf } from "./standing-rules.ts";
import type { CycleRow } from "./store.ts";

/** Converts a stored cycle to the object that the API returns to the owner. */
export function cycleAnswer(row: CycleRow, now: Date): Cycle {
  const dayStarts = dayStartsOfRow(row);
  return {
    id: row.id,
    listingId: row.listingId,
    appId: row.appId,
    status: row.status,
    startsOn: row.startsOn,
    timezone: row.timezone,
    durationDays: row.durationDays,
    maxMissedDays: row.maxMissedDays,
    startsAt: dayStarts[0] ?? "",
    endsAt: dayStarts.at(-1) ?? "",
    dayIndex: todayOf({ ...row, dayStarts }, now),
    createdAt: row.createdAt,
  };
}

/**
 * Returns the state of a stored cycle that has these slots: the verdict, today's counts, and what each tester needs.
 */
export const standingAnswer = (row: CycleRow, slots: readonly StandingSlotRow[]): Standing =>
  standingOf(
    standingCycle(row),
    slots.map((slot) => ({ ...slot, countedDays: countedDaysOf(slot.counted) })),
  );

/** Whether the owner must be told that a stored cycle has too few testers with an unbroken run. (rule T41) */
export const isBelowItsTesters = (row: CycleRow, { verdict }: Standing): boolean =>
  isBelow(standingCycle(row), verdict);

const standingCycle = (row: CycleRow): StandingCycle => ({
  ...row,
  dayStarts: dayStartsOfRow(row),
  // A getter computes this value only when it is read, because calculations with time zones are slow. Each page of the
  // console reads all running tests, but only tests whose last day is over need this value.
  get graceEnd() {
    return graceEndOf(row);
  },
});

/** Converts a stored slot to the object that the API returns to the owner. The object does not contain the test key. */
export const slotAnswer = (row: OwnedSlotRow): OwnedSlot => ({
  slotId: row.id,
  cycleId: row.cycleId,
  seat: row.seat,
  status: row.status,
  tester: row.testerId === null ? null : { id: row.testerId, email: row.testerEmail ?? "" },
  missedDays: row.missedDays,
  daysCounted: countedDaysOf(row.counted).size,
  joinCheckPending: row.joinCheckPending === 1,
  requestExpiresAt: row.requestExpiresAt,
  activatedAt: row.activatedAt,
  endedAt: row.endedAt,
});
