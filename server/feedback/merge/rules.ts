import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type ThreadChange, ThreadStatus } from "../../../src/contract/threads.ts";
import { expiryOf, type RunState } from "../proposals/rules.ts";
import { isUnfinished } from "../threads/rules.ts";

/** A thread that is to be merged. */
interface Mergeable {
  readonly appId: string;
  /** The id of the thread into which the thread was already merged. Null if it was not merged. */
  readonly mergedInto: string | null;
}

/** The data that decides whether a thread can be merged into another one. */
interface MergeFacts {
  readonly id: string;
  readonly into: string;
  /** The two threads. A thread that the caller may not read is undefined. */
  readonly thread: Mergeable | undefined;
  readonly other: Mergeable | undefined;
  /** The proposals of the first thread. */
  readonly runs: readonly RunFacts[];
  /** The number of messages of the first thread. */
  readonly messages: number;
  /** The number of threads that were merged into one of the two threads. */
  readonly merged: number;
  /** The number of merges in the longest chain that would end in the other thread. */
  readonly depth: number;
}

/** Returns why a thread cannot be merged into another one; undefined if it can. (rule F46) */
export function mergeRefusal(
  { id, into, thread, other, runs, messages, merged, depth }: MergeFacts,
  now: Date,
): ApiError | undefined {
  if (into === id) return badRequest("into", "must be another thread");
  for (const one of [thread, other]) {
    if (one === undefined) return new ApiError("not_found");
    if (one.mergedInto !== null) return new ApiError("merged");
  }
  if (thread?.appId !== other?.appId) return new ApiError("not_found");
  if (runs.some((run) => isOpenRun(run, now))) return new ApiError("run_open");
  if (messages > limits.mergedMessages)
    return new ApiError("wrong_state", {
      message: `This thread has more than ${limits.mergedMessages} messages. Merge the other thread into this one.`,
    });
  if (merged >= limits.mergedThreads)
    return new ApiError("wrong_state", {
      message: `At most ${limits.mergedThreads} threads can be merged into one. Merge the others into another thread.`,
    });
  if (depth > limits.mergeDepth)
    return new ApiError("wrong_state", {
      message: `A chain of merges can have at most ${limits.mergeDepth} merges. Merge the other thread into this one.`,
    });
  return undefined;
}

/** A proposal, and the outcome of its work. */
interface RunFacts extends Pick<RunState, "status" | "expiresAt"> {
  readonly outcomeStatus: string | null;
}

/**
 * Whether a proposal waits for a decision, is approved, or is carried out by a worker. An expired approval does not
 * count. (rule F46)
 */
export const isOpenRun = ({ outcomeStatus, ...run }: RunFacts, now: Date): boolean =>
  run.status === "awaiting_approval" ||
  (run.status === "approved" &&
    outcomeStatus === null &&
    expiryOf(run, { now, doubtful: false, behindMs: 0 }) === "good");

const dayMilliseconds = 86_400_000;

/** Returns until when a merge can be undone. (rule F46) */
export const undoUntil = (mergedAt: string): string =>
  new Date(Date.parse(mergedAt) + limits.unmergeDays * dayMilliseconds).toISOString();

/** A merge, and whether data of a person was erased in the thread since the merge. */
interface Undoable {
  readonly mergedAt: string;
  readonly erased: number;
  /** The subject in the report of the merged thread; null if the report was erased. */
  readonly subject: string | null;
}

/** Returns why a merge cannot be undone; undefined if it can. (rule F46) */
export function undoRefusal({ mergedAt, erased, subject }: Undoable, now: Date): ApiError | undefined {
  if (erased === 1 || subject === null)
    return new ApiError("wrong_state", {
      message: "Since the merge, data of a person was erased in this thread. So the merge cannot be undone.",
    });
  if (now.toISOString() > undoUntil(mergedAt))
    return new ApiError("wrong_state", {
      message: `A merge can only be undone within ${limits.unmergeDays} days.`,
    });
  return undefined;
}

/** A merge of one thread into another. */
export interface MergeStep {
  readonly id: string;
  readonly intoId: string;
  /** The position in the order of all merges into the same thread. */
  readonly number: number;
}

/**
 * The threads to which a report has belonged. Each has the number of the merge by which the report came into the
 * thread. The first thread has 0.
 */
export type Homes = ReadonlyMap<string, number>;

/**
 * Returns all threads to which a report of the thread `id` has belonged. The function follows only merges with
 * increasing numbers, so it ends even if the merges form a circle.
 */
export function homesOf(id: string, steps: ReadonlyMap<string, MergeStep>): Homes {
  const homes = new Map([[id, 0]]);
  for (let step = steps.get(id), since = 0; step && step.number > since; step = steps.get(step.intoId)) {
    since = step.number;
    homes.set(step.intoId, since);
  }
  return homes;
}

/** Merges, by the thread into which they went. */
export type MergesByTarget = ReadonlyMap<string, readonly MergeStep[]>;

