import { type TestDays, todayOf } from "../cycles/days.ts";
import type { TestedSlot } from "../sessions/rules.ts";
import { countedDaysOf } from "../slots/rules.ts";
import type { TesterSlotRow } from "./store.ts";

/** A slot of a tester together with the days of its test. */
export interface TesterSlot {
  readonly row: TesterSlotRow;
  readonly days: TestDays;
  /** 0 before the first day; the last day after the end. */
  readonly today: number;
  readonly counted: ReadonlySet<number>;
}

export function testerSlotOf(row: TesterSlotRow, now: Date): TesterSlot {
  const { startsOn, timezone, durationDays } = row;
  const dayStarts: string[] = JSON.parse(row.dayStarts);
  const days = { startsOn, timezone, durationDays, dayStarts };
  return { row, days, today: todayOf(days, now), counted: countedDaysOf(row.counted) };
}

/** The input of a verdict on a proof. */
export const testedSlotOf = ({ row, days, counted }: TesterSlot): TestedSlot => ({
  status: row.status,
  activatedAt: row.activatedAt,
  countedDays: counted,
  cycle: { ...days, status: row.cycleStatus },
});
