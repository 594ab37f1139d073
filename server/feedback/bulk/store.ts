import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { insert, plannedEachTime } from "../../database/statements.ts";

/** A bulk change that can be undone. */
export interface BulkRow {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly role: string;
  readonly createdAt: string;
}

/** A thread of a bulk change: its states before and after, as JSON. */
export interface BulkThreadRow {
  readonly feedbackId: string;
  readonly before: string;
  readonly after: string;
}

/** A thread as a bulk change reads it. */
export interface StateRow {
  readonly id: string;
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  readonly activity: number;
}

const insertChange = insert(tables.bulkChanges, "ON CONFLICT DO NOTHING");

/** Bulk changes, and the threads that they changed. (rule F45) */
export const bulkChanges = {
  /** Returns these threads of an app, without those that are deleted or hidden. */
  states: (reader: Reader, appId: string, ids: readonly string[]): Promise<StateRow[]> =>
    reader.all<StateRow>(
      plannedEachTime(`SELECT f.id, f.status, f.assignee_id AS "assigneeId", f.snoozed_until AS "snoozedUntil",
         f.activity_count AS activity
       FROM feedback f WHERE f.app_id = ? AND f.status <> 'blocked' AND f.id IN (${ids.map(() => "?").join(", ")})`),
      appId,
      ...ids,
    ),

  begin: (tx: Transaction, row: BulkRow) => insertChange(tx, { ...row }),

  find: (reader: Reader, id: string): Promise<BulkRow | undefined> =>
    reader.get<BulkRow>(
      `SELECT id, app_id AS "appId", user_id AS "userId", role, created_at AS "createdAt" FROM bulk_changes WHERE id = ?`,
      id,
    ),

  note: (tx: Transaction, changeId: string, { feedbackId, before, after }: BulkThreadRow) =>
    tx.insert(tables.bulkThreads, { changeId, feedbackId, before, after }),

  /** Takes some threads out of a bulk change, so that each is undone at most once. */
  take: (tx: Transaction, changeId: string, most: number): Promise<BulkThreadRow[]> =>
    tx.all<BulkThreadRow>(
      `DELETE FROM bulk_threads WHERE change_id = ? AND feedback_id IN (
         SELECT feedback_id FROM bulk_threads WHERE change_id = ? ORDER BY feedback_id LIMIT ?)
       RETURNING feedback_id AS "feedbackId", before, after`,
      ...[changeId, changeId, most],
    ),

  /** Removes the changes that nobody can undo any more. */
  prune: (tx: Transaction, before: string) => tx.run("DELETE FROM bulk_changes WHERE created_at < ?", before),
};
