import type { SlotStatus } from "../../../src/contract/cycles.ts";
import type { VerificationTier } from "../../../src/contract/tester.ts";
import { emailOf } from "../../access/members/authors.ts";
import { membershipOf, oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Added } from "../../database/schema/table.ts";
import * as tables from "../../database/schema/testing.ts";
import { cycleTopic, slotTopic } from "../../database/transaction.ts";
import { recordEvent } from "../../webhooks/events/record.ts";

/** A row of `cycles` with data of its listing. */
export interface CycleRow {
  readonly id: string;
  readonly listingId: string;
  readonly appId: string;
  readonly appName: string;
  readonly packageName: string;
  readonly status: "recruiting" | "running" | "completed" | "cancelled";
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  readonly maxMissedDays: number;
  /** A JSON array of times: the starts of the days, and the end of the last day. */
  readonly dayStarts: string;
  readonly closedDays: number;
  readonly createdAt: string;
  readonly verificationTier: VerificationTier;
}

const cycleColumns = `c.id, c.listing_id AS "listingId", l.app_id AS "appId", l.app_name AS "appName",
  l.package_name AS "packageName", c.status, c.starts_on AS "startsOn", c.timezone,
  c.duration_days AS "durationDays", c.max_missed_days AS "maxMissedDays", c.day_starts AS "dayStarts",
  c.closed_days AS "closedDays", c.created_at AS "createdAt", l.verification_tier AS "verificationTier"`;

const cycleOf = oneForViewer<CycleRow>({
  columns: cycleColumns,
  from: "FROM cycles c JOIN listings l ON l.id = c.listing_id",
  app: "l.app_id",
  where: "c.id = ?",
});

/** The queries with which the members of an app read and change test cycles. */
export const cycles = {
  /** Returns the cycles of a listing, newest first. */
  list: (reader: Reader, listingId: string) =>
    reader.all<CycleRow>(
      `SELECT ${cycleColumns} FROM cycles c JOIN listings l ON l.id = c.listing_id
       WHERE c.listing_id = ? ORDER BY c.created_at DESC, c.id DESC`,
      listingId,
    ),

  /** Returns the newest running cycles of all apps. Only the development server needs this. */
  running: (reader: Reader, most: number) =>
    reader.all<CycleRow>(
      `SELECT ${cycleColumns} FROM cycles c JOIN listings l ON l.id = c.listing_id
       WHERE c.status = 'running' ORDER BY c.created_at DESC, c.id DESC LIMIT ?`,
      most,
    ),

  /** Returns the running cycles of the apps in which this person is a maintainer or an owner, oldest first. */
  runningOf: (reader: Reader, userId: string, most: number) =>
    reader.all<CycleRow>(
      `SELECT ${cycleColumns} FROM cycles c JOIN listings l ON l.id = c.listing_id
         JOIN app_members v ON v.app_id = l.app_id
       WHERE c.status = 'running' AND ${membershipOf("maintainer")} ORDER BY c.created_at, c.id LIMIT ?`,
      userId,
      most,
    ),

  find: (reader: Reader, id: string, viewer: Viewer) => cycleOf(reader, viewer, id),

  insert: (tx: Transaction, cycle: Added<typeof tables.cycles>) => tx.insert(tables.cycles, cycle),

  /**
   * Cancels a cycle and its slots. Returns the removed slots, sorted by number; undefined if the cycle is over.
   */
  async cancel(tx: Transaction, id: string, at: string): Promise<readonly RemovedSlot[] | undefined> {
    await tx.lock(`cycle:${id}`);
    const cancelled = await tx.run(
      `UPDATE cycles SET status = 'cancelled', next_at = NULL
       WHERE id = ? AND status IN ('recruiting', 'running')`,
      id,
    );
    if (cancelled === 0) return undefined;
    await tx.run(
      `UPDATE slots SET status = 'open', tester_id = NULL, request_expires_at = NULL
       WHERE cycle_id = ? AND status = 'requested'`,
      id,
    );
    const removed = await tx.all<RemovedSlot>(
      `UPDATE slots SET status = 'removed', ended_at = ?
       WHERE cycle_id = ? AND status IN ('active', 'at_risk') RETURNING id, seat`,
      at,
      id,
    );
    return removed.toSorted((one, other) => one.seat - other.seat);
  },
};

