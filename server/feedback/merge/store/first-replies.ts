import type { Transaction } from "../../../database/database.ts";
import { corrections } from "../../../database/schema/statistics.ts";

/** Returns the time of the first reply in a thread. Null if the thread has no reply. */
export async function firstReplyOf(tx: Transaction, threadId: string): Promise<string | null> {
  const row = await tx.get<{ at: string | null }>(
    "SELECT first_reply_at AS at FROM thread_times WHERE feedback_id = ?",
    threadId,
  );
  return row?.at ?? null;
}

/**
 * Stores the time of the first reply in a thread after its merge was undone. This is the time from before the merge. If
 * there was no reply, it is the time of the first reply that was written in the thread or to its senders since then.
 * Replies from other threads that had been merged into this thread do not count. (rule F60)
 */
export const restoreFirstReply = (tx: Transaction, threadId: string, before: string | null): Promise<void> =>
  corrected(tx, threadId, () =>
    tx.run(
      `INSERT INTO thread_times (feedback_id, first_reply_at)
       SELECT f.id, coalesce(CAST(? AS TEXT), (SELECT min(m.created_at) FROM messages m
         WHERE m.feedback_id = f.id AND m.direction = 'outbound' AND m.origin_id IS NULL))
       FROM feedback f WHERE f.id = ?
       ON CONFLICT (feedback_id) DO UPDATE SET first_reply_at = excluded.first_reply_at`,
      ...[before, threadId],
    ),
  );

/**
 * Corrects the times of first replies after the thread `id` was taken out of the thread `from`: for `from`, and for the
 * hidden threads that are still merged into it. If a first reply was moved away with the thread `id`, the next reply
 * that was written in the same thread counts. (rule F60)
 */
export const correctFirstReplies = (tx: Transaction, from: string, id: string): Promise<void> =>
  corrected(tx, from, () => {
    const isFirst = "m.direction = 'outbound' AND m.created_at = thread_times.first_reply_at";
    const writtenThere =
      "m.feedback_id = ? AND coalesce(m.origin_id, m.feedback_id) = thread_times.feedback_id";
    return tx.run(
      `UPDATE thread_times SET first_reply_at = (
         SELECT min(m.created_at) FROM messages m WHERE m.direction = 'outbound' AND ${writtenThere})
       WHERE feedback_id IN (SELECT f.id FROM feedback f WHERE f.id = ? OR f.merged_into = ?)
         AND EXISTS (SELECT 1 FROM messages m WHERE m.feedback_id = ? AND ${isFirst})
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE ${writtenThere} AND ${isFirst})`,
      ...[from, from, from, id, from],
    );
  });

/** Changes the first reply of a thread, and corrects the counts of the statistics. */
async function corrected(tx: Transaction, threadId: string, change: () => Promise<unknown>): Promise<void> {
  await tx.run(corrections.firstReply(tx.engine, "-1"), threadId);
  await change();
  await tx.run(corrections.firstReply(tx.engine, "1"), threadId);
}
