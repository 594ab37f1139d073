import { FeedbackType } from "../../../../src/contract/feedback.ts";
import { threadStatuses } from "../../../../src/contract/find-work.ts";
import type { ThreadFilters } from "../../../../src/contract/threads.ts";
import type { Reader, Transaction, Value } from "../../../database/database.ts";
import { type Condition, directionOf, given, sqlOf, valuesOf } from "../../../database/lists.ts";
import { plannedEachTime, threadTopic } from "../../../database/transaction.ts";
import { proposalState } from "../../threads/store/threads.ts";
import { type ReadTimes, settledUntil, settling } from "../rules.ts";

/** A view stores what a member has seen of a thread. Views are in the table `thread_looks`. */
interface ViewRow extends MemberOf {
  readonly feedbackId: string;
  /** The current number of events on the thread. */
  readonly count: number;
  /** The number of events that the member has seen; null without a view. Negative means unread. */
  readonly seenCount: number | null;
  readonly lookedAt: string | null;
  /** The time of the last view before the member's newest visit. A visit has several views. */
  readonly sinceAt: string | null;
  /** The member's `read_until`. Null if the thread was created later or is marked as unread. */
  readonly coveredUntil: string | null;
}

/** Returns SQL for the greater of the stored and the new value, so that seen events stay seen. */
const greater = (column: string): string =>
  `CASE WHEN thread_looks.${column} > excluded.${column} THEN thread_looks.${column} ELSE excluded.${column} END`;

/** Queries for the views of threads. */
export const threadViews = {
  /** Returns what a person has seen of a thread; undefined for a person who is not a member. */
  find: (reader: Reader, feedbackId: string, userId: string) =>
    reader.get<ViewRow>(
      `SELECT v.app_id AS "appId", v.user_id AS "userId", f.id AS "feedbackId", f.activity_count AS count,
         l.seen_count AS "seenCount", l.looked_at AS "lookedAt", l.since_at AS "sinceAt",
         CASE WHEN f.created_at <= ${readUntil} AND coalesce(l.seen_count, 0) >= 0 THEN ${readUntil} END AS "coveredUntil"
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ?
         LEFT JOIN thread_looks l ON l.app_id = v.app_id AND l.user_id = v.user_id AND l.feedback_id = f.id
       WHERE f.id = ?`,
      userId,
      feedbackId,
    ),

  /** Stores that a person has seen `count` events. A thread with more events stays unread. */
  async note(
    tx: Transaction,
    view: Omit<ViewRow, "seenCount" | "lookedAt" | "coveredUntil"> & { readonly at: string },
  ): Promise<void> {
    await tx.run(
      `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at, since_at)
       SELECT v.app_id, v.user_id, f.id,
         CASE WHEN f.activity_count > ? THEN -1 ELSE f.activity_count END, ${activeAt}, ?, ?
       FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ? WHERE f.id = ? ${keepingThreads(tx)}
       ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET
         seen_count = ${greater("seen_count")}, active_at = ${greater("active_at")},
         looked_at = excluded.looked_at, since_at = excluded.since_at`,
      ...[view.count, view.at, view.sinceAt, view.userId, view.feedbackId],
    );
    await limitViews(tx, view);
  },

  /** Marks one thread as read or as unread. */
  async mark(
    tx: Transaction,
    { appId, userId, feedbackId }: Pick<ViewRow, "appId" | "userId" | "feedbackId">,
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
    await limitViews(tx, { appId, userId });
  },
};

/** The stored view of an inbox. */
interface InboxViewRow {
  /** The time of the last view; null if there is none. */
  readonly visitedAt: string | null;
  /** The time of the last view before the member's newest visit; null if there is none. */
  readonly sinceAt: string | null;
}

/** Queries for the views of inboxes. */
export const inboxViews = {
  find: (reader: Reader, { appId, userId }: MemberOf) =>
    reader.get<InboxViewRow>(
      `SELECT visited_at AS "visitedAt", since_at AS "sinceAt" FROM app_members WHERE app_id = ? AND user_id = ?`,
      appId,
      userId,
    ),

  note: (tx: Transaction, { appId, userId }: MemberOf, { visitedAt, sinceAt }: InboxViewRow) =>
    tx.run(
      "UPDATE app_members SET visited_at = ?, since_at = ? WHERE app_id = ? AND user_id = ?",
      ...[visitedAt, sinceAt, appId, userId],
    ),
};

