import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import { type ThreadChange, ThreadStatus } from "../../../src/contract/threads.ts";
import { expiryOf, type RunState } from "../proposals/rules.ts";
import { isUnfinished } from "../threads/rules.ts";

interface Mergeable {
  readonly appId: string;
  /** The id of the thread into which this thread was already merged; null if it was not merged. */
  readonly mergedInto: string | null;
}

/** The data that decides whether the thread `id` can be merged into the thread `into`. */
interface MergeFacts {
  readonly id: string;
  readonly into: string;
  /** The threads with the ids `id` and `into`; undefined if the caller may not read the thread. */
  readonly thread: Mergeable | undefined;
  readonly other: Mergeable | undefined;
  /** The proposals of the thread `id`. */
  readonly runs: readonly RunFacts[];
  /** The number of messages of the thread `id`. */
  readonly messages: number;
  /** The number of all threads that were merged into the threads `id` and `into`. */
  readonly merged: number;
  /** The number of merges in the longest chain through the thread `id`, including the new merge. */
  readonly depth: number;
}

/** Returns the error if a thread cannot be merged into another thread; otherwise undefined. (rule F46) */
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
      message: `At most ${limits.mergedThreads} threads can be merged into one thread. Merge the remaining threads into another thread.`,
    });
  if (depth > limits.mergeDepth)
    return new ApiError("wrong_state", {
      message: `A chain of merges can have at most ${limits.mergeDepth} merges. Merge the other thread into this one.`,
    });
  return undefined;
}

interface RunFacts extends Pick<RunState, "status" | "expiresAt"> {
  readonly outcomeStatus: string | null;
}

/** Whether a proposal awaits a decision, or has a valid approval and no outcome yet. (rule F46) */
export const isOpenRun = ({ outcomeStatus, ...run }: RunFacts, now: Date): boolean =>
  run.status === "awaiting_approval" ||
  (run.status === "approved" &&
    outcomeStatus === null &&
    expiryOf(run, { now, doubtful: false, behindMs: 0 }) === "good");

const dayMilliseconds = 86_400_000;

/** Returns the time until which a merge can be undone. (rule F46) */
export const undoUntil = (mergedAt: string): string =>
  new Date(Date.parse(mergedAt) + limits.unmergeDays * dayMilliseconds).toISOString();

interface Undoable {
  readonly mergedAt: string;
  /** 1 if personal data was erased in the thread since the merge; 0 otherwise. */
  readonly erased: number;
  /** The subject of the merged thread; null if its report was erased. */
  readonly subject: string | null;
}

/** Returns the error if a merge cannot be undone; otherwise undefined. (rule F46) */
export function undoRefusal({ mergedAt, erased, subject }: Undoable, now: Date): ApiError | undefined {
  if (erased === 1 || subject === null)
    return new ApiError("wrong_state", {
      message:
        "The merge cannot be undone, because data of a person was erased in this thread since the merge.",
    });
  if (now.toISOString() > undoUntil(mergedAt))
    return new ApiError("wrong_state", {
      message: `A merge can only be undone within ${limits.unmergeDays} days.`,
    });
  return undefined;
}

/** The merge of the thread `id` into the thread `intoId`. */
export interface MergeStep {
  readonly id: string;
  readonly intoId: string;
  /** A number that increases with each merge into the same thread. */
  readonly number: number;
}

/** Maps ids of threads to numbers of merges, as `homesOf` and `arrivalsAt` describe. The first id has 0. */
export type Homes = ReadonlyMap<string, number>;

/** Returns `id` with 0, and all threads that later received its reports, with the number of that merge. */
export function homesOf(id: string, steps: ReadonlyMap<string, MergeStep>): Homes {
  const homes = new Map([[id, 0]]);
  // The loop ends if a merge number does not increase. Otherwise wrong data could cause an endless loop.
  for (let step = steps.get(id), since = 0; step && step.number > since; step = steps.get(step.intoId)) {
    since = step.number;
    homes.set(step.intoId, since);
  }
  return homes;
}

/** Merges, grouped by `intoId`. */
export type MergesByTarget = ReadonlyMap<string, readonly MergeStep[]>;

export function byTarget(steps: readonly MergeStep[]): MergesByTarget {
  const groups = new Map<string, MergeStep[]>();
  for (const step of steps) {
    const group = groups.get(step.intoId);
    if (group) group.push(step);
    else groups.set(step.intoId, [step]);
  }
  return groups;
}

