import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type threads as contract, type MergedThread, ThreadStatus } from "../../../src/contract/threads.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { failures } from "../failures/store.ts";
import { snoozes } from "../snooze/store.ts";
import { numberThreads } from "../thread-numbers/store.ts";
import { changeThread, tellChanged } from "../threads/change.ts";
import { readableThread } from "../threads/owned.ts";
import { feedbackThreads } from "../threads/store.ts";
import { markReadForAll, noteActivity } from "../unread/store/read-marks.ts";
import { noteReopened, resolutionOf, restoreResolution, threadState } from "./reopening-store.ts";
import {
  homesOf,
  isAsReopened,
  isOpenRun,
  opensAgain,
  type Reopened,
  reaches,
  undoRefusal,
  undoUntil,
  withMerged,
} from "./rules.ts";
import { type MergeRow, merges } from "./store.ts";

type MergeDeps = Pick<Deps, "clock" | "database" | "newId">;

interface Act {
  readonly caller: ConsoleCaller;
  readonly address: string;
  readonly id: string;
}

/** A change of a thread of the app. */
interface Change extends Act {
  readonly appId: string;
}

/** Merges a thread into another one of its app. Throws `not_found`, `merged`, `run_open` and `wrong_state`. (rule F46) */
export async function mergeThread(
  deps: MergeDeps,
  tx: Transaction,
  { caller, address, id, into }: Act & { readonly into: string },
): Promise<void> {
  if (into === id) throw badRequest("into", "must be another thread");
  await lockAll(tx, [id, into]);
  const thread = await mergeable(tx, id, caller);
  const other = await mergeable(tx, into, caller);
  if (thread.appId !== other.appId) throw new ApiError("not_found");
  const now = deps.clock.now();
  const runs = await merges.runs(tx, id);
  if (runs.some((run) => isOpenRun({ ...run, ...statusAt(run, now) }))) throw new ApiError("run_open");
  if ((await merges.countMessages(tx, id, limits.mergedMessages + 1)) > limits.mergedMessages)
    throw new ApiError("wrong_state", {
      message: `The thread has over ${limits.mergedMessages} messages. Merge the other thread into it.`,
    });
  const { appId } = thread;
  const at = now.toISOString();
  const number = (await merges.lastNumber(tx, [id, into])) + 1;
  await merges.merge(tx, { id, intoId: into, number, appId, at, by: caller.userId });
  await settle(deps, tx, { id: into, appId, by: caller.userId, fields: ["merged"] });
  await tellChanged(deps, tx, { id, appId, at, fields: ["mergedInto"] });
  const act = { caller, address, appId };
  if (opensAgain(thread, other)) await reopen(deps, tx, { ...act, id, into, status: other.status });
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

/** Undoes the merge of a thread. Throws `not_found` and `wrong_state`. (rule F46) */
export async function unmergeThread(
  deps: MergeDeps,
  tx: Transaction,
  { caller, address, id }: Act,
): Promise<void> {
  // An erasure reads threads first, and then messages. During it, a report must not move from messages to threads.
  if (await merges.isErasing(tx))
    throw new ApiError("wrong_state", { message: "A person is being erased. Try it again in a minute." });
  const from = await lockedTarget(tx, id, caller);
  const all = await merges.into(tx, from);
  const row = all.find((each) => each.id === id);
  const other = await merges.find(tx, from);
  if (row === undefined || other === undefined) throw notMerged();
  const now = deps.clock.now();
  const refusal = undoRefusal({ ...row, hasReport: row.subject !== null }, now);
  if (refusal !== undefined) throw new ApiError("wrong_state", { message: refusal });
  const outside = new Map(homesOf(id, new Map(all.map((step) => [step.id, step]))));
  outside.delete(id);
  const { appId } = other;
  await merges.unmerge(tx, {
    ...{ row, from, appId, now: now.toISOString(), newId: deps.newId },
    inside: withMerged(id, all),
    reaches: (reply) => reaches(reply, outside),
  });
  const by = caller.userId;
  if (row.intoId === from && row.reopened !== null)
    await finishAgain(deps, tx, { caller, address, appId, id: from, reopened: JSON.parse(row.reopened) });
  await settle(deps, tx, { id, appId, by, fields: ["mergedInto"] });
  // A snoozed thread is read for all.
  if ((await snoozes.of(tx, id))?.snoozedUntil) await markReadForAll(tx, id);
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

/** Opens the other thread of a merge again, and stores how it was. (rule F77) */
async function reopen(
  deps: MergeDeps,
  tx: Transaction,
  { id, into, status, ...act }: Omit<Change, "id"> & { id: string; into: string; status: string },
): Promise<void> {
  const resolvedAt = await resolutionOf(tx, into);
  await changeThread(deps, tx, { ...act, id: into, change: { status: "open" } });
  const after = await threadState(tx, into);
  if (after) await noteReopened(tx, id, { status, resolvedAt, after });
}

/** Restores the status of a thread that a merge has opened again, if nothing happened in it since. (rule F77) */
async function finishAgain(
  deps: MergeDeps,
  tx: Transaction,
  { id, reopened, ...act }: Change & { readonly reopened: Reopened },
): Promise<void> {
  const now = await threadState(tx, id);
  const { data: status } = ThreadStatus.safeParse(reopened.status);
  if (now === undefined || status === undefined || !isAsReopened(reopened, now)) return;
  await changeThread(deps, tx, { ...act, id, change: { status } });
  await restoreResolution(tx, id, reopened.resolvedAt);
}

/** The handlers that merge threads and undo merges. `read` returns the answer. */
export const createMergeHandlers = (
  deps: MergeDeps,
  read: (
    tx: Transaction,
    id: string,
    caller: ConsoleCaller,
  ) => ReturnType<Handlers<typeof contract>["merge"]>,
): Pick<Handlers<typeof contract>, "merge" | "unmerge"> => ({
  async merge({ caller, address, params, body, save }) {
    const [id, into] = [params.id.toLowerCase(), body.into.toLowerCase()];
    // The notices and the audit name both threads by their numbers.
    await numberThreads(deps.database, (await readableThread(deps.database, id, caller)).appId);
    return save(async (tx) => {
      await mergeThread(deps, tx, { caller, address, id, into });
      return read(tx, into, caller);
    });
  },

  unmerge: ({ caller, address, params, save }) =>
    save(async (tx) => {
      const id = params.id.toLowerCase();
      await unmergeThread(deps, tx, { caller, address, id });
      return read(tx, id, caller);
    }),
});

/** Returns the threads that were merged into a thread, as an answer shows them. */
export async function mergedThreads(
  { clock }: Pick<Deps, "clock">,
  reader: Reader,
  threadId: string,
): Promise<MergedThread[]> {
  const now = clock.now();
  return (await merges.into(reader, threadId)).map((row) => ({
    ...{ id: row.id, number: row.threadNumber, subject: row.subject },
    ...{ mergedAt: row.mergedAt, mergedBy: row.mergedBy, mergedByName: row.mergedByName },
    undoUntil:
      undoRefusal({ ...row, hasReport: row.subject !== null }, now) === undefined
        ? undoUntil(row.mergedAt)
        : null,
  }));
}

const statusAt = (
  { status, expiresAt }: { readonly status: string; readonly expiresAt: string | null },
  now: Date,
) => ({
  status: status === "approved" && expiresAt !== null && expiresAt <= now.toISOString() ? "rejected" : status,
});

const notMerged = () =>
  new ApiError("wrong_state", { message: "This thread is not merged into another one." });

/** Returns the name of a thread in the audit. */
const nameOf = ({ id, number }: Pick<MergeRow, "id"> & { readonly number: number | null }): string =>
  number === null ? id : `#${number}`;

/**
 * Locks the failures of threads, then the threads. Reports and passed runs of a failure lock in the same order, so
 * none can come into a thread while it is merged.
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

/** Returns a thread that can be merged. Throws `not_found`, or `merged` if it is merged already. */
async function mergeable(tx: Transaction, id: string, caller: ConsoleCaller) {
  const found = await feedbackThreads.findApp(tx, id, caller);
  const thread = await merges.find(tx, id);
  if (found === undefined || thread === undefined) throw new ApiError("not_found");
  if (thread.mergedInto !== null) throw new ApiError("merged");
  return thread;
}

/** Locks and returns the thread into which a thread was merged. Throws `not_found` and `wrong_state`. */
async function lockedTarget(tx: Transaction, id: string, caller: ConsoleCaller): Promise<string> {
  for (let locked = ""; ; ) {
    const { id: target } = await readableThread(tx, id, caller);
    if (target === id) throw notMerged();
    if (target === locked) return target;
    locked = target;
    await lockAll(tx, [target]);
  }
}

/** Stores what follows from a merge for one of the two threads: its proposals, its activity and its event. */
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
  await tellChanged(deps, tx, { id, appId, at, fields });
}