interface Activity {
  readonly at: string;
  /** The member who caused the event; missing for a sender, an agent or the server. */
  readonly by?: string | null | undefined;
  /** Whether the event also changed the state of the newest proposal. */
  readonly ofProposal?: boolean;
  /** The kind of a message to or from a sender. An answer also ends the snooze. */
  readonly wrote?: "answer" | "repeat" | "reply" | undefined;
}

/** SQL for the last activity of a thread `f`. The indexes by activity use the same expression. */
export const activeAt = "coalesce(f.active_at, f.created_at)";

/** SQL for the later of a given time and the last activity of `f`. Both parameters are the given time. */
const laterActivity = `CASE WHEN ${activeAt} < ? THEN ? ELSE ${activeAt} END`;

/** The SQL expression for the end of a snooze; null if the snooze is over at a given time. */
const laterSnooze = "CASE WHEN snoozed_until > ? THEN snoozed_until END";

/**
 * Stores an event on a thread. An answer ends the snooze. A read thread stays read for `by`. (rules F50, F51)
 */
export async function noteActivity(
  tx: Transaction,
  feedbackId: string,
  { at, by, ofProposal = false, wrote }: Activity,
): Promise<void> {
  if (by) await keepRead(tx, feedbackId, by, at);
  await tx.run(
    `UPDATE feedback SET activity_count = activity_count + 1,
       active_at = ${laterActivity.replaceAll("f.", "")}, snoozed_until = ${wrote === "answer" ? "NULL" : laterSnooze}
       ${wrote === undefined ? "" : `, answered = ${wrote === "reply" ? 1 : 0}`}
       ${ofProposal ? `, ${proposalState}` : ""}
     WHERE id = ?`,
    ...[at, at, ...(wrote === "answer" ? [] : [at]), feedbackId],
  );
  tx.signal(threadTopic(feedbackId));
}

/** Returns the members who have no stored view of a thread and for whom the thread is unread. */
export async function unreadWithoutViewFor(reader: Reader, feedbackId: string): Promise<string[]> {
  const rows = await reader.all<{ userId: string }>(
    `SELECT v.user_id AS "userId" FROM feedback f JOIN app_members v ON v.app_id = f.app_id
     WHERE f.id = ? AND ${activeAt} > ${readUntil} AND ${changedSinceView("v.app_id", "v.user_id")} IS NULL`,
    feedbackId,
  );
  return rows.map(({ userId }) => userId);
}

/**
 * Returns the members for whom a thread is unread or was not seen since `unseenSince`. `among` limits the
 * members.
 */
export async function membersWithUnread(
  reader: Reader,
  feedbackId: string,
  {
    among,
    unseenSince,
  }: { readonly among?: readonly string[]; readonly unseenSince?: string | undefined } = {},
): Promise<string[]> {
  if (among?.length === 0) return [];
  // For a member with a view, `read_until` is not used, because views of other threads also move `read_until`.
  const unseen = `coalesce((SELECT coalesce(l.looked_at, '')
    FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id AND l.feedback_id = f.id), ${readUntil})`;
  const conditions: Condition[] = [
    ["f.id = ?", feedbackId],
    ...(among === undefined
      ? []
      : [[`v.user_id IN (${among.map(() => "?").join(", ")})`, ...among] as const]),
    unseenSince === undefined ? [isUnread] : [`(${isUnread} OR ${unseen} < ?)`, unseenSince],
  ];
  const rows = await reader.all<{ userId: string }>(
    plannedEachTime(`SELECT v.user_id AS "userId" FROM feedback f JOIN app_members v ON v.app_id = f.app_id
     WHERE ${sqlOf(conditions)}`),
    ...valuesOf(conditions),
  );
  return rows.map(({ userId }) => userId);
}

/**
 * Marks a thread as unread for these members. The caller must lock the `read_until` of these members first, see
 * `lockReadUntil`.
 */
export async function markUnreadFor(
  tx: Transaction,
  feedbackId: string,
  userIds: readonly string[],
): Promise<void> {
  if (userIds.length === 0) return;
  await tx.run(
    plannedEachTime(`INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at)
       SELECT v.app_id, v.user_id, f.id, -1, ${activeAt} FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE f.id = ? AND v.user_id IN (${userIds.map(() => "?").join(", ")})
       ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET seen_count = excluded.seen_count,
         active_at = excluded.active_at`),
    ...[feedbackId, ...userIds],
  );
}

