import type { ThreadChange } from "../../../../src/contract/threads.ts";
import type { Database, Reader, Transaction } from "../../../database/database.ts";
import * as tables from "../../../database/schema/feedback.ts";
import { plannedEachTime, threadTopic, update } from "../../../database/transaction.ts";
import type { Deps } from "../../../deps.ts";
import { activeAt, noteActivity, readUntil } from "../../unread/store/read-marks.ts";
import { isUnfinished } from "../rules.ts";

type Changeable = Pick<ThreadChange, "status" | "category" | "subject" | "githubIssueUrl">;

/** Returns the current values of the fields that `updateThread` can change. */
export const changeableOf = async (
  reader: Reader,
  id: string,
): Promise<Readonly<Record<string, unknown>>> => ({
  ...(await reader.get<Changeable>(
    `SELECT status, category, subject, github_issue_url AS "githubIssueUrl" FROM feedback WHERE id = ?`,
    id,
  )),
});

const setFields = update(tables.feedback, "WHERE id = ?");

/**
 * Sets fields, and records the activity by the member `by`. A status that finishes the thread ends its
 * snooze.
 */
export async function updateThread(
  tx: Transaction,
  id: string,
  { at, by, ...change }: ThreadChange & { readonly at: string; readonly by: string },
): Promise<void> {
  const { status, category, subject, githubIssueUrl } = change;
  const fields = { status, category, subject, githubIssueUrl };
  if (Object.values(fields).every((value) => value === undefined)) return;
  await noteActivity(tx, id, { at, by });
  const snoozedUntil = status === undefined || isUnfinished(status) ? undefined : null;
  await setFields(tx, { ...fields, snoozedUntil }, id);
  tx.signal(threadTopic(id));
}

/** The fields of a thread that decide whether it can be snoozed. */
interface SnoozeRow {
  readonly status: string;
  readonly snoozedUntil: string | null;
}

/** The snoozes of threads. (rule F42) */
export const snoozes = {
  of: (reader: Reader, feedbackId: string) =>
    reader.get<SnoozeRow>(
      `SELECT status, snoozed_until AS "snoozedUntil" FROM feedback WHERE id = ?`,
      feedbackId,
    ),

  async set(tx: Transaction, feedbackId: string, until: string | null): Promise<void> {
    await tx.run("UPDATE feedback SET snoozed_until = ? WHERE id = ?", until, feedbackId);
    tx.signal(threadTopic(feedbackId));
  },

  /** Stores that a snooze ended at `until`, and makes the thread unread for all members. */
  async end(tx: Transaction, feedbackId: string, until: string): Promise<void> {
    await snoozes.set(tx, feedbackId, until);
    await tx.run(`UPDATE feedback SET ${withoutSnooze} WHERE id = ?`, feedbackId);
    await markUnread(tx, [feedbackId]);
  },
};

/** The SQL assignments that end a snooze. The time of the last activity is never before the snooze's end. */
const withoutSnooze = `snoozed_until = NULL, activity_count = activity_count + 1,
    active_at = CASE WHEN ${ofRow(activeAt)} < snoozed_until THEN snoozed_until ELSE ${ofRow(activeAt)} END`;

function ofRow(expression: string): string {
  return expression.replaceAll("f.", "");
}

/**
 * Marks read threads as unread for members without a row in `thread_looks`. A trigger handles the other
 * members.
 */
async function markUnread(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx.run(
    plannedEachTime(`INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at)
       SELECT v.app_id, v.user_id, f.id, -1, ${activeAt}, CASE WHEN f.created_at <= ${readUntil} THEN ${readUntil} END
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE f.id IN (${ids.map(() => "?").join(", ")}) AND ${activeAt} <= ${readUntil}
       ON CONFLICT (app_id, user_id, feedback_id) DO NOTHING`),
    ...ids,
  );
}

/**
 * Ends the snoozes that are over. Call this before lists or unread marks are read, and before members change
 * threads. (rule F42)
 */
export async function endDueSnoozes({
  database,
  clock,
  time,
}: Pick<Deps, "clock" | "database" | "time">): Promise<void> {
  const now = clock.now().toISOString();
  if (time.isDoubtful() || !(await hasDue(database, now))) return;
  // Errors are ignored, so that people can still read the threads if the disk is full.
  await endAll(database, now).catch(() => undefined);
}

async function endAll(database: Database, now: string): Promise<void> {
  for (;;) {
    const ended = await database.write((tx) => endSome(tx, now));
    if (ended < mostAtOnce) return;
  }
}

const mostAtOnce = 200;

const isDue = "snoozed_until <= ? AND status <> 'blocked'";

// ORDER BY makes PostgreSQL use the index. Without ORDER BY, a generic plan would read all threads.
const hasDue = async (reader: Reader, now: string): Promise<boolean> =>
  (await reader.get<{ found: number }>(
    `SELECT 1 AS found FROM feedback WHERE ${isDue} ORDER BY snoozed_until, id LIMIT 1`,
    now,
  )) !== undefined;

const endDue = `UPDATE feedback SET ${withoutSnooze}
  WHERE id IN (SELECT id FROM feedback WHERE ${isDue} ORDER BY snoozed_until, id LIMIT ${mostAtOnce}) AND ${isDue}
  RETURNING id`;

/** Ends at most `mostAtOnce` snoozes, and returns their number. */
async function endSome(tx: Transaction, now: string): Promise<number> {
  await tx.lock("snoozes");
  const ids = (await tx.all<{ id: string }>(endDue, now, now)).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await markUnread(tx, ids);
  for (const id of ids) tx.signal(threadTopic(id));
  return ids.length;
}
