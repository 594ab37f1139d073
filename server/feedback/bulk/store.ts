import type { Skipped } from "../../../src/contract/bulk.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import type { Row } from "../../database/schema/table.ts";
import { insert, listed, plannedEachTime, update } from "../../database/transaction.ts";
import { activeAt } from "../unread/store/read-marks.ts";

export interface BulkRow {
  readonly id: string;
  readonly appId: string;
  readonly userId: string;
  readonly role: string;
  readonly createdAt: string;
}

/** The result of a bulk change, or of its undo. The result is updated after each part. */
export interface Tally {
  readonly changed: number;
  /** Threads that were not changed, at most 100. `skippedCount` counts all threads that were not changed. */
  readonly skipped: readonly Skipped[];
  readonly skippedCount: number;
}

interface StoredBulk extends BulkRow {
  readonly endedAt: string | null;
  readonly content: string | null;
  readonly tally: Tally;
  readonly undoRequest: string | null;
  readonly undoTally: Tally;
}

export const nothingDone: Tally = { changed: 0, skipped: [], skippedCount: 0 };

/**
 * A request with an idempotency key. Repeats have the same `name`. `content` is the fingerprint of the body.
 */
interface BulkRequest {
  readonly name: string;
  readonly content: string;
}

/** A thread that a bulk change has changed. `before` and `after` are its states as JSON. */
export interface BulkThreadRow {
  readonly feedbackId: string;
  readonly before: string;
  readonly after: string;
}

export interface StateRow {
  readonly id: string;
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  readonly activity: number;
  readonly resolvedAt: string | null;
  readonly activeAt: string;
}

const addChange = insert(tables.bulkChanges, "ON CONFLICT DO NOTHING");
const setChange = update(tables.bulkChanges, "WHERE id = ?");

const fields = [
  ...[
    "id",
    "appId",
    "userId",
    "role",
    "createdAt",
    "endedAt",
    "content",
    "tally",
    "undoRequest",
    "undoTally",
  ],
] as const;
const columns = listed(tables.bulkChanges, fields);

type Found = Pick<Row<typeof tables.bulkChanges>, (typeof fields)[number]>;

const storedOf = (row: Found | undefined): StoredBulk | undefined =>
  row && { ...row, tally: tallyIn(row.tally), undoTally: tallyIn(row.undoTally) };

const tallyIn = (stored: string | null): Tally => (stored === null ? nothingDone : JSON.parse(stored));

/** Queries for bulk changes, for the parts that are left to do, and for the threads that were changed. (rule F45) */
export const bulkChanges = {
  /** Returns the states of these threads of an app. Deleted and hidden threads are left out. */
  states: (reader: Reader, appId: string, ids: readonly string[]): Promise<StateRow[]> =>
    reader.all<StateRow>(
      plannedEachTime(`SELECT f.id, f.status, f.assignee_id AS "assigneeId", f.snoozed_until AS "snoozedUntil",
         f.activity_count AS activity, (SELECT t.resolved_at FROM thread_times t WHERE t.feedback_id = f.id) AS "resolvedAt",
         ${activeAt} AS "activeAt"
       FROM feedback f WHERE f.app_id = ? AND f.status <> 'blocked' AND f.id IN (${ids.map(() => "?").join(", ")})`),
      appId,
      ...ids,
    ),

  /** Stores a bulk change and returns its id. For a repeated request, returns the id of the first change. */
  async begin(
    tx: Transaction,
    row: BulkRow,
    {
      repeat,
      parts,
    }: { readonly repeat: BulkRequest | undefined; readonly parts: readonly (readonly string[])[] },
  ): Promise<string> {
    await addChange(tx, { ...row, request: repeat?.name ?? null, content: repeat?.content ?? null });
    const known = repeat && (await bulkChanges.ofRequest(tx, repeat.name));
    if (known && known.id !== row.id) return known.id;
    for (const [part, ids] of parts.entries())
      await tx.insert(tables.bulkParts, { changeId: row.id, part, threads: JSON.stringify(ids) });
    return row.id;
  },

  /** Returns the bulk change that a request with this `BulkRequest.name` has begun. */
  ofRequest: async (reader: Reader, name: string): Promise<StoredBulk | undefined> =>
    storedOf(await reader.get<Found>(`SELECT ${columns} FROM bulk_changes WHERE request = ?`, name)),

  find: async (reader: Reader, id: string): Promise<StoredBulk | undefined> =>
    storedOf(await reader.get<Found>(`SELECT ${columns} FROM bulk_changes WHERE id = ?`, id)),

  /** Locks a bulk change until the transaction ends. Otherwise two requests could work on the same part. */
  lock: (tx: Transaction, id: string) => tx.lock(`bulk change ${id}`),

  /** Whether more than one part is left. */
  hasSeveralParts: async (reader: Reader, changeId: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM bulk_parts WHERE change_id = ? LIMIT 1 OFFSET 1", changeId)) !==
    undefined,

  /** Removes the next part. Returns the ids of its threads; undefined if no part is left. */
  async takePart(tx: Transaction, changeId: string): Promise<string[] | undefined> {
    const [row] = await tx.all<{ threads: string }>(
      `DELETE FROM bulk_parts WHERE change_id = ? AND part = (
         SELECT min(part) FROM bulk_parts WHERE change_id = ?) RETURNING threads`,
      ...[changeId, changeId],
    );
    return row && JSON.parse(row.threads);
  },

  keepTally: (tx: Transaction, id: string, tally: Tally) =>
    setChange(tx, { tally: JSON.stringify(tally) }, id),

  end: (tx: Transaction, id: string, at: string) => setChange(tx, { endedAt: at }, id),

  keepUndoTally: (tx: Transaction, id: string, undoRequest: string, tally: Tally) =>
    setChange(tx, { undoRequest, undoTally: JSON.stringify(tally) }, id),

  note: (tx: Transaction, changeId: string, { feedbackId, before, after }: BulkThreadRow) =>
    tx.insert(tables.bulkThreads, { changeId, feedbackId, before, after }),

  /** Deletes and returns at most `most` rows of changed threads, because each thread is undone only once. */
  take: (tx: Transaction, changeId: string, most: number): Promise<BulkThreadRow[]> =>
    tx.all<BulkThreadRow>(
      `DELETE FROM bulk_threads WHERE change_id = ? AND feedback_id IN (
         SELECT feedback_id FROM bulk_threads WHERE change_id = ? ORDER BY feedback_id LIMIT ?)
       RETURNING feedback_id AS "feedbackId", before, after`,
      ...[changeId, changeId, most],
    ),

  /**
   * Counts the changed threads whose proposal awaits approval, up to `most`. Does not count threads whose
   * change was undone.
   */
  async countAwaiting(reader: Reader, id: string, userId: string, most: number): Promise<number> {
    const row = await reader.get<{ count: number }>(
      plannedEachTime(`SELECT count(*) AS count FROM (SELECT 1 AS one
         FROM bulk_changes c CROSS JOIN bulk_threads b CROSS JOIN feedback f
         WHERE c.id = ? AND c.user_id = ? AND b.change_id = c.id AND f.id = b.feedback_id
           AND f.waiting = 'approval' LIMIT ?) AS counted`),
      ...[id, userId, most],
    );
    return Number(row?.count ?? 0);
  },

  /** Deletes bulk changes that ended before `ended` and have no undo, and all that began before `begun`. */
  prune: (tx: Transaction, ended: string, begun: string) =>
    tx.run(
      "DELETE FROM bulk_changes WHERE created_at < ? AND ((ended_at < ? AND undo_request IS NULL) OR created_at < ?)",
      ...[ended, ended, begun],
    ),
};