/**
 * After an undo, moves the last activity and later views to `at`. Lock `read_until` of the members `unreadFor`
 * first. (rules F45, F51, F52)
 */
export async function restoreActivity(
  tx: Transaction,
  feedbackId: string,
  {
    at,
    changedAt,
    unreadFor,
  }: { readonly at: string; readonly changedAt: string; readonly unreadFor: readonly string[] },
): Promise<void> {
  await tx.run(
    `UPDATE feedback SET active_at = ? WHERE id = ? AND ${activeAt.replaceAll("f.", "")} > ?`,
    at,
    feedbackId,
    at,
  );
  // Moves later views back to `at`. With views after the last activity, the unread counts would be wrong.
  await tx.run(
    "UPDATE thread_looks SET active_at = ? WHERE feedback_id = ? AND active_at > ?",
    ...[at, feedbackId, at],
  );
  if (unreadFor.length === 0) return;
  // Without a view, the thread would count as read for members whose `read_until` has moved.
  await tx.run(
    plannedEachTime(`INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at)
       SELECT v.app_id, v.user_id, f.id, -1, ${activeAt} FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE f.id = ? AND v.user_id IN (${unreadFor.map(() => "?").join(", ")})
         AND ${activeAt} <= ${readUntil} AND ${readUntil} < ?
       ON CONFLICT (app_id, user_id, feedback_id) DO NOTHING`),
    ...[feedbackId, ...unreadFor, changedAt],
  );
}

/** If the member has read the thread, marks the member's own event as seen. */
async function keepRead(tx: Transaction, feedbackId: string, userId: string, at: string): Promise<void> {
  // All statements lock a thread before its views, because a change of a thread changes its views.
  const kept = await tx.get<{ appId: string }>(
    `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at)
     SELECT v.app_id, v.user_id, f.id, f.activity_count + 1, ${laterActivity}, ?
     FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ?
     WHERE f.id = ? AND NOT (${isUnread}) ${tx.engine === "postgres" ? "FOR NO KEY UPDATE OF f" : ""}
     ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET seen_count = excluded.seen_count,
       active_at = excluded.active_at
     RETURNING app_id AS "appId"`,
    ...[at, at, at, userId, feedbackId],
  );
  if (kept) await limitViews(tx, { appId: kept.appId, userId });
}

/** Marks a thread as read for each member for whom it is unread. */
export async function markReadForAll(tx: Transaction, feedbackId: string): Promise<void> {
  const marked = await tx.all<MemberOf>(
    `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at)
     SELECT v.app_id, v.user_id, f.id, f.activity_count, ${activeAt}
     FROM feedback f JOIN app_members v ON v.app_id = f.app_id WHERE f.id = ? AND ${isUnread} ${keepingThreads(tx)}
     ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET seen_count = excluded.seen_count,
       active_at = excluded.active_at
     RETURNING app_id AS "appId", user_id AS "userId"`,
    feedbackId,
  );
  for (const member of marked) await limitViews(tx, member);
}

/**
 * With over `most` views, the newest `kept` views and `keptUnread` unread threads stay. `markAllRead` stores at
 * most `marked` views. (rule F52)
 */
export const viewLimits = { most: 1_000, kept: 500, keptUnread: 200, marked: 500 } as const;

type MarkFilters = Pick<ThreadFilters, "status" | "type">;

/**
 * Marks the matching threads without activity after `until` as read. For many threads, moves `read_until` to
 * `until`. (rule F52)
 */
export async function markAllRead(
  tx: Transaction,
  member: MemberOf,
  { filters, until }: { readonly filters: MarkFilters; readonly until: string },
): Promise<void> {
  const others = othersThan(filters);
  if (others.length === 0) return advance(tx, member, { until, unread: [] });
  const matching = await unreadIds(tx, member, filters, until, viewLimits.marked + 1);
  if (matching.length <= viewLimits.marked) {
    await insertViews(tx, member, { ids: matching, seen: "f.activity_count", lookedAt: until });
    return limitViews(tx, member);
  }
  const unread: string[] = [];
  for (const filters of others)
    unread.push(...(await unreadIds(tx, member, filters, until, viewLimits.keptUnread)));
  await advance(tx, member, { until, unread: unread.slice(0, viewLimits.keptUnread) });
}

/** Deletes old views of a person if there are too many, and may move `read_until` forward. */
export async function limitViews(tx: Transaction, member: MemberOf): Promise<void> {
  await dropOldest(tx, member);
  await settleViews(tx, member);
}