/** A slot that lost its tester. */
interface RemovedSlot {
  readonly id: string;
  readonly seat: number;
}

/** A test session that a page shows as evidence. `screens` is a JSON array. */
export interface EvidenceSessionRow {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screens: string;
  readonly appVersion: string | null;
  readonly receivedAt: string;
}

interface CountedRow {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly kind: "session" | "proof";
  readonly countedAt: string;
}

/** One row for each image of a proof. */
export interface ProofImageRow {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly proofId: string;
  readonly capturedAt: string;
  readonly queuedAt: string | null;
  readonly receivedAt: string;
  readonly note: string | null;
  readonly upload: string | null;
}

const sessionColumns = `t.slot_id AS "slotId", t.day_index AS "dayIndex", t.started_at AS "startedAt",
  t.ended_at AS "endedAt", t.screens, t.app_version AS "appVersion", t.received_at AS "receivedAt"`;

/** The test sessions of a cycle that belong to one of its days. */
const sessionsOfDays = `FROM test_sessions t JOIN slots s ON s.id = t.slot_id
  WHERE s.cycle_id = ? AND t.day_index IS NOT NULL`;

/** SQL for the milliseconds from midnight (UTC) to an instant. SQLite and PostgreSQL share no function for this. */
const ofDay = (at: string): string => {
  const part = (from: number, length: number) => `CAST(substr(${at}, ${from}, ${length}) AS BIGINT)`;
  return `(((${part(12, 2)} * 60 + ${part(15, 2)}) * 60 + ${part(18, 2)}) * 1000 + ${part(21, 3)})`;
};

/** Returns SQL for the milliseconds between two instants that are at most one calendar day apart. */
const between = (from: string, to: string): string =>
  `(${ofDay(to)} - ${ofDay(from)} + 86400000 * CASE WHEN substr(${to}, 1, 10) > substr(${from}, 1, 10) THEN 1
     WHEN substr(${to}, 1, 10) < substr(${from}, 1, 10) THEN -1 ELSE 0 END)`;

/**
 * SQL for a session's length in milliseconds. If `ended_at` is over two minutes after `received_at`, the
 * session ends at `received_at`.
 */
const lengthOf = `CASE WHEN t.received_at >= t.ended_at
    OR ${between("t.started_at", "t.ended_at")} <= ${between("t.started_at", "t.received_at")} + 120000
  THEN ${between("t.started_at", "t.ended_at")}
  WHEN t.received_at <= t.started_at THEN 0
  ELSE ${between("t.started_at", "t.received_at")} END`;

