import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type ThreadChange, ThreadStatus } from "../../../src/contract/threads.ts";
import { expiryOf, type RunState } from "../proposals/rules.ts";
import { isUnfinished } from "../snooze/rules.ts";

/** A thread that is to be merged. */
interface Mergeable {
  readonly appId: string;
  /** The thread into which it is merged already. */
  readonly mergedInto: string | null;
}

/** The data that decides whether a thread can be merged into another one. */
interface MergeFacts {
  readonly id: string;
  readonly into: string;
  /** The two threads. Undefined for one that the caller may not read. */
  readonly thread: Mergeable | undefined;
  readonly other: Mergeable | undefined;
  /** The proposals of the first thread. */
  readonly runs: readonly RunFacts[];
  /** The number of its messages. */
  readonly messages: number;
  /** The number of threads that were merged into one of the two. */
  readonly merged: number;
  /** How many merges the longest chain would have that ends in the other thread. */
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
      message: `The thread has over ${limits.mergedMessages} messages. Merge the other thread into it.`,
    });
  if (merged >= limits.mergedThreads)
    return new ApiError("wrong_state", {
      message: `At most ${limits.mergedThreads} threads can be merged into one. Merge the others into another thread.`,
    });
  if (depth > limits.mergeDepth)
    return new ApiError("wrong_state", {
      message: `At most ${limits.mergeDepth} merges can follow each other. Merge the other thread into this one.`,
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

/** A merge, and whether something of a person was erased in the thread since then. */
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
  /** The place in the order of merges into the same thread. */
  readonly number: number;
}

/** The threads to which a report belonged, each with the number of the merge by which it came there; 0 for the first. */
export type Homes = ReadonlyMap<string, number>;

/**
 * Returns all threads to which a report of the thread `id` has belonged. A later merge has a greater number, so the
 * result ends even if the merges form a circle.
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
 * the merge by which its reports came into the thread; 0 for the thread itself. The numbers of merges grow on the way
 * to the thread, so the result ends even if the merges form a circle.
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

/** Returns how many merges the longest chain has that ends in a thread. The merges are all those into this thread. */
export function depthOf(id: string, steps: readonly MergeStep[]): number {
  const depths = new Map<string, number>();
  // A merge has a greater number than those into its own thread before it.
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
 * Whether a reply to everyone went to a report. It did if the report belonged to the thread of the reply at that time.
 * `since` is the number of the merge by which the report came into that thread; undefined if it never did. The order
 * comes from the numbers of merges, because clocks can be wrong. (rule M9)
 */
export const reaches = ({ beforeMerge }: SharedReply, since: number | undefined): boolean =>
  since !== undefined && (beforeMerge === null || beforeMerge > since);

/**
 * Returns what a merge changes in the other thread, so that no open question is in a finished thread, or is snoozed longer
 * than before. Undefined if it changes nothing. (rule F77)
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

/** A thread that a merge has changed: its status, resolution and snooze from before, and its state just after it. */
export interface Reopened {
  readonly status: string;
  readonly resolvedAt: string | null;
  /** Older merges did not change snoozes. */
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

/** Of two tags that became one, a stored state has the id twice. */
const namesOf = ({ tagIds }: ThreadState): string => [...new Set(tagIds)].sort().join();

/** Returns the change that gives a thread back what a merge has changed in it. (rule F77) */
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