async function dropOldest(tx: Transaction, member: MemberOf): Promise<void> {
  const { appId, userId } = member;
  const ofMember = "FROM thread_looks l WHERE l.app_id = ? AND l.user_id = ?";
  const over = `SELECT 1 AS one ${ofMember} LIMIT 1 OFFSET ?`;
  if (!(await tx.get(over, appId, userId, viewLimits.most))) return;
  const last = await tx.get<{ at: string }>(
    `SELECT l.active_at AS at ${ofMember} ORDER BY l.active_at DESC LIMIT 1 OFFSET ?`,
    ...[appId, userId, viewLimits.kept],
  );
  if (!last) return;
  await lockReadUntil(tx, member);
  const unread = await unreadIds(tx, member, {}, last.at, viewLimits.keptUnread);
  await advance(tx, member, { until: last.at, unread });
}

/** Returns filters that together match all threads that the given filters do not match. */
function othersThan({ status, type }: MarkFilters): MarkFilters[] {
  const otherStatuses = status === undefined ? [] : threadStatuses.filter((other) => other !== status);
  const otherTypes = type === undefined ? [] : FeedbackType.options.filter((other) => other !== type);
  return [
    ...otherStatuses.map((other) => ({ status: other })),
    ...otherTypes.map((other) => ({ type: other, ...(status === undefined ? {} : { status }) })),
  ];
}

/** Returns at most `most` unread threads without activity after `until`. The latest activity comes first. */
async function unreadIds(
  tx: Transaction,
  member: MemberOf,
  filters: MarkFilters,
  until: string,
  most: number,
): Promise<string[]> {
  const conditions = [[`${activeAt} <= ?`, until] as const];
  const unread = firstByActivity({ ...member, filters: { ...filters, unread: "true" }, conditions }, most);
  const rows = await tx.all<{ id: string }>(
    plannedEachTime(`SELECT id FROM ${unread.sql} AS newest ORDER BY at DESC, id DESC`),
    ...unread.values,
  );
  return rows.map(({ id }) => id);
}

/**
 * Moves `read_until` forward to `until`. After that, threads without activity after `until` count as read,
 * except the threads `unread`.
 */
async function advance(
  tx: Transaction,
  member: MemberOf,
  {
    until,
    unread,
  }: {
    readonly until: string;
    /** The ids of the threads that stay unread. */
    readonly unread: readonly string[];
  },
): Promise<void> {
  const { appId, userId } = member;
  await tx.run(
    `UPDATE app_members SET read_until = ?
     WHERE app_id = ? AND user_id = ? AND coalesce(read_until, created_at) < ?`,
    ...[until, appId, userId, until],
  );
  await tx.run(
    "DELETE FROM thread_looks WHERE app_id = ? AND user_id = ? AND active_at <= ?",
    ...[appId, userId, until],
  );
  await insertViews(tx, member, { ids: unread, seen: "-1", lookedAt: null });
}

async function insertViews(
  tx: Transaction,
  { appId, userId }: MemberOf,
  {
    ids,
    seen,
    lookedAt,
  }: {
    readonly ids: readonly string[];
    /** SQL for the number of seen events of a thread `f`. -1 means unread. */
    readonly seen: "f.activity_count" | "-1";
    readonly lookedAt: string | null;
  },
): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(
    plannedEachTime(`INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at)
       SELECT v.app_id, v.user_id, f.id, ${seen}, ${activeAt}, ? FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE v.app_id = ? AND v.user_id = ? AND f.id IN (${ids.map(() => "?").join(", ")}) ${keepingThreads(tx)}
       ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET seen_count = excluded.seen_count,
         active_at = excluded.active_at, looked_at = coalesce(excluded.looked_at, thread_looks.looked_at)`),
    ...[lookedAt, appId, userId, ...ids],
  );
}

/**
 * If many views are after `read_until`, moves `read_until` forward, because each page counts the views after
 * this time.
 */