/** The evidence for the days of a cycle. Each function sends one query for any number of slots. */
export const dayEvidence = {
  counted: (reader: Reader, cycleId: string) =>
    reader.all<CountedRow>(
      `SELECT d.slot_id AS "slotId", d.day_index AS "dayIndex", d.kind, d.counted_at AS "countedAt"
       FROM counted_days d JOIN slots s ON s.id = d.slot_id WHERE s.cycle_id = ?`,
      cycleId,
    ),

  /** Returns the test sessions that made a day count. */
  countingSessions: (reader: Reader, cycleId: string) =>
    reader.all<EvidenceSessionRow>(
      `SELECT ${sessionColumns} FROM counted_days d JOIN slots s ON s.id = d.slot_id
         JOIN test_sessions t ON t.id = d.evidence_id
       WHERE s.cycle_id = ? AND d.kind = 'session'`,
      cycleId,
    ),

  /** Returns the longest test session of each slot and day. Leaves out days that count because of a session. */
  longestSessions: (reader: Reader, cycleId: string) =>
    reader.all<EvidenceSessionRow>(
      `SELECT ${sessionColumns} FROM test_sessions t JOIN (
         SELECT t.id, row_number() OVER (PARTITION BY t.slot_id, t.day_index ORDER BY ${lengthOf} DESC, t.id) AS place
         ${sessionsOfDays} AND NOT EXISTS (
           SELECT 1 FROM counted_days d
           WHERE d.slot_id = t.slot_id AND d.day_index = t.day_index AND d.kind = 'session')
       ) AS ranked ON ranked.id = t.id WHERE ranked.place = 1`,
      cycleId,
    ),

  /** Returns for each day the number of reported test sessions, and the reason why the last session did not count. */
  sessionsPerDay: (reader: Reader, cycleId: string) =>
    reader.all<{ slotId: string; dayIndex: number; sessions: number; reason: string | null }>(
      `SELECT n.slot_id AS "slotId", n.day_index AS "dayIndex", n.sessions, t.reason FROM (
         SELECT t.slot_id, t.day_index, count(*) AS sessions, max(t.id) AS last_id
         ${sessionsOfDays} GROUP BY t.slot_id, t.day_index
       ) AS n JOIN test_sessions t ON t.id = n.last_id`,
      cycleId,
    ),

  /** Returns the proofs of a cycle, oldest first. */
  proofs: (reader: Reader, cycleId: string) =>
    reader.all<ProofImageRow>(
      `SELECT p.slot_id AS "slotId", p.day_index AS "dayIndex", p.id AS "proofId", p.captured_at AS "capturedAt",
              p.queued_at AS "queuedAt", p.created_at AS "receivedAt", p.note, u.name AS upload
       FROM proofs p JOIN slots s ON s.id = p.slot_id LEFT JOIN uploads u ON u.proof_id = p.id
       WHERE s.cycle_id = ? ORDER BY p.created_at, p.id, u.created_at, u.name`,
      cycleId,
    ),

  /**
   * Returns for each slot the number of sessions, and the total milliseconds of the sessions that the server
   * could confirm.
   */
  sessionsPerSlot: (reader: Reader, cycleId: string) =>
    reader.all<{ slotId: string; sessions: number; milliseconds: number }>(
      `SELECT t.slot_id AS "slotId", count(*) AS sessions, sum(CASE
           WHEN t.reason IS NULL OR t.reason IN ('already_submitted', 'session_below_bar') THEN ${lengthOf}
           ELSE 0 END) AS milliseconds
       FROM test_sessions t JOIN slots s ON s.id = t.slot_id WHERE s.cycle_id = ? GROUP BY t.slot_id`,
      cycleId,
    ),
};

export interface DueCycle {
  readonly id: string;
  readonly status: string;
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  readonly maxMissedDays: number;
  /** A JSON array of times: the starts of the days, and the end of the last day. */
  readonly dayStarts: string;
  readonly closedDays: number;
  readonly nextAt: string | null;
  readonly appId: string;
}

/** An active slot of a cycle in which a day is being closed. */
export interface ClosingSlot {
  readonly id: string;
  readonly seat: number;
  readonly missedDays: number;
  readonly activeFromDay: number;
  readonly counted: string;
}

/** The type of the object whose id selects cycles. A tester's id selects the cycles of that tester's slots. */
export type CycleScope = "cycle" | "listing" | "slot" | "tester";

const scopeConditions: Readonly<Record<CycleScope, string>> = {
  cycle: "c.id = ?",
  listing: "c.listing_id = ?",
  slot: "c.id = (SELECT cycle_id FROM slots WHERE id = ?)",
  tester: "c.id IN (SELECT cycle_id FROM slots WHERE tester_id = ?)",
};

