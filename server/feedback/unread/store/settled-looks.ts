import type { Transaction } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { type ReadTimes, settledUntil, settling } from "../settled-looks.ts";
import { activeAt, type MemberOf, readUntil } from "./unread.ts";

/**
 * Moves `read_until` of a member forward if many looks are newer, because every page of the console counts them. Threads up
 * to it that are unread get a look that says so, so nothing changes for the member. If too many are unread, nothing is moved.
 */
export async function settleLooks(tx: Transaction, member: MemberOf): Promise<void> {
  const values = [member.appId, member.userId];
  const read = await tx.get<ReadTimes>(newestRead, ...values, ...values, ...values, settling.most);
  if (!read) return;
  const until = settledUntil(read);
  const unread = await tx.all<{ id: string }>(plannedEachTime(unreadWithoutLook), ...values, until);
  const marks = await tx.get<{ count: number }>(marked, ...values);
  if (unread.length + Number(marks?.count ?? 0) > settling.mostUnread) return;
  await keepUnread(
    tx,
    member,
    unread.map(({ id }) => id),
  );
  await tx.run(moved, until, ...values, until);
}

const later = `FROM app_members v JOIN thread_looks l ON l.app_id = v.app_id AND l.user_id = v.user_id
  WHERE v.app_id = ? AND v.user_id = ? AND l.seen_count >= 0 AND l.active_at > ${readUntil}`;
const newestFirst = "ORDER BY l.active_at DESC LIMIT 1 OFFSET";

/** Nothing if few looks are newer than `read_until`. */
const newestRead = `SELECT (SELECT l.active_at ${later} ${newestFirst} 0) AS newest,
    (SELECT l.active_at ${later} ${newestFirst} ${settling.kept - 1}) AS "lastKept"
  WHERE EXISTS (SELECT 1 AS one ${later} LIMIT 1 OFFSET ?)`;

// Those of blocked senders, too: they become unread with their release.
const unreadWithoutLook = `SELECT f.id FROM app_members v CROSS JOIN feedback f
  WHERE v.app_id = ? AND v.user_id = ? AND f.app_id = v.app_id AND ${activeAt} > ${readUntil} AND ${activeAt} <= ?
    AND (SELECT 1 FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id AND l.feedback_id = f.id) IS NULL
  ORDER BY ${activeAt} LIMIT ${settling.mostUnread + 1}`;

const marked = `SELECT count(*) AS count FROM (SELECT 1 AS one FROM thread_looks
  WHERE app_id = ? AND user_id = ? AND seen_count = -1 LIMIT ${settling.mostUnread + 1}) AS marked`;

const moved = `UPDATE app_members SET read_until = ?
  WHERE app_id = ? AND user_id = ? AND coalesce(read_until, created_at) < ?`;

/** What was read of a thread before stays known: it is what happened up to the old `read_until`, if the thread is older. */
async function keepUnread(
  tx: Transaction,
  { appId, userId }: MemberOf,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  // A thread that is deleted at the same moment gets no look.
  const locking = tx.engine === "postgres" ? "FOR KEY SHARE OF f" : "";
  await tx.run(
    plannedEachTime(`INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at)
       SELECT v.app_id, v.user_id, f.id, CASE f.status WHEN 'blocked' THEN -2 ELSE -1 END, ${activeAt},
         CASE WHEN f.created_at <= ${readUntil} THEN ${readUntil} END
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE v.app_id = ? AND v.user_id = ? AND f.id IN (${ids.map(() => "?").join(", ")}) ${locking}
       ON CONFLICT (app_id, user_id, feedback_id) DO NOTHING`),
    ...[appId, userId, ...ids],
  );
}
