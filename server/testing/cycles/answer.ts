import type { Cycle, OwnedSlot } from "../../../src/contract/cycles.ts";
import { dayStartsOfRow, graceEndOf, todayOf } from "../days/rules.ts";
import { countedDaysOf } from "../slots/rules.ts";
import type { OwnedSlotRow, StandingSlotRow } from "../slots/store.ts";
import { isBelow, type Standing, type StandingCycle, standingOf } from "../standing/rules.ts";
import type { CycleRow } from "./store.ts";

/** Returns a stored cycle in the form that its owner reads. */
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

/** Returns the state of a stored cycle with these slots. */
export const standingAnswer = (row: CycleRow, slots: readonly StandingSlotRow[]): Standing =>
  standingOf(
    standingCycle(row),
    slots.map((slot) => ({ ...slot, countedDays: countedDaysOf(slot.counted) })),
  );

/** Whether the owner of a stored cycle must be told that it has too few testers with an unbroken run. (rule T41) */
export const isBelowItsTesters = (row: CycleRow, { verdict }: Standing): boolean =>
  isBelow(standingCycle(row), verdict);

const standingCycle = (row: CycleRow): StandingCycle => ({
  ...row,
  dayStarts: dayStartsOfRow(row),
  // This is computed only when it is read, because time zones are slow. Each page of the console reads all running
  // tests, but only the last day of a test needs this value.
  get graceEnd() {
    return graceEndOf(row);
  },
});

/** Returns a stored slot in the form that its owner reads. It does not contain the test key. */
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