/** The statements for the changes that the passing of time causes. */
export const dueChanges = {
  /** Returns the earliest time at which a cycle or a requested slot must change; null if there is none. */
  async next(reader: Reader): Promise<string | null> {
    const row = await reader.get<{ at: string | null }>(
      `SELECT min(at) AS at FROM (
         SELECT min(next_at) AS at FROM cycles WHERE next_at IS NOT NULL
         UNION ALL SELECT min(request_expires_at) FROM slots WHERE status = 'requested') AS due`,
    );
    return row?.at ?? null;
  },

  /** Returns the cycles that `scope` and `id` select and in which a change is due. */
  dueIn: (
    reader: Reader,
    { scope, id, now }: { readonly scope: CycleScope; readonly id: string; readonly now: string },
  ) =>
    reader.all<{ id: string }>(
      `SELECT c.id FROM cycles c WHERE ${scopeConditions[scope]} AND (c.next_at <= ? OR EXISTS (
         SELECT 1 FROM slots s
         WHERE s.cycle_id = c.id AND s.status = 'requested' AND s.request_expires_at <= ?))`,
      ...[id, now, now],
    ),

  cycleIds: (reader: Reader, now: string, most: number) =>
    reader.all<{ id: string }>(
      "SELECT id FROM cycles WHERE next_at <= ? ORDER BY next_at, id LIMIT ?",
      now,
      most,
    ),

  findCycle: (tx: Transaction, id: string) =>
    tx.get<DueCycle>(
      `SELECT id, status, starts_on AS "startsOn", timezone, duration_days AS "durationDays", max_missed_days AS "maxMissedDays",
              day_starts AS "dayStarts", closed_days AS "closedDays", next_at AS "nextAt",
              (SELECT app_id FROM listings l WHERE l.id = cycles.listing_id) AS "appId"
       FROM cycles WHERE id = ?`,
      id,
    ),

  async progress(
    tx: Transaction,
    id: string,
    {
      status,
      closedDays,
      nextAt,
    }: {
      readonly status: "running" | "completed";
      readonly closedDays: number;
      readonly nextAt: string | null;
    },
  ): Promise<void> {
    const sql = "UPDATE cycles SET status = ?, closed_days = ?, next_at = ? WHERE id = ?";
    await tx.run(sql, status, closedDays, nextAt, id);
    tx.signal(cycleTopic(id));
  },

  activeSlots: (tx: Transaction, cycleId: string) =>
    tx.all<ClosingSlot>(
      `SELECT id, seat, missed_days AS "missedDays", active_from_day AS "activeFromDay", counted
       FROM slots WHERE cycle_id = ? AND status IN ('active', 'at_risk') ORDER BY seat, id`,
      cycleId,
    ),

  /** Adds one missed day to these slots. */
  miss: (tx: Transaction, ids: readonly string[]) =>
    tx.run(
      `UPDATE slots SET status = 'at_risk', missed_days = missed_days + 1 WHERE id IN (${placesFor(ids)})`,
      ...ids,
    ),

  removeSlots: (tx: Transaction, ids: readonly string[], endedAt: string) =>
    tx.run(
      `UPDATE slots SET status = 'removed', ended_at = ? WHERE id IN (${placesFor(ids)})`,
      endedAt,
      ...ids,
    ),

  completeSlots: (tx: Transaction, cycleId: string, endedAt: string) =>
    tx.run(
      `UPDATE slots SET status = 'completed', ended_at = ?
       WHERE cycle_id = ? AND status IN ('active', 'at_risk')`,
      endedAt,
      cycleId,
    ),

  /** Makes every slot whose request has expired open again. */
  expireRequests: (tx: Transaction, now: string) =>
    tx.run(`${reopen} WHERE status = 'requested' AND request_expires_at <= ?`, now),

  expireRequestsOf: (tx: Transaction, cycleId: string, now: string) =>
    tx.run(`${reopen} WHERE cycle_id = ? AND status = 'requested' AND request_expires_at <= ?`, cycleId, now),

  dropRequests: (tx: Transaction, cycleId: string) =>
    tx.run(`${reopen} WHERE cycle_id = ? AND status = 'requested'`, cycleId),

  /** Adds an open slot, either to a new cycle or as the replacement of a removed slot. */
  openSlot: (tx: Transaction, slot: { id: string; cycleId: string; seat: number; createdAt: string }) =>
    tx.insert(tables.slots, { ...slot, status: "open" }),
};

