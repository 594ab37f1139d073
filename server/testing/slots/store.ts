import type { SlotStatus } from "../../../src/contract/cycles.ts";
import { emailOf } from "../../access/members/authors.ts";
import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";

/** A slot as its owner sees it. */
export interface OwnedSlotRow {
  readonly id: string;
  readonly cycleId: string;
  readonly seat: number;
  readonly status: SlotStatus;
  readonly testerId: string | null;
  readonly testerEmail: string | null;
  readonly requestExpiresAt: string | null;
  readonly activatedAt: string | null;
  readonly activeFromDay: number | null;
  readonly endedAt: string | null;
  readonly missedDays: number;
  /** The counted days between commas. */
  readonly counted: string;
  readonly joinCheckPending: number;
}

/** The values that a slot gets when its tester becomes active. */
export interface Activation {
  readonly at: string;
  readonly fromDay: number;
  readonly keyHash: string;
  readonly keySealed: string;
}

const columns = `s.id, s.cycle_id AS "cycleId", s.seat, s.status, s.tester_id AS "testerId",
  ${emailOf("coalesce(s.tester_id, s.imported_tester)")} AS "testerEmail", s.request_expires_at AS "requestExpiresAt", s.activated_at AS "activatedAt",
  s.active_from_day AS "activeFromDay", s.ended_at AS "endedAt", s.missed_days AS "missedDays", s.counted,
  s.join_check_pending AS "joinCheckPending"`;

const held = "status IN ('active', 'at_risk')";

/** Whether the statement changed its row. */
const changed = async (rows: Promise<number>): Promise<boolean> => (await rows) === 1;

/** A new test key of a slot: its hash, and the sealed key. */
export type NewTestKey = Pick<Activation, "keyHash" | "keySealed">;

const cycleOfSlot = oneForViewer<{ readonly cycleId: string }>({
  columns: `s.cycle_id AS "cycleId"`,
  from: "FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id",
  app: "l.app_id",
  where: "s.id = ?",
});

/**
 * Slots, as their owners see and change them. The statement of each change checks the state of the slot, so that only one of
 * several concurrent changes succeeds. A change gives false if the state of the slot does not allow it.
 */
export const slots = {
  /** The slots of a cycle in the order of their numbers. A removed slot comes before the one that replaced it. */
  list: (reader: Reader, cycleId: string) =>
    reader.all<OwnedSlotRow>(
      `SELECT ${columns} FROM slots s
       WHERE s.cycle_id = ? ORDER BY s.seat, s.created_at, s.id`,
      cycleId,
    ),

  find: (reader: Reader, id: string) =>
    reader.get<OwnedSlotRow>(`SELECT ${columns} FROM slots s WHERE s.id = ?`, id),

  /** The cycle of a slot, if the viewer may see it. */
  findCycle: (reader: Reader, id: string, viewer: Viewer) => cycleOfSlot(reader, viewer, id),

  /** Whether a tester has, or had, a slot in the cycle. */
  async isIn(reader: Reader, cycleId: string, testerId: string): Promise<boolean> {
    const sql = "SELECT 1 AS one FROM slots WHERE cycle_id = ? AND tester_id = ?";
    return (await reader.get(sql, cycleId, testerId)) !== undefined;
  },

  accept: (tx: Transaction, id: string, { at, fromDay, keyHash, keySealed }: Activation) =>
    changed(
      tx.run(
        `UPDATE slots SET status = 'active', request_expires_at = NULL, activated_at = ?, active_from_day = ?,
           join_check_pending = 1, key_hash = ?, key_sealed = ?
         WHERE id = ? AND status = 'requested' AND request_expires_at > ?`,
        ...[at, fromDay, keyHash, keySealed, id, at],
      ),
    ),

  assign: (
    tx: Transaction,
    id: string,
    { testerId, ...active }: Activation & { readonly testerId: string },
  ) =>
    changed(
      tx.run(
        `UPDATE slots SET status = 'active', tester_id = ?, activated_at = ?, active_from_day = ?,
           join_check_pending = 1, key_hash = ?, key_sealed = ?
         WHERE id = ? AND status = 'open'`,
        ...[testerId, active.at, active.fromDay, active.keyHash, active.keySealed, id],
      ),
    ),

  decline: (tx: Transaction, id: string, at: string) =>
    changed(
      tx.run(
        `UPDATE slots SET status = 'open', tester_id = NULL, request_expires_at = NULL
         WHERE id = ? AND status = 'requested' AND request_expires_at > ?`,
        id,
        at,
      ),
    ),

  remove: (tx: Transaction, id: string, at: string) =>
    changed(tx.run(`UPDATE slots SET status = 'removed', ended_at = ? WHERE id = ? AND ${held}`, at, id)),

  rotateKey: (tx: Transaction, id: string, { keyHash, keySealed }: NewTestKey) =>
    changed(
      tx.run(
        `UPDATE slots SET key_hash = ?, key_sealed = ? WHERE id = ? AND ${held}`,
        keyHash,
        keySealed,
        id,
      ),
    ),

  confirmJoin: (tx: Transaction, id: string) =>
    changed(tx.run(`UPDATE slots SET join_check_pending = 0 WHERE id = ? AND ${held}`, id)),
};
