import type { Value } from "../../engine/database.ts";

/** When something last happened on a thread `f`. The indexes by activity hold the same expression. */
export const activeAt = "coalesce(f.active_at, f.created_at)";

/** Up to when a member `v` has read everything in the app. */
export const readUntil = "coalesce(v.read_until, v.created_at)";

/** Whether a thread `f` is unread for a member `v`, whose look at it, if there is one, is `l`. (rule F50) */
export const isUnread = `CASE WHEN l.feedback_id IS NULL THEN ${activeAt} > ${readUntil}
  ELSE l.seen_count < f.activity_count END`;

/** Joins the looks of a member `v` to threads `f`. */
export const withLook = `LEFT JOIN thread_looks l
  ON l.app_id = v.app_id AND l.user_id = v.user_id AND l.feedback_id = f.id`;

/** A member of an app. */
export interface MemberOf {
  readonly appId: string;
  readonly userId: string;
}

/** A part of a statement with its values. */
export interface Part {
  readonly sql: string;
  readonly values: readonly Value[];
}

const untilOf = `(SELECT ${readUntil} FROM app_members v WHERE v.app_id = ? AND v.user_id = ?)`;

/** The condition that a thread `f` has activity that this member has not read: found from the newest on, by activity. */
export const unreadSince = ({ appId, userId }: MemberOf): Part => ({
  sql: `${activeAt} > ${untilOf} AND NOT EXISTS (SELECT 1 FROM thread_looks l
    WHERE l.app_id = ? AND l.user_id = ? AND l.feedback_id = f.id AND l.seen_count >= f.activity_count)`,
  values: [appId, userId, appId, userId],
});

/** The condition that a thread `f` counts as unread, although this member had read everything of its time: `l` says so. */
export const markedUnread = ({ appId, userId }: MemberOf): Part => ({
  sql: `l.app_id = ? AND l.user_id = ? AND f.id = l.feedback_id AND l.seen_count < f.activity_count
    AND ${activeAt} <= ${untilOf}`,
  values: [appId, userId, appId, userId],
});