/** Groups merges by the thread into which they went. */
export function byTarget(steps: readonly MergeStep[]): MergesByTarget {
  const groups = new Map<string, MergeStep[]>();
  for (const step of steps) {
    const group = groups.get(step.intoId);
    if (group) group.push(step);
    else groups.set(step.intoId, [step]);
  }
  return groups;
}

/**
 * Returns a thread and all threads that were merged into it, directly or through other threads. Each has the number of
 * the merge by which its reports came into the thread. The thread itself has 0. The function follows only merges with
 * decreasing numbers, so it ends even if the merges form a circle.
 */
export function arrivalsAt(id: string, merges: MergesByTarget): Homes {
  const arrivals = new Map([[id, 0]]);
  const next = (merges.get(id) ?? []).map((step) => ({ step, since: step.number }));
  for (let entry = next.pop(); entry; entry = next.pop()) {
    const { step, since } = entry;
    if (arrivals.has(step.id)) continue;
    arrivals.set(step.id, since);
    for (const inner of merges.get(step.id) ?? [])
      if (inner.number < step.number) next.push({ step: inner, since });
  }
  return arrivals;
}

/** Returns the number of merges in the longest chain that ends in a thread. `steps` are all merges into this thread. */
export function depthOf(id: string, steps: readonly MergeStep[]): number {
  const depths = new Map<string, number>();
  // If other threads were merged into a thread first, their merges have smaller numbers than its own merge. So they
  // come first here.
  for (const { id: from, intoId } of [...steps].sort((one, other) => one.number - other.number))
    depths.set(intoId, Math.max(depths.get(intoId) ?? 0, 1 + (depths.get(from) ?? 0)));
  return depths.get(id) ?? 0;
}

/** A reply to everyone: the thread in which it was written, and the number of the first merge after it. */
export interface SharedReply {
  readonly home: string;
  readonly beforeMerge: number | null;
}

/**
 * Whether a reply to everyone went to a report. It did if the report already belonged to the thread of the reply when
 * the reply was written. `since` is the number of the merge by which the report came into that thread, or undefined if
 * the report never belonged to it. The numbers of merges tell the order, because clocks can be wrong. (rule M9)
 */
export const reaches = ({ beforeMerge }: SharedReply, since: number | undefined): boolean =>
  since !== undefined && (beforeMerge === null || beforeMerge > since);

/**
 * Returns the change that a merge must make in the other thread. Without this change, an open question could be in a
 * finished thread, or could be snoozed for longer than before. Undefined if no change is necessary. (rule F77)
 */
export function changeByMerge(
  thread: SnoozeRow,
  other: SnoozeRow,
  now: Date,
): { readonly status: "open" } | { readonly snoozedUntil: string | null } | undefined {
  if (!isUnfinished(thread.status)) return undefined;
  if (!isUnfinished(other.status)) return { status: "open" };
  const [until, otherUntil] = [thread, other].map(({ snoozedUntil }) =>
    snoozedUntil !== null && snoozedUntil > now.toISOString() ? snoozedUntil : null,
  );
  if (otherUntil == null) return undefined;
  return until == null || until < otherUntil ? { snoozedUntil: until ?? null } : undefined;
}

/** The status of a thread, and its snooze. */
interface SnoozeRow {
  readonly status: string;
  readonly snoozedUntil: string | null;
}

/** What members can change in a thread. `activity` counts its events. */
export interface ThreadState {
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  readonly activity: number;
  /** The ids of its tags, sorted. */
  readonly tagIds: readonly string[];
}

/**
 * A thread that a merge has changed. It has the status, the resolution and the snooze from before the merge. `after` is
 * the state directly after the merge.
 */
export interface Reopened {
  readonly status: string;
  readonly resolvedAt: string | null;
  /** Undefined for merges by older versions, which did not change snoozes. */
  readonly snoozedUntil?: string | null;
  readonly after: ThreadState;
}

/** Whether nothing has happened in a thread since a merge changed it. (rule F77) */
export const isAsReopened = ({ after }: Reopened, now: ThreadState): boolean =>
  after.status === now.status &&
  after.assigneeId === now.assigneeId &&
  after.snoozedUntil === now.snoozedUntil &&
  after.activity === now.activity &&
  namesOf(after) === namesOf(now);

/** Returns the ids of the tags as one text. If two tags became one, a stored state has the id of this tag twice. */
const namesOf = ({ tagIds }: ThreadState): string => [...new Set(tagIds)].sort().join();

/** Returns the change that restores the values that a merge has changed in a thread. (rule F77) */
export function changeAfterUnmerge(
  { status: before, snoozedUntil: until = null }: Reopened,
  present: ThreadState,
  now: Date,
): Pick<ThreadChange, "status" | "snoozedUntil"> {
  const status = ThreadStatus.safeParse(before).data;
  const isAhead = until !== null && until > now.toISOString() && until !== present.snoozedUntil;
  return {
    ...(status === undefined || status === present.status ? {} : { status }),
    ...(isAhead ? { snoozedUntil: until } : {}),
  };
}
