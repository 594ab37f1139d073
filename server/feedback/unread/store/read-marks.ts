import { FeedbackType } from "../../../../src/contract/feedback.ts";
import { threadStatuses } from "../../../../src/contract/find-work.ts";
import type { ThreadFilters } from "../../../../src/contract/threads.ts";
import type { Transaction } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { settleLooks } from "./settled-looks.ts";
import { newestByActivity } from "./threads-by-activity.ts";
import { activeAt, keepingThreads, type MemberOf } from "./unread.ts";

/** The looks that are kept of a person in an app. When there are more, those at threads with older activity go. (rule F52) */
export const lookLimits = { most: 1_000, kept: 500, keptUnread: 200, marked: 500 } as const;

/** The status and the type of threads; all if they are left out. */
export type MarkFilters = Pick<ThreadFilters, "status" | "type">;

/**
 * Marks the matching threads as read, as far as nothing happened on them after `until`. Up to 500 are marked one by one. Of
 * more, everything up to `until` counts as read, and 200 unread threads that do not match stay unread. (rule F52)
 */
export async function markAllRead(
  tx: Transaction,
  member: MemberOf,
  { filters, until }: { readonly filters: MarkFilters; readonly until: string },
): Promise<void> {
  const others = othersThan(filters);
  if (others.length === 0) return advance(tx, member, { until, unread: [] });
  const matching = await unreadIds(tx, member, { filters, until, most: lookLimits.marked + 1 });
  if (matching.length <= lookLimits.marked) {
    await insertLooks(tx, member, { ids: matching, seen: "f.activity_count", lookedAt: until });
    return makeRoom(tx, member);
  }
  const unread: string[] = [];
  for (const filters of others)
    unread.push(...(await unreadIds(tx, member, { filters, until, most: lookLimits.keptUnread })));
  await advance(tx, member, { until, unread: unread.slice(0, lookLimits.keptUnread) });
}

/** Keeps the number of looks of a person in an app within its limit, and the number that every page counts low. */
export async function makeRoom(tx: Transaction, member: MemberOf): Promise<void> {
  await dropOldest(tx, member);
  await settleLooks(tx, member);
}

async function dropOldest(tx: Transaction, member: MemberOf): Promise<void> {
  const { appId, userId } = member;
  const ofMember = "FROM thread_looks l WHERE l.app_id = ? AND l.user_id = ?";
  const over = `SELECT 1 AS one ${ofMember} LIMIT 1 OFFSET ?`;
  if (!(await tx.get(over, appId, userId, lookLimits.most))) return;
  const last = await tx.get<{ at: string }>(
    `SELECT l.active_at AS at ${ofMember} ORDER BY l.active_at DESC LIMIT 1 OFFSET ?`,
    ...[appId, userId, lookLimits.kept],
  );
  if (!last) return;
  const unread = await unreadIds(tx, member, { filters: {}, until: last.at, most: lookLimits.keptUnread });
  await advance(tx, member, { until: last.at, unread });
}

/** The filters that together match everything that the given ones do not. */
function othersThan({ status, type }: MarkFilters): MarkFilters[] {
  const otherStatuses = status === undefined ? [] : threadStatuses.filter((other) => other !== status);
  const otherTypes = type === undefined ? [] : FeedbackType.options.filter((other) => other !== type);
  return [
    ...otherStatuses.map((other) => ({ status: other })),
    ...otherTypes.map((other) => ({ type: other, ...(status === undefined ? {} : { status }) })),
  ];
}

interface UnreadAsked {
  readonly filters: MarkFilters;
  readonly until: string;
  readonly most: number;
}

/** The unread threads on which nothing happened after `until`, the last active first. */
async function unreadIds(
  tx: Transaction,
  member: MemberOf,
  { filters, until, most }: UnreadAsked,
): Promise<string[]> {
  const conditions = [[`${activeAt} <= ?`, until] as const];
  const unread = newestByActivity({ ...member, filters: { ...filters, unread: "true" }, conditions }, most);
  const rows = await tx.all<{ id: string }>(
    plannedEachTime(`SELECT id FROM ${unread.sql} AS newest ORDER BY at DESC, id DESC`),
    ...unread.values,
  );
  return rows.map(({ id }) => id);
}

interface Advance {
  readonly until: string;
  /** The threads that stay unread. */
  readonly unread: readonly string[];
}

/** Counts everything up to `until` as read, but for some threads. */
async function advance(tx: Transaction, member: MemberOf, { until, unread }: Advance): Promise<void> {
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
  await insertLooks(tx, member, { ids: unread, seen: "-1", lookedAt: null });
}

interface NewLooks {
  readonly ids: readonly string[];
  /** The expression for how much of a thread `f` counts as seen. */
  readonly seen: "f.activity_count" | "-1";
  readonly lookedAt: string | null;
}

async function insertLooks(
  tx: Transaction,
  { appId, userId }: MemberOf,
  { ids, seen, lookedAt }: NewLooks,
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