async function settleViews(tx: Transaction, member: MemberOf): Promise<void> {
  const values = [member.appId, member.userId];
  const read = await tx.get<ReadTimes>(newestRead, ...values, ...values, ...values, settling.most);
  if (!read) return;
  const until = settledUntil(read);
  await lockReadUntil(tx, member);
  const unread = await tx.all<{ id: string }>(plannedEachTime(unreadWithoutView), ...values, until);
  const marks = await tx.get<{ count: number }>(markedViews, ...values);
  if (unread.length + Number(marks?.count ?? 0) > settling.mostUnread) return;
  // Unread threads get a view, so that they stay unread.
  await keepUnread(
    tx,
    member,
    unread.map(({ id }) => id),
  );
  await tx.run(moveReadUntil, until, ...values, until);
}

/** Locks `read_until` of a member. Otherwise a thread could count as read after the undo of a bulk change. */
export const lockReadUntil = (tx: Transaction, { appId, userId }: MemberOf) =>
  tx.lock(`read until ${appId} ${userId}`);

/** SQL for the time up to which activity counts as read for member `v`. A stored view overrides this time. */
export const readUntil = "coalesce(v.read_until, v.created_at)";

const laterViews = `FROM app_members v JOIN thread_looks l ON l.app_id = v.app_id AND l.user_id = v.user_id
  WHERE v.app_id = ? AND v.user_id = ? AND l.seen_count >= 0 AND l.active_at > ${readUntil}`;

const newestFirst = "ORDER BY l.active_at DESC LIMIT 1 OFFSET";

/** The query for `ReadTimes`. It returns no row if at most `settling.most` views are after `read_until`. */
const newestRead = `SELECT (SELECT l.active_at ${laterViews} ${newestFirst} 0) AS newest,
    (SELECT l.active_at ${laterViews} ${newestFirst} ${settling.kept - 1}) AS "lastKept"
  WHERE EXISTS (SELECT 1 AS one ${laterViews} LIMIT 1 OFFSET ?)`;

// Hidden threads of blocked senders are included, because they must be unread when a member releases them.
const unreadWithoutView = `SELECT f.id FROM app_members v CROSS JOIN feedback f
  WHERE v.app_id = ? AND v.user_id = ? AND f.app_id = v.app_id AND ${activeAt} > ${readUntil} AND ${activeAt} <= ?
    AND (SELECT 1 FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id AND l.feedback_id = f.id) IS NULL
  ORDER BY ${activeAt} LIMIT ${settling.mostUnread + 1}`;

const markedViews = `SELECT count(*) AS count FROM (SELECT 1 AS one FROM thread_looks
  WHERE app_id = ? AND user_id = ? AND seen_count = -1 LIMIT ${settling.mostUnread + 1}) AS marked`;

const moveReadUntil = `UPDATE app_members SET read_until = ?
  WHERE app_id = ? AND user_id = ? AND coalesce(read_until, created_at) < ?`;

/**
 * Marks threads as unread. For a thread created before `read_until`, stores `read_until` as the time of the
 * last view.
 */
