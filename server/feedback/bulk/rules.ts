import type { BulkChange } from "../../../src/contract/bulk.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ThreadStatus } from "../../../src/contract/threads.ts";
import { tagKeyOf } from "../tags/rules.ts";
import { endedSnooze, isUnfinished } from "../threads/rules.ts";

/** The state of a thread before or after a bulk change. */
export interface ThreadState {
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  /** The ids of the tags of the thread, sorted. */
  readonly tagIds: readonly string[];
  /** The number of events of the thread so far. */
  readonly activity: number;
  /**
   * Whether the thread was unread for the caller; null if the bulk change does not change whether threads are unread.
   */
  readonly unread: boolean | null;
  /** When the thread was last resolved; null if never. Missing in states from older versions of the server. */
  readonly resolvedAt?: string | null;
  /** The time of the last activity. Missing in states from older versions of the server. */
  readonly activeAt?: string;
  /**
   * The members for whom the thread was unread and no visit is stored. Set if the change counts as activity.
   */
  readonly unreadFor?: readonly string[] | undefined;
  /** All members for whom the thread was unread. Set if the undo snoozes the thread again. */
  readonly unreadMembers?: readonly string[] | undefined;
}

/** For how many milliseconds after its end a bulk change can be undone. */
export const undoMilliseconds = 600_000;

/** For how many milliseconds a repeat of an interrupted request can continue the bulk change. */
export const continuedMilliseconds = 86_400_000;

/** Returns why a bulk change must skip a thread; undefined if it can change the thread. (rule F45) */
export function bulkRefusal(
  { status, tagKeys }: { readonly status: string; readonly tagKeys: readonly string[] },
  change: BulkChange,
): "wrong_state" | "too_many_tags" | undefined {
  if (change.snoozedUntil != null && !isUnfinished(change.status ?? status)) return "wrong_state";
  const removed = new Set((change.removeTags ?? []).map(tagKeyOf));
  const left = new Set([
    ...tagKeys.filter((key) => !removed.has(key)),
    ...(change.addTags ?? []).map(tagKeyOf),
  ]);
  return (change.addTags ?? []).length > 0 && left.size > limits.threadTags ? "too_many_tags" : undefined;
}

interface Undo {
  /** The states of the thread immediately before and after the bulk change. */
  readonly before: ThreadState;
  readonly after: ThreadState;
}

/** Returns why the change of a thread cannot be undone; undefined if it can be undone. (rule F45) */
export function undoRefusal({
  now,
  before,
  after,
  assignable,
}: Undo & {
  /** The current state of the thread; undefined if the thread was deleted or hidden. */
  readonly now: ThreadState | undefined;
  /** The ids of the members to whom threads can be assigned. */
  readonly assignable: ReadonlySet<string>;
}): "not_found" | "changed" | "assignee" | undefined {
  if (now === undefined) return "not_found";
  const isUnchanged =
    after.status === now.status &&
    after.assigneeId === now.assigneeId &&
    after.snoozedUntil === now.snoozedUntil &&
    after.activity === now.activity &&
    idsIn(after) === idsIn(now);
  if (!isUnchanged) return "changed";
  const { assigneeId } = before;
  const isGone = assigneeId !== null && assigneeId !== after.assigneeId && !assignable.has(assigneeId);
  return isGone ? "assignee" : undefined;
}

/** Ignores repeated ids. If two tags of a thread were merged, a stored state contains the same id twice. */
const idsIn = ({ tagIds }: ThreadState): string => [...new Set(tagIds)].sort().join();

/**
 * Whether a change counts as activity, which makes the thread unread for other members. `snoozedUntil: null`
 * ends a snooze. (rules F42, F50)
 */
export const isActivity = ({ status, snoozedUntil }: BulkChange): boolean =>
  status !== undefined || snoozedUntil === null;

/** Whether the undo of a change snoozes a thread again. `snoozedUntil` is the value before the change. */
export const isSnoozedByUndo = (
  { snoozedUntil }: Pick<ThreadState, "snoozedUntil">,
  change: BulkChange,
): boolean =>
  snoozedUntil !== null &&
  (change.snoozedUntil !== undefined || (change.status !== undefined && !isUnfinished(change.status)));

/** Returns the change that restores the state before a bulk change. Does not restore a snooze that is over. */
export function changeBack(
  { before, after }: Undo,
  { names, now }: { readonly names: ReadonlyMap<string, string>; readonly now: string },
): BulkChange {
  const namesIn = (ids: readonly string[], others: readonly string[]) =>
    ids.filter((id) => !others.includes(id)).flatMap((id) => names.get(id) ?? []);
  const [addTags, removeTags] = [namesIn(before.tagIds, after.tagIds), namesIn(after.tagIds, before.tagIds)];
  const until = endedSnooze(before, now) === null ? before.snoozedUntil : null;
  const status = ThreadStatus.safeParse(before.status).data;
  return {
    ...(before.status === after.status ? {} : { status }),
    ...(before.assigneeId === after.assigneeId ? {} : { assignee: before.assigneeId }),
    ...(until === after.snoozedUntil ? {} : { snoozedUntil: until }),
    ...(addTags.length === 0 ? {} : { addTags }),
    ...(removeTags.length === 0 ? {} : { removeTags }),
  };
}
