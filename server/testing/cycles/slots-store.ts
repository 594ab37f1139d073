import type { SlotStatus } from "../../../src/contract/cycles.ts";
import { emailOf } from "../../access/members/authors.ts";
import { membershipOf, oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { slotTopic } from "../../database/signals.ts";

/** The data of a slot that its owner sees. */
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
  /** The numbers of the counted days, with a comma before and after each. */
  readonly counted: string;
  readonly joinCheckPending: number;
}

/** The facts about a slot from which the state of its test is computed. */
export type StandingSlotRow = Pick<
  OwnedSlotRow,
  "id" | "cycleId" | "seat" | "status" | "activeFromDay" | "missedDays" | "counted"
>;

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

const standingColumns = `s.id, s.cycle_id AS "cycleId", s.seat, s.status, s.active_from_day AS "activeFromDay",
  s.missed_days AS "missedDays", s.counted`;

const held = "status IN ('active', 'at_risk')";

/** Whether a statement changed exactly one row. */
const changed = async (rows: Promise<number>): Promise<boolean> => (await rows) === 1;

/** A new test key of a slot: the hash of the key, and the sealed key. */
type NewTestKey = Pick<Activation, "keyHash" | "keySealed">;

const cycleOfSlot = oneForViewer<{ readonly cycleId: string }>({
  columns: `s.cycle_id AS "cycleId"`,
  from: "FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id",
  app: "l.app_id",
  where: "s.id = ?",
});

/**
 * Slots, as their owners see and change them. The statement of each change checks the state of the slot, so that only
 * one of several concurrent changes succeeds. A change returns false if the state of the slot does not allow the
 * change. (rule T13)
 */
export const slots = {
  /**
   * Returns the slots of a cycle in the order of their numbers. A removed slot comes before the slot that replaced it.
   */
  list: (reader: Reader, cycleId: string) =>
    reader.all<OwnedSlotRow>(
      `SELECT ${columns} FROM slots s
       WHERE s.cycle_id = ? ORDER BY s.seat, s.created_at, s.id`,
      cycleId,
    ),

  /** Returns the slots of all cycles of a listing, in the order of their numbers. */
  ofListing: (reader: Reader, listingId: string) =>
    reader.all<StandingSlotRow>(
      `SELECT ${standingColumns} FROM slots s JOIN cycles c ON c.id = s.cycle_id WHERE c.listing_id = ?
       ORDER BY s.seat, s.created_at, s.id`,
      listingId,
    ),

  /** Returns the slots of these cycles, in the order of their numbers. */
  ofCycles: (reader: Reader, cycleIds: readonly string[]) =>
    reader.all<StandingSlotRow>(
      `SELECT ${standingColumns} FROM slots s WHERE s.cycle_id IN (${cycleIds.map(() => "?").join(", ")})
       ORDER BY s.seat, s.created_at, s.id`,
      ...cycleIds,
    ),

  find: (reader: Reader, id: string) =>
    reader.get<OwnedSlotRow>(`SELECT ${columns} FROM slots s WHERE s.id = ?`, id),

  /** Returns the cycle of a slot if the viewer may see it; otherwise undefined. */
  findCycle: (reader: Reader, id: string, viewer: Viewer) => cycleOfSlot(reader, viewer, id),

  /** Whether a tester has, or had, a slot in the cycle. (rule T6) */
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

/** A tester's request for a slot. */
export interface SlotRequestRow {
  readonly slotId: string;
  readonly seat: number;
  readonly email: string;
  readonly requestExpiresAt: string;
  readonly cycleId: string;
  readonly listingId: string;
  /** The name of the app in its listing. */
  readonly listingName: string;
  readonly appId: string;
}

const from = `FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
    JOIN app_members v ON v.app_id = l.app_id JOIN users u ON u.id = s.tester_id
  WHERE s.status = 'requested' AND s.request_expires_at > ? AND ${membershipOf("maintainer")}`;

/**
 * The requests for slots that a person can accept or decline. They do not include requests that have expired at `now`
 * (ISO 8601 UTC).
 */
export const slotRequests = {
  /** Returns the number of requests for each app that has at least one. */
  async countByApp(reader: Reader, userId: string, now: string): Promise<ReadonlyMap<string, number>> {
    const rows = await reader.all<{ appId: string; count: number }>(
      `SELECT l.app_id AS "appId", count(*) AS count ${from} GROUP BY l.app_id`,
      now,
      userId,
    );
    return new Map(rows.map(({ appId, count }) => [appId, count]));
  },

  /**
   * Returns up to `most` requests of one app, or of all apps of the person. The request that expires first is the first
   * in the list.
   */
  list: (
    reader: Reader,
    userId: string,
    {
      now,
      most,
      appId,
    }: { readonly now: string; readonly most: number; readonly appId?: string | undefined },
  ) =>
    reader.all<SlotRequestRow>(
      `SELECT s.id AS "slotId", s.seat, u.email, s.request_expires_at AS "requestExpiresAt", c.id AS "cycleId",
              l.id AS "listingId", l.app_name AS "listingName", l.app_id AS "appId"
       ${from} AND v.app_id = coalesce(?, v.app_id) ORDER BY s.request_expires_at, s.id LIMIT ?`,
      ...[now, userId, appId ?? null, most],
    ),
};

export interface CountedDay {
  readonly slotId: string;
  readonly cycleId: string;
  readonly dayIndex: number;
  readonly kind: "session" | "proof";
  /** The id of the test session or proof that makes the day count. */
  readonly evidenceId: string;
  readonly at: string;
}

export const countedDays = {
  /**
   * Counts a day of a slot if the slot is active, its cycle is running and the day is not yet counted; otherwise
   * returns false. If the day was already closed as missed, the number of missed days is lowered by one. A slot at risk
   * becomes active again, unless it has still missed too many days. Each counted day has its evidence: a test session
   * or a proof. (rules D8, T1, T20)
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

/** SQL that returns 1 if the day that now counts was closed as missed before, otherwise 0. */
const repaired = `CASE WHEN CAST(? AS BIGINT) > active_from_day
  AND CAST(? AS BIGINT) <= (SELECT closed_days FROM cycles WHERE id = ?) THEN 1 ELSE 0 END`;
