import type { BulkChange } from "../../../src/contract/bulk.ts";
import { limits } from "../../../src/contract/limits.ts";
import { ThreadStatus } from "../../../src/contract/threads.ts";
import { tagKeyOf } from "../tags/rules.ts";
import { isUnfinished } from "../threads/rules.ts";

/** The fields of a thread that a bulk change can change, with their values at one time. */
export interface ThreadState {
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  /** The ids of the tags of the thread, sorted. */
  readonly tagIds: readonly string[];
  /** The number of events of the thread. */
  readonly activity: number;
  /** Whether the thread was unread for the caller. Null if the request marks nothing as read. */
  readonly unread: boolean | null;
  /**
   * When the thread was last resolved; null if it never was. Rows of older versions do not have this field.
   */
  readonly resolvedAt?: string | null;
}

/** How long a bulk change can be undone. */
export const undoMilliseconds = 600_000;

/** How long a repeat of an interrupted request can continue the change. */
export const continuedMilliseconds = 86_400_000;

/** Returns why a bulk change does not change a thread; undefined if it does. (rule F45) */
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
  /** The thread as it was before the bulk change, and just after it. */
  readonly before: ThreadState;
  readonly after: ThreadState;
}

/** Returns why a bulk change of a thread cannot be undone; undefined if it can. (rule F45) */
export function undoRefusal({
  now,
  before,
  after,
  assignable,
}: Undo & {
  /** The state of the thread at present. Undefined if the thread was deleted or hidden. */
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

/** If two tags of a thread were merged into one, a stored state contains the id of this tag twice. */
const idsIn = ({ tagIds }: ThreadState): string => [...new Set(tagIds)].sort().join();

/** Returns the change that restores the state of a thread from before a bulk change. */
export function changeBack(
  { before, after }: Undo,
  { names, now }: { readonly names: ReadonlyMap<string, string>; readonly now: string },
): BulkChange {
  const namesIn = (ids: readonly string[], others: readonly string[]) =>
    ids.filter((id) => !others.includes(id)).flatMap((id) => names.get(id) ?? []);
  const [addTags, removeTags] = [namesIn(before.tagIds, after.tagIds), namesIn(after.tagIds, before.tagIds)];
  const { snoozedUntil } = before;
  const until = snoozedUntil !== null && snoozedUntil <= now ? null : snoozedUntil;
  const status = ThreadStatus.safeParse(before.status).data;
  return {
    ...(before.status === after.status ? {} : { status }),
    ...(before.assigneeId === after.assigneeId ? {} : { assignee: before.assigneeId }),
    ...(until === after.snoozedUntil ? {} : { snoozedUntil: until }),
    ...(addTags.length === 0 ? {} : { addTags }),
    ...(removeTags.length === 0 ? {} : { removeTags }),
  };
}
