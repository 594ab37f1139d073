import type { Transaction } from "../../database/database.ts";
import { slotTopic } from "../../database/signals.ts";

export interface CountedDay {
  readonly slotId: string;
  readonly cycleId: string;
  readonly dayIndex: number;
  readonly kind: "session" | "proof";
  /** The id of the test session or the proof. */
  readonly evidenceId: string;
  readonly at: string;
}

/** The counted days of slots. */
export const countedDays = {
  /**
   * Counts a day of a slot if the slot is active, its cycle is running and the day is not yet counted; otherwise gives
   * false. A day that was closed as missed is no longer missed. A slot at risk becomes active again, unless it has still
   * missed too many days.
   */
  async count(
    tx: Transaction,
    { slotId, cycleId, dayIndex, kind, evidenceId, at }: CountedDay,
  ): Promise<boolean> {
    await tx.lock(`cycle:${cycleId}`);
    const counted = await tx.run(
      `INSERT INTO counted_days (slot_id, day_index, kind, evidence_id, counted_at)
       SELECT s.id, CAST(? AS BIGINT), ?, ?, ? FROM slots s JOIN cycles c ON c.id = s.cycle_id
       WHERE s.id = ? AND s.status IN ('active', 'at_risk') AND c.status = 'running'
       ON CONFLICT (slot_id, day_index) DO NOTHING`,
      ...[dayIndex, kind, evidenceId, at, slotId],
    );
    if (counted === 0) return false;
    await tx.run(
      `UPDATE slots SET join_check_pending = 0, counted = counted || ? || ',',
         missed_days = missed_days - ${repaired},
         status = CASE WHEN missed_days - ${repaired} >= (SELECT max_missed_days FROM cycles WHERE id = ?)
           THEN 'at_risk' ELSE 'active' END
       WHERE id = ?`,
      ...[String(dayIndex), dayIndex, dayIndex, cycleId, dayIndex, dayIndex, cycleId, cycleId, slotId],
    );
    tx.signal(slotTopic(slotId));
    return true;
  },
};

/** 1 if the day was closed as missed, otherwise 0. */
const repaired = `CASE WHEN CAST(? AS BIGINT) > active_from_day
  AND CAST(? AS BIGINT) <= (SELECT closed_days FROM cycles WHERE id = ?) THEN 1 ELSE 0 END`;
