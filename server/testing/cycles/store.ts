import { oneForViewer, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";

/** The stored form of a cycle, with the app that it tests. */
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
  /** A JSON array of instants. */
  readonly dayStarts: string;
  readonly closedDays: number;
  readonly createdAt: string;
}

export interface NewCycleRow extends Omit<CycleRow, "appId" | "appName" | "packageName"> {
  readonly nextAt: string | null;
}

const columns = `c.id, c.listing_id AS "listingId", l.app_id AS "appId", l.app_name AS "appName",
  l.package_name AS "packageName", c.status, c.starts_on AS "startsOn", c.timezone,
  c.duration_days AS "durationDays", c.max_missed_days AS "maxMissedDays", c.day_starts AS "dayStarts",
  c.closed_days AS "closedDays", c.created_at AS "createdAt"`;

const cycleOf = oneForViewer<CycleRow>({
  columns,
  from: "FROM cycles c JOIN listings l ON l.id = c.listing_id",
  app: "l.app_id",
  where: "c.id = ?",
});

/** Test cycles, as the members of an app see them. */
export const cycles = {
  /** The cycles of a listing, newest first. */
  list: (reader: Reader, listingId: string) =>
    reader.all<CycleRow>(
      `SELECT ${columns} FROM cycles c JOIN listings l ON l.id = c.listing_id
       WHERE c.listing_id = ? ORDER BY c.created_at DESC, c.id DESC`,
      listingId,
    ),

  /** The newest running cycles of all apps, for the development server. */
  running: (reader: Reader, most: number) =>
    reader.all<CycleRow>(
      `SELECT ${columns} FROM cycles c JOIN listings l ON l.id = c.listing_id
       WHERE c.status = 'running' ORDER BY c.created_at DESC, c.id DESC LIMIT ?`,
      most,
    ),

  find: (reader: Reader, id: string, viewer: Viewer) => cycleOf(reader, viewer, id),

  insert: (tx: Transaction, cycle: NewCycleRow) =>
    tx.insert("cycles", {
      id: cycle.id,
      listing_id: cycle.listingId,
      status: cycle.status,
      starts_on: cycle.startsOn,
      timezone: cycle.timezone,
      duration_days: cycle.durationDays,
      max_missed_days: cycle.maxMissedDays,
      day_starts: cycle.dayStarts,
      closed_days: cycle.closedDays,
      next_at: cycle.nextAt,
      created_at: cycle.createdAt,
    }),

  /** Cancels a cycle and its slots; false if the cycle is already over. */
  async cancel(tx: Transaction, id: string, at: string): Promise<boolean> {
    await tx.lock(`cycle:${id}`);
    const cancelled = await tx.run(
      `UPDATE cycles SET status = 'cancelled', next_at = NULL
       WHERE id = ? AND status IN ('recruiting', 'running')`,
      id,
    );
    if (cancelled === 0) return false;
    await tx.run(
      `UPDATE slots SET status = 'open', tester_id = NULL, request_expires_at = NULL
       WHERE cycle_id = ? AND status = 'requested'`,
      id,
    );
    await tx.run(
      `UPDATE slots SET status = 'removed', ended_at = ?
       WHERE cycle_id = ? AND status IN ('active', 'at_risk')`,
      at,
      id,
    );
    return true;
  },
};
