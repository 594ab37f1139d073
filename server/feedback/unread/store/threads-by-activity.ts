import { FeedbackType } from "../../../../src/contract/feedback.ts";
import { threadStatuses } from "../../../../src/contract/find-work.ts";
import type { ThreadFilters } from "../../../../src/contract/threads.ts";
import { type Condition, sqlOf, valuesOf } from "../../../database/conditions.ts";
import { activeAt, type MemberOf, markedUnread, type Part, unreadSince } from "./unread.ts";

/** Which threads of an app, for which member. */
export interface ActivityScope extends MemberOf {
  readonly filters: Pick<ThreadFilters, "status" | "type" | "from" | "to" | "unread">;
  /** More conditions on `f`. */
  readonly conditions: readonly Condition[];
}

export const byActivity = `${activeAt} DESC, f.id DESC`;

/**
 * A subquery with `seq`, `id` and the last activity `at` of the matching threads that were last active, `limit` of them. It reads
 * only indexes, unless a thread has a look. Each kind of thread, a status and a type, has its own range of an index, so no thread is read
 * that does not match.
 */
export function newestByActivity({ filters, conditions, ...member }: ActivityScope, limit: number): Part {
  const kinds = kindsOf(filters);
  const shared = [
    ...conditions,
    // What came later was active later.
    ...given(`${activeAt} >= ?`, filters.from),
    ...given("f.created_at >= ?", filters.from),
    ...given("f.created_at < ?", filters.to),
  ];
  const list = kinds.map((kind) => [...kind, ...shared]);
  if (filters.unread !== "true")
    return merged(
      list.map((all) => newest(member, all, limit)),
      limit,
    );
  const unread = unreadSince(member);
  const later = list.map((all) => newest(member, [...all, [unread.sql, ...unread.values]], limit));
  return merged([...later, newestMarked(member, [...ofFilter(filters), ...shared], limit)], limit);
}

/** The ranges of an index that hold all matching threads: none for all threads, which have an index of their own. */
function kindsOf({ status, type }: ActivityScope["filters"]): Condition[][] {
  if (status === undefined && type === undefined) return [[]];
  const statuses = status === undefined ? threadStatuses : [status];
  const types = type === undefined ? FeedbackType.options : [type];
  return statuses.flatMap((status) => types.map((type) => ofFilter({ status, type })));
}

const ofFilter = ({ status, type }: Pick<ThreadFilters, "status" | "type">): Condition[] => [
  ...given("f.status = ?", status),
  ...given("f.category = ?", type),
];

const given = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, value]];

const found = `f.seq, f.id, ${activeAt} AS at`;

const newest = ({ appId }: MemberOf, conditions: readonly Condition[], limit: number): Part => ({
  sql: `SELECT seq, id, at FROM (SELECT ${found} FROM feedback f WHERE f.app_id = ? AND ${sqlOf(conditions)}
    ORDER BY ${byActivity} LIMIT ?) AS newest`,
  values: [appId, ...valuesOf(conditions), limit],
});

/** Looks are few, so they are read first. (CROSS JOIN makes SQLite keep that order.) */
function newestMarked(member: MemberOf, conditions: readonly Condition[], limit: number): Part {
  const marked = markedUnread(member);
  return {
    sql: `SELECT seq, id, at FROM (SELECT ${found} FROM thread_looks l CROSS JOIN feedback f
      WHERE ${marked.sql} AND ${sqlOf(conditions)} ORDER BY ${byActivity} LIMIT ?) AS marked`,
    values: [...marked.values, ...valuesOf(conditions), limit],
  };
}

/** The newest of all parts. */
const merged = (parts: readonly Part[], limit: number): Part => ({
  sql: `(SELECT seq, id, at FROM (${parts.map(({ sql }) => sql).join(" UNION ALL ")}) AS parts
    ORDER BY at DESC, id DESC LIMIT ?)`,
  values: [...parts.flatMap(({ values }) => values), limit],
});