const reopen = "UPDATE slots SET status = 'open', tester_id = NULL, request_expires_at = NULL";

const placesFor = (ids: readonly string[]): string => ids.map(() => "?").join(", ");

/** Stores the event that a day of a slot was counted. `eventId` is the id of the event. */
export const storeCountedEvent = (
  tx: Transaction,
  eventId: string,
  { appId, slotId, cycleId, dayIndex, kind, at }: CountedDay & { readonly appId: string },
): Promise<void> =>
  recordEvent({ newId: () => eventId }, tx, {
    ...{ appId, type: "day.counted", subjectId: slotId, at },
    facts: { cycleId, dayIndex, kind },
  });

/** The data of a slot that the members of the app see. */
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
  /** The numbers of the counted days. Each number has a comma before and after it: `,1,2,`. */
  readonly counted: string;
  readonly joinCheckPending: number;
}

/** The facts about a slot from which the state of the whole test is computed. */
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

const slotColumns = `s.id, s.cycle_id AS "cycleId", s.seat, s.status, s.tester_id AS "testerId",
  ${emailOf("coalesce(s.tester_id, s.imported_tester)")} AS "testerEmail", s.request_expires_at AS "requestExpiresAt", s.activated_at AS "activatedAt",
  s.active_from_day AS "activeFromDay", s.ended_at AS "endedAt", s.missed_days AS "missedDays", s.counted,
  s.join_check_pending AS "joinCheckPending"`;

const standingColumns = `s.id, s.cycle_id AS "cycleId", s.seat, s.status, s.active_from_day AS "activeFromDay",
  s.missed_days AS "missedDays", s.counted`;

const held = "status IN ('active', 'at_risk')";

/** Whether a statement changed exactly one row. */
const changed = async (rows: Promise<number>): Promise<boolean> => (await rows) === 1;

/** A new test key of a slot: the hash of the key, and the encrypted key. */
type NewTestKey = Pick<Activation, "keyHash" | "keySealed">;

const cycleOfSlot = oneForViewer<{ readonly cycleId: string }>({
  columns: `s.cycle_id AS "cycleId"`,
  from: "FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id",
  app: "l.app_id",
  where: "s.id = ?",
});

/**
 * The queries for slots. Each change also checks the state of the slot; a refused change returns false.
 * (rule T13)
 */
export const slots = {
  /** Returns the slots of a cycle, sorted by number. A removed slot comes before its replacement. */
  list: (reader: Reader, cycleId: string) =>
    reader.all<OwnedSlotRow>(
      `SELECT ${slotColumns} FROM slots s
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
    reader.get<OwnedSlotRow>(`SELECT ${slotColumns} FROM slots s WHERE s.id = ?`, id),

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

/** The requests for slots that a person can answer. Leaves out requests that have expired at `now` (ISO 8601 UTC). */
export const slotRequests = {
  /** Returns the number of requests for each app that has at least one request. */
  async countByApp(reader: Reader, userId: string, now: string): Promise<ReadonlyMap<string, number>> {
    const rows = await reader.all<{ appId: string; count: number }>(
      `SELECT l.app_id AS "appId", count(*) AS count ${from} GROUP BY l.app_id`,
      now,
      userId,
    );
    return new Map(rows.map(({ appId, count }) => [appId, count]));
  },

  /** Returns up to `most` requests of one app, or of all apps. The first to expire comes first. */
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
   * Counts a day of an active slot in a running cycle. Returns false if the day cannot count.
   * (rules D8, T1, T20)
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
    // If `dayIndex` was closed as missed before, the statement subtracts 1 from `missed_days`.
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