/** Returns `id` and all threads that merges moved into it. Each value is the number of the merge into `id`. */
export function arrivalsAt(id: string, merges: MergesByTarget): Homes {
  const arrivals = new Map([[id, 0]]);
  const next = (merges.get(id) ?? []).map((step) => ({ step, since: step.number }));
  for (let entry = next.pop(); entry; entry = next.pop()) {
    const { step, since } = entry;
    if (arrivals.has(step.id)) continue;
    arrivals.set(step.id, since);
    // The loop follows only merges with a smaller number than `step.number`, because wrong data could cause an
    // endless loop.
    for (const inner of merges.get(step.id) ?? [])
      if (inner.number < step.number) next.push({ step: inner, since });
  }
  return arrivals;
}

/** Returns the length of the longest chain of merges into `id`. `steps` must be all of these merges. */
export function depthOf(id: string, steps: readonly MergeStep[]): number {
  const depths = new Map<string, number>();
  // The depth of `from` is complete. Merges into `from` have smaller numbers, so the loop has already handled
  // these merges.
  for (const { id: from, intoId } of [...steps].sort((one, other) => one.number - other.number))
    depths.set(intoId, Math.max(depths.get(intoId) ?? 0, 1 + (depths.get(from) ?? 0)));
  return depths.get(id) ?? 0;
}

/** A reply to the senders of all reports of a thread. */
export interface SharedReply {
  /** The id of the thread in which the reply was written. */
  readonly home: string;
  /** The number of the first merge after the reply; null if no merge followed. */
  readonly beforeMerge: number | null;
}

/**
 * Whether a reply to everyone reached a report's sender. The merge with number `since` moved the report into
 * the reply's thread, unless `since` is 0. (rule M9)
 */
export const reaches = ({ beforeMerge }: SharedReply, since: number | undefined): boolean =>
  // Merge numbers are compared in place of times, because clocks can be wrong.
  since !== undefined && (beforeMerge === null || beforeMerge > since);

/**
 * Returns the change that a merge must make in `other`, so that an open question of `thread` stays visible.
 * (rule F77)
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

interface SnoozeRow {
  readonly status: string;
  readonly snoozedUntil: string | null;
}

/** The values of a thread that members can change, and `activity`, the number of activities in the thread. */
export interface ThreadState {
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  readonly activity: number;
  /** The ids of the thread's tags, sorted. */
  readonly tagIds: readonly string[];
}

/** The values of a thread before another thread was merged into it. `after` has the values after the merge. */
export interface Reopened {
  readonly status: string;
  readonly resolvedAt: string | null;
  /** The end of the snooze, or null. Undefined for a merge by an older version of the server. */
  readonly snoozedUntil?: string | null;
  readonly after: ThreadState;
}

/** Whether a thread still has the values that it had immediately after the merge. (rule F77) */
export const isAsReopened = ({ after }: Reopened, now: ThreadState): boolean =>
  after.status === now.status &&
  after.assigneeId === now.assigneeId &&
  after.snoozedUntil === now.snoozedUntil &&
  after.activity === now.activity &&
  namesOf(after) === namesOf(now);

/** Joins the tag ids without repeats. If two tags were merged, a stored state may contain the same id twice. */
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

/** A report. `email` is the normalised address of its sender (`normaliseEmail`). */
interface AddressedReport {
  readonly id: string;
  readonly email: string;
  readonly createdAt: string;
}

/** The reports of two threads after their merge was undone. */
export interface DividedReports {
  /** The reports of the thread that was taken out. */
  readonly inside: readonly AddressedReport[];
  /** The reports of the other thread. */
  readonly outside: readonly AddressedReport[];
}

/** Returns to which threads a mail belongs after an unmerge. Both threads may have the reply of this mail. */
export function placesOfMail(
  mail: { readonly reportId: string | null; readonly recipient: string },
  { inside, outside }: DividedReports,
  repliedAt: string,
): { readonly isInside: boolean; readonly isInBoth: boolean } {
  // Whether the mail is about a report of the thread that was taken out.
  const isInside = inside.some(({ id }) => id === mail.reportId);
  const others = isInside ? outside : inside;
  // Both threads have the mail if `others` has a report of the receiver from before the reply.
  const isInBoth = others.some(({ email, createdAt }) => email === mail.recipient && createdAt <= repliedAt);
  return { isInside, isInBoth };
}
