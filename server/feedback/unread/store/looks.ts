import type { Reader, Transaction } from "../../../database/database.ts";
import { makeRoom } from "./read-marks.ts";
import { activeAt, keepingThreads, type MemberOf, readUntil } from "./unread.ts";

/** What a member has seen of a thread. */
export interface LookRow extends MemberOf {
  readonly feedbackId: string;
  /** How much has happened on the thread, by now. */
  readonly count: number;
  /** How much of it the member has seen; null for a thread at which the member never looked. */
  readonly seenCount: number | null;
  readonly lookedAt: string | null;
  /** The look before this visit. */
  readonly sinceAt: string | null;
  /** Up to when everything was read, if the thread is older than that and no look says that it is unread. */
  readonly coveredUntil: string | null;
}

/** The greater one of the stored value and the new one: what was seen before stays seen. */
const greater = (column: string): string =>
  `CASE WHEN thread_looks.${column} > excluded.${column} THEN thread_looks.${column} ELSE excluded.${column} END`;

/** The last look of a person at a thread. */
export const looks = {
  /** Undefined if the person is no member of the thread's app. */
  find: (reader: Reader, feedbackId: string, userId: string) =>
    reader.get<LookRow>(
      `SELECT v.app_id AS "appId", v.user_id AS "userId", f.id AS "feedbackId", f.activity_count AS count,
         l.seen_count AS "seenCount", l.looked_at AS "lookedAt", l.since_at AS "sinceAt",
         CASE WHEN f.created_at <= ${readUntil} AND coalesce(l.seen_count, 0) >= 0 THEN ${readUntil} END AS "coveredUntil"
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ?
         LEFT JOIN thread_looks l ON l.app_id = v.app_id AND l.user_id = v.user_id AND l.feedback_id = f.id
       WHERE f.id = ?`,
      userId,
      feedbackId,
    ),

  /** Notes a look that saw `count`. If something has happened meanwhile, the thread is unread. */
  async note(
    tx: Transaction,
    look: Omit<LookRow, "seenCount" | "lookedAt" | "coveredUntil"> & { readonly at: string },
  ): Promise<void> {
    await tx.run(
      `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at, since_at)
       SELECT v.app_id, v.user_id, f.id,
         CASE WHEN f.activity_count > ? THEN -1 ELSE f.activity_count END, ${activeAt}, ?, ?
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ? WHERE f.id = ? ${keepingThreads(tx)}
       ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET
         seen_count = ${greater("seen_count")}, active_at = ${greater("active_at")},
         looked_at = excluded.looked_at, since_at = excluded.since_at`,
      ...[look.count, look.at, look.sinceAt, look.userId, look.feedbackId],
    );
    await makeRoom(tx, look);
  },

  /** Marks one thread as read or as unread. */
  async mark(
    tx: Transaction,
    { appId, userId, feedbackId }: Pick<LookRow, "appId" | "userId" | "feedbackId">,
    read: boolean,
  ): Promise<void> {
    await tx.run(
      `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at)
       SELECT v.app_id, v.user_id, f.id, ${read ? "f.activity_count" : "-1"}, ${activeAt}
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ? WHERE f.id = ? ${keepingThreads(tx)}
       ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET seen_count = excluded.seen_count,
         active_at = excluded.active_at`,
      ...[userId, feedbackId],
    );
    await makeRoom(tx, { appId, userId });
  },
};

/** When a person was last in the inbox of an app, and before this visit. */
export interface VisitRow {
  readonly visitedAt: string | null;
  readonly sinceAt: string | null;
}

/** The visits of a person to the inbox of an app. */
export const visits = {
  find: (reader: Reader, { appId, userId }: MemberOf) =>
    reader.get<VisitRow>(
      `SELECT visited_at AS "visitedAt", since_at AS "sinceAt" FROM app_members WHERE app_id = ? AND user_id = ?`,
      appId,
      userId,
    ),

  note: (tx: Transaction, { appId, userId }: MemberOf, { visitedAt, sinceAt }: VisitRow) =>
    tx.run(
      "UPDATE app_members SET visited_at = ?, since_at = ? WHERE app_id = ? AND user_id = ?",
      ...[visitedAt, sinceAt, appId, userId],
    ),
};
