import { ApiError } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { threads as contract, ThreadChange } from "../../../src/contract/threads.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { failures } from "../failures/store.ts";
import { changeThread, recordThreadChange } from "../threads/change.ts";
import { ownedThread, readableThread } from "../threads/read.ts";
import { endedSnooze } from "../threads/rules.ts";
import { endDueSnoozes, snoozes } from "../threads/store/fields.ts";
import { feedbackThreads, numberThreads } from "../threads/store/threads.ts";
import { threadNews } from "../unread/store/news.ts";
import { markReadForAll, noteActivity, threadViews } from "../unread/store/read-marks.ts";
import {
  arrivalsAt,
  byTarget,
  changeAfterUnmerge,
  changeByMerge,
  depthOf,
  homesOf,
  isAsReopened,
  mergeRefusal,
  type Reopened,
  reaches,
  undoRefusal,
} from "./rules.ts";
import {
  type MergeableRow,
  type MergeRow,
  merges,
  noteReopened,
  resolutionOf,
  restoreResolution,
  threadState,
} from "./store.ts";

type MergeDeps = Pick<Deps, "clock" | "database" | "newId">;

/** The caller who makes a change, and the thread `id` that is changed. */
interface Change {
  readonly caller: ConsoleCaller;
  readonly address: string;
  readonly appId: string;
  readonly id: string;
}

/** The handlers that merge threads and undo merges. (rule F46) */
export const merge = (
  deps: MergeDeps & Pick<Deps, "settings" | "time">,
): Pick<Handlers<typeof contract>, "merge" | "unmerge"> => ({
  async merge({ caller, address, params, body, save }) {
    const [id, into] = [params.id.toLowerCase(), body.into.toLowerCase()];
    // Notices and the audit log name both threads by their numbers, so both must have a number before the merge.
    await numberThreads(deps.database, (await readableThread(deps.database, id, caller)).appId);
    await endDueSnoozes(deps);
    return save(async (tx) => {
      const { thread, other, ...facts } = await lockedPair(tx, { id, into, caller });
      const refusal = mergeRefusal({ id, into, thread, other, ...facts }, deps.clock.now());
      if (refusal || !thread || !other) throw refusal ?? new ApiError("not_found");
      await moveInto(deps, tx, { caller, address, thread, other });
      return ownedThread(deps, tx, { id: into, viewer: caller });
    });
  },

  async unmerge({ caller, address, params, save }) {
    await endDueSnoozes(deps);
    return save(async (tx) => {
      const id = params.id.toLowerCase();
      const { row, all, other } = await lockedMerge(tx, id, caller);
      const refusal = undoRefusal(row, deps.clock.now());
      if (refusal) throw refusal;
      await takeOut(deps, tx, { caller, address, row, all, other });
      return ownedThread(deps, tx, { id, viewer: caller });
    });
  },
});

/** Locks two threads. Returns the data with which `mergeRefusal` decides whether `id` can be merged into `into`. */
async function lockedPair(
  tx: Transaction,
  { id, into, caller }: { readonly id: string; readonly into: string; readonly caller: ConsoleCaller },
) {
  await lockAll(tx, [id, into]);
  const visible = async (one: string) =>
    (await feedbackThreads.findApp(tx, one, caller)) && (await merges.find(tx, one));
  return {
    thread: await visible(id),
    other: await visible(into),
    runs: await merges.runs(tx, id),
    messages: await merges.countMessages(tx, id, limits.mergedMessages + 1),
    merged: await merges.countThreads(tx, [id, into], limits.mergedThreads),
    depth: 1 + depthOf(id, await merges.steps(tx, id)),
  };
}

/** Merges `thread` into `other`, and records this for both threads. */
async function moveInto(
  deps: MergeDeps,
  tx: Transaction,
  {
    caller,
    address,
    thread,
    other,
  }: Pick<Change, "caller" | "address"> & {
    readonly thread: MergeableRow;
    readonly other: MergeableRow;
  },
): Promise<void> {
  const { id, appId } = thread;
  const into = other.id;
  const at = deps.clock.now().toISOString();
  const number = (await merges.lastNumber(tx, [id, into])) + 1;
  await merges.merge(tx, { id, intoId: into, number, appId, at, by: caller.userId });
  await settle(deps, tx, { id: into, appId, by: caller.userId, fields: ["merged"] });
  await recordThreadChange(deps, tx, { id, appId, at, fields: ["mergedInto"] });
  const change = changeByMerge(thread, other, deps.clock.now());
  if (change) await changeOther(deps, tx, { caller, address, appId, id, other, change });
  const record = createAuditWriter(deps);
  const entry = { action: "thread.merge", appId } as const;
  const author = { caller, address };
  await record(tx, author, {
    ...entry,
    target: id,
    changes: [{ field: "mergedInto", from: null, to: nameOf(other) }],
  });
  await record(tx, author, {
    ...entry,
    target: into,
    changes: [{ field: "merged", from: null, to: nameOf(thread) }],
  });
}

/**
 * Locks and returns the thread into which `id` was merged, with all merges into this thread. Throws `not_found`
 * or `wrong_state`.
 */
async function lockedMerge(tx: Transaction, id: string, caller: ConsoleCaller) {
  const from = await lockedTarget(tx, id, caller);
  // An erasure reads all threads, and then all messages. A report that moved from a message to a thread in
  // between would be missed.
  if (await merges.isErasing(tx))
    throw new ApiError("wrong_state", {
      message: "The data of a person is being erased. Try again in a minute.",
    });
  const all = await merges.into(tx, from);
  const row = all.find((each) => each.id === id);
  const other = await merges.find(tx, from);
  if (row === undefined || other === undefined) throw notMerged();
  return { row, all, other };
}

