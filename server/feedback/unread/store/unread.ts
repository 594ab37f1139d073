import type { Transaction, Value } from "../../../database/database.ts";

/** When something last happened on a thread `f`. The indexes by activity hold the same expression. */
export const activeAt = "coalesce(f.active_at, f.created_at)";

/** Up to when a member `v` has read everything in the app. */
export const readUntil = "coalesce(v.read_until, v.created_at)";

/**
 * Whether something has happened on a thread `f` since the look of a member at it; null without a look. As a value of its own it
 * is found by the key of the table: PostgreSQL may join all looks of the member with all threads.
 */
const sinceLook = (appId: string, userId: string): string => `(SELECT l.seen_count < 0
  FROM thread_looks l WHERE l.app_id = ${appId} AND l.user_id = ${userId} AND l.feedback_id = f.id)`;

/** Whether a thread `f` is unread for a member `v`. (rule F50) */
export const isUnread = `coalesce(${sinceLook("v.app_id", "v.user_id")}, ${activeAt} > ${readUntil})`;

/**
 * Makes all changes of the threads `f` wait until the looks are stored, because the looks have counted only earlier changes.
 * (On SQLite there is one writer.)
 */
export const keepingThreads = ({ engine }: Pick<Transaction, "engine">): string =>
  engine === "postgres" ? "FOR SHARE OF f" : "";

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
  sql: `${activeAt} > ${untilOf} AND coalesce(${sinceLook("?", "?")}, true)`,
  values: [appId, userId, appId, userId],
});

/** The condition that a thread `f` counts as unread, although this member had read everything of its time: `l` says so. */
export const markedUnread = ({ appId, userId }: MemberOf): Part => ({
  sql: `l.app_id = ? AND l.user_id = ? AND l.seen_count = -1 AND f.id = l.feedback_id AND ${activeAt} <= ${untilOf}`,
  values: [appId, userId, appId, userId],
});
