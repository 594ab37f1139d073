import type { Reader, Transaction } from "../../database/database.ts";
import { cycleTopic } from "../../database/signals.ts";

export interface DueCycle {
  readonly id: string;
  readonly status: string;
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  readonly maxMissedDays: number;
  /** A JSON array. */
  readonly dayStarts: string;
  readonly closedDays: number;
  readonly nextAt: string | null;
}

/** A slot whose day is being closed. */
export interface ClosingSlot {
  readonly id: string;
  readonly seat: number;
  readonly missedDays: number;
  readonly activeFromDay: number;
  readonly counted: string;
}

/** Selects cycles: one by its id, those of a listing, that of a slot, or those in which a tester has a slot. */
export type CycleScope = "cycle" | "listing" | "slot" | "tester";

export interface CycleScopeAt {
  readonly scope: CycleScope;
  readonly id: string;
  readonly now: string;
}

const scopeConditions: Readonly<Record<CycleScope, string>> = {
  cycle: "c.id = ?",
  listing: "c.listing_id = ?",
  slot: "c.id = (SELECT cycle_id FROM slots WHERE id = ?)",
  tester: "c.id IN (SELECT cycle_id FROM slots WHERE tester_id = ?)",
};

export interface Progress {
  readonly status: "running" | "completed";
  readonly closedDays: number;
  readonly nextAt: string | null;
}

/** The changes that the passing of time causes. */
export const dueChanges = {
  /** When the next change is due; null if there is none. */
  async next(reader: Reader): Promise<string | null> {
    const row = await reader.get<{ at: string | null }>(
      `SELECT min(at) AS at FROM (
         SELECT min(next_at) AS at FROM cycles WHERE next_at IS NOT NULL
         UNION ALL SELECT min(request_expires_at) FROM slots WHERE status = 'requested') AS due`,
    );
    return row?.at ?? null;
  },

  /** The selected cycles in which a change is due. */
  dueIn: (reader: Reader, { scope, id, now }: CycleScopeAt) =>
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
              day_starts AS "dayStarts", closed_days AS "closedDays", next_at AS "nextAt"
       FROM cycles WHERE id = ?`,
      id,
    ),

  async progress(tx: Transaction, id: string, { status, closedDays, nextAt }: Progress): Promise<void> {
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

  /** Opens the slots again whose requests have expired. */
  expireRequests: (tx: Transaction, now: string) =>
    tx.run(`${reopen} WHERE status = 'requested' AND request_expires_at <= ?`, now),

  expireRequestsOf: (tx: Transaction, cycleId: string, now: string) =>
    tx.run(`${reopen} WHERE cycle_id = ? AND status = 'requested' AND request_expires_at <= ?`, cycleId, now),

  dropRequests: (tx: Transaction, cycleId: string) =>
    tx.run(`${reopen} WHERE cycle_id = ? AND status = 'requested'`, cycleId),

  /** Adds an open slot to a cycle: at its beginning, or to replace a removed one. */
  openSlot: (tx: Transaction, slot: { id: string; cycleId: string; seat: number; createdAt: string }) =>
    tx.insert("slots", {
      id: slot.id,
      cycle_id: slot.cycleId,
      seat: slot.seat,
      status: "open",
      created_at: slot.createdAt,
    }),
};

const reopen = "UPDATE slots SET status = 'open', tester_id = NULL, request_expires_at = NULL";

const placesFor = (ids: readonly string[]): string => ids.map(() => "?").join(", ");