/** Undoes the merge of a thread, and records this for both threads. */
async function takeOut(
  deps: MergeDeps,
  tx: Transaction,
  {
    caller,
    address,
    row,
    all,
    other,
  }: Pick<Change, "caller" | "address"> & {
    readonly row: MergeRow;
    readonly all: readonly MergeRow[];
    readonly other: NamedThread & { readonly appId: string };
  },
): Promise<void> {
  const { id } = row;
  const { id: from, appId } = other;
  // If the person has read the thread `from`, the thread `id` counts as read, too. (rule F50)
  const isRead = (await threadNews(tx, caller.userId, [from]))[0]?.unread !== 1;
  const outside = new Map(homesOf(id, new Map(all.map((step) => [step.id, step]))));
  outside.delete(id);
  await merges.unmerge(tx, {
    ...{ row, from, appId, newId: deps.newId },
    inside: new Set(arrivalsAt(id, byTarget(all)).keys()),
    reaches: (reply) => reaches(reply, outside.get(reply.home)),
  });
  const snooze = await snoozes.of(tx, id);
  const by = caller.userId;
  if (row.intoId === from && row.reopened !== null) {
    await changeBack(deps, tx, { caller, address, appId, id: from, reopened: JSON.parse(row.reopened) });
    // `changeBack` may mark the thread `from` as read, but an unread thread must stay unread.
    if (!isRead) await threadViews.mark(tx, { appId, userId: by, feedbackId: from }, false);
  }
  await settle(deps, tx, { id, appId, by, fields: ["mergedInto"] });
  if (isRead) await threadViews.mark(tx, { appId, userId: by, feedbackId: id }, true);
  const ended = snooze && endedSnooze(snooze, deps.clock.now().toISOString());
  if (ended) await snoozes.end(tx, id, ended);
  // If the thread is still snoozed, it must count as read for all members.
  else if (snooze?.snoozedUntil) await markReadForAll(tx, id);
  await settle(deps, tx, { id: from, appId, by, fields: ["merged"] });
  const record = createAuditWriter(deps);
  const entry = { action: "thread.unmerge", appId } as const;
  const author = { caller, address };
  await record(tx, author, {
    ...entry,
    target: id,
    changes: [{ field: "mergedInto", from: nameOf(other), to: null }],
  });
  await record(tx, author, {
    ...{ ...entry, target: from },
    changes: [{ field: "merged", from: nameOf({ id, number: row.threadNumber }), to: null }],
  });
}

/**
 * Changes the thread into which `id` was merged, and stores its states before and after this change. (rule F77)
 */
async function changeOther(
  deps: MergeDeps,
  tx: Transaction,
  {
    id,
    other: { id: into, status, snoozedUntil },
    change,
    ...act
  }: Change & { readonly other: MergeableRow; readonly change: ThreadChange },
): Promise<void> {
  const resolvedAt = await resolutionOf(tx, into);
  await changeThread(deps, tx, { ...act, id: into, change });
  const after = await threadState(tx, into);
  if (after) await noteReopened(tx, id, { status, resolvedAt, snoozedUntil, after });
}

/** Undoes the changes that a merge made in the thread `id`, unless the thread was changed later. (rule F77) */
async function changeBack(
  deps: MergeDeps,
  tx: Transaction,
  { id, reopened, ...act }: Change & { readonly reopened: Reopened },
): Promise<void> {
  const now = await threadState(tx, id);
  if (now === undefined || !isAsReopened(reopened, now)) return;
  const change = changeAfterUnmerge(reopened, now, deps.clock.now());
  if (Object.keys(change).length > 0) await changeThread(deps, tx, { ...act, id, change });
  if (change.status !== undefined) await restoreResolution(tx, id, reopened.resolvedAt);
  const ended = endedSnooze(reopened, deps.clock.now().toISOString());
  if (ended !== null) await snoozes.end(tx, id, ended);
}

const notMerged = () =>
  new ApiError("wrong_state", { message: "This thread is not merged into another one." });

interface NamedThread {
  readonly id: string;
  readonly number: number | null;
}

/** Returns the name of a thread for the audit log, such as `#12`. */
const nameOf = ({ id, number }: NamedThread): string => (number === null ? id : `#${number}`);

/**
 * Locks failures first, then threads. The code for reports and test runs uses the same order, which prevents
 * deadlocks.
 */
async function lockAll(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (tx.engine === "sqlite") return;
  for (const id of ids) {
    const found = await merges.find(tx, id);
    if (found === undefined) continue;
    for (const key of (await merges.keysOf(tx, ids)).sort(byCode)) await failures.lock(tx, found.appId, key);
    break;
  }
  for (const id of [...ids].sort(byCode)) await tx.lock(id);
}

const byCode = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Locks the thread into which `id` was merged, and returns its id. Throws `wrong_state` if `id` is not merged. */
async function lockedTarget(tx: Transaction, id: string, caller: ConsoleCaller): Promise<string> {
  for (let locked = ""; ; ) {
    const { id: target } = await readableThread(tx, id, caller);
    if (target === id) throw notMerged();
    if (target === locked) return target;
    locked = target;
    await lockAll(tx, [target]);
  }
}

/**
 * After a merge or unmerge, updates a thread's proposal status and last activity. Records that the thread has
 * changed.
 */
async function settle(
  deps: MergeDeps,
  tx: Transaction,
  {
    id,
    appId,
    by,
    fields,
  }: { readonly id: string; readonly appId: string; readonly by: string; readonly fields: readonly string[] },
): Promise<void> {
  const at = deps.clock.now().toISOString();
  await feedbackThreads.setProposalStatus(tx, id);
  await noteActivity(tx, id, { at, by });
  await recordThreadChange(deps, tx, { id, appId, at, fields });
}
