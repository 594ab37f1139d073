import type { Reader, Transaction } from "../../database/database.ts";
import { corrections } from "../../database/schema/statistics.ts";
import type { Reopened, ThreadState } from "./rules.ts";

type StateRow = Omit<ThreadState, "tagIds">;

/** Returns the present values of a thread that members can change. Undefined if there is no such thread. */
export async function threadState(reader: Reader, id: string): Promise<ThreadState | undefined> {
  const row = await reader.get<StateRow>(
    `SELECT status, assignee_id AS "assigneeId", snoozed_until AS "snoozedUntil", activity_count AS activity
     FROM feedback WHERE id = ?`,
    id,
  );
  const tags = await reader.all<{ id: string }>(
    "SELECT tag_id AS id FROM thread_tags WHERE feedback_id = ?",
    id,
  );
  return row && { ...row, activity: Number(row.activity), tagIds: tags.map((tag) => tag.id).sort() };
}

/** Returns the time at which a thread was resolved. Null if it was not resolved. */
export async function resolutionOf(reader: Reader, id: string): Promise<string | null> {
  const row = await reader.get<{ at: string | null }>(
    "SELECT resolved_at AS at FROM thread_times WHERE feedback_id = ?",
    id,
  );
  return row?.at ?? null;
}

/** Stores the earlier state of the other thread, which the merge of the thread `id` has changed. */
export const noteReopened = (tx: Transaction, id: string, reopened: Reopened) =>
  tx.run("UPDATE thread_merges SET reopened = ? WHERE feedback_id = ?", JSON.stringify(reopened), id);

/** Restores the earlier resolution of a thread, also in the statistics. (rule F60) */
export async function restoreResolution(
  tx: Transaction,
  id: string,
  resolvedAt: string | null,
): Promise<void> {
  await tx.run(corrections.resolution(tx.engine, "-1"), id);
  await tx.run("UPDATE thread_times SET resolved_at = ? WHERE feedback_id = ?", resolvedAt, id);
  await tx.run(corrections.resolution(tx.engine, "1"), id);
}