async function keepUnread(
  tx: Transaction,
  { appId, userId }: MemberOf,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  // With this lock, no row is stored for a thread that is deleted at the same time.
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

export interface ActivityScope extends MemberOf {
  readonly filters: Pick<ThreadFilters, "status" | "type" | "from" | "to" | "unread" | "unfinished">;
  /** Further conditions on the threads `f`. */
  readonly conditions: readonly Condition[];
  /** Whether the thread with the oldest activity comes first. By default, the latest activity comes first. */
  readonly oldestFirst?: boolean;
}

/** Returns SQL that sorts the threads `f` by their last activity. */
export const byActivity = (oldestFirst = false): string => {
  const [, order] = directionOf(oldestFirst);
  return `${activeAt} ${order}, f.id ${order}`;
};

/** Returns a subquery for the first threads by activity. Reads one index range for each status and type. */
export function firstByActivity(
  { filters, conditions, oldestFirst = false, ...member }: ActivityScope,
  limit: number,
): Part {
  const kinds = kindsOf(filters);
  const page = { oldestFirst, limit };
  const shared = [
    ...conditions,
    // Activity is never before the creation. The first condition only helps to use the index by activity.
    ...given(`${activeAt} >= ?`, filters.from),
    ...given("f.created_at >= ?", filters.from),
    ...given("f.created_at < ?", filters.to),
  ];
  const list = kinds.map((kind) => [...kind, ...shared]);
  if (filters.unread !== "true")
    return merged(
      list.map((all) => first(member, all, page)),
      page,
    );
  const unread = unreadSince(member);
  const later = list.map((all) => first(member, [...all, [unread.sql, ...unread.values]], page));
  return merged([...later, firstMarked(member, [...ofFilter(filters), ...shared], page)], page);
}

/** Returns a list of conditions for each matching status and type. Without filters, returns one empty list. */
function kindsOf({ status, type, unfinished }: ActivityScope["filters"]): Condition[][] {
  if (status === undefined && type === undefined && unfinished === undefined) return [[]];
  const all = unfinished === undefined ? threadStatuses : (["open", "in_progress"] as const);
  const statuses = status === undefined ? all : [status];
  const types = type === undefined ? FeedbackType.options : [type];
  return statuses.flatMap((status) => types.map((type) => ofFilter({ status, type })));
}

const ofFilter = ({ status, type }: Pick<ThreadFilters, "status" | "type">): Condition[] => [
  ...given("f.status = ?", status),
  ...given("f.category = ?", type),
];

const foundColumns = `f.seq, f.id, ${activeAt} AS at`;

interface FirstRows {
  readonly oldestFirst: boolean;
  readonly limit: number;
}

const first = (
  { appId }: MemberOf,
  conditions: readonly Condition[],
  { oldestFirst, limit }: FirstRows,
): Part => ({
  sql: `SELECT seq, id, at FROM (SELECT ${foundColumns} FROM feedback f WHERE f.app_id = ? AND ${sqlOf(conditions)}
    ORDER BY ${byActivity(oldestFirst)} LIMIT ?) AS matching`,
  values: [appId, ...valuesOf(conditions), limit],
});

/**
 * Returns a subquery for threads marked as unread. With CROSS JOIN, SQLite reads the few marked views first.
 */
function firstMarked(
  member: MemberOf,
  conditions: readonly Condition[],
  { oldestFirst, limit }: FirstRows,
): Part {
  const marked = markedUnread(member);
  return {
    sql: `SELECT seq, id, at FROM (SELECT ${foundColumns} FROM thread_looks l CROSS JOIN feedback f
      WHERE ${marked.sql} AND ${sqlOf(conditions)} ORDER BY ${byActivity(oldestFirst)} LIMIT ?) AS marked`,
    values: [...marked.values, ...valuesOf(conditions), limit],
  };
}

function merged(parts: readonly Part[], { oldestFirst, limit }: FirstRows): Part {
  const [, order] = directionOf(oldestFirst);
  return {
    sql: `(SELECT seq, id, at FROM (${parts.map(({ sql }) => sql).join(" UNION ALL ")}) AS parts
    ORDER BY at ${order}, id ${order} LIMIT ?)`,
    values: [...parts.flatMap(({ values }) => values), limit],
  };
}

/** SQL for whether a member's view marks thread `f` as unread; null without a view. A join might be slow. */
const changedSinceView = (appId: string, userId: string): string => `(SELECT l.seen_count < 0
  FROM thread_looks l WHERE l.app_id = ${appId} AND l.user_id = ${userId} AND l.feedback_id = f.id)`;

/** The SQL condition that a thread `f` is unread for a member `v`. (rule F50) */
export const isUnread = `coalesce(${changedSinceView("v.app_id", "v.user_id")}, ${activeAt} > ${readUntil})`;

/** SQL that locks the threads `f` on PostgreSQL until their views are stored. SQLite has only one writer. */
const keepingThreads = ({ engine }: Pick<Transaction, "engine">): string =>
  engine === "postgres" ? "FOR SHARE OF f" : "";

export interface MemberOf {
  readonly appId: string;
  readonly userId: string;
}

/** A part of an SQL statement, and the values of its parameters. */
interface Part {
  readonly sql: string;
  readonly values: readonly Value[];
}

const untilOf = `(SELECT ${readUntil} FROM app_members v WHERE v.app_id = ? AND v.user_id = ?)`;

/** Returns the SQL condition that a thread `f` has unread activity after `read_until`. */
const unreadSince = ({ appId, userId }: MemberOf): Part => ({
  sql: `${activeAt} > ${untilOf} AND coalesce(${changedSinceView("?", "?")}, true)`,
  values: [appId, userId, appId, userId],
});

/**
 * Returns the SQL condition that the view `l` marks `f` as unread, and that `f` has no activity after
 * `read_until`.
 */
const markedUnread = ({ appId, userId }: MemberOf): Part => ({
  sql: `l.app_id = ? AND l.user_id = ? AND l.seen_count = -1 AND f.id = l.feedback_id AND ${activeAt} <= ${untilOf}`,
  values: [appId, userId, appId, userId],
});
