import { limits } from "../../../src/contract/limits.ts";
import { isUnfinished } from "../snooze/rules.ts";

const dayMilliseconds = 86_400_000;

/** Returns until when a merge can be undone. (rule F46) */
export const undoUntil = (mergedAt: string): string =>
  new Date(Date.parse(mergedAt) + limits.unmergeDays * dayMilliseconds).toISOString();

/** A merge, and whether something of a person was erased in the thread since. */
interface Undoable {
  readonly mergedAt: string;
  readonly erased: number;
  /** Whether the report of the merged thread is still there. */
  readonly hasReport: boolean;
}

/** Returns why a merge cannot be undone; undefined if it can. (rule F46) */
export function undoRefusal({ mergedAt, erased, hasReport }: Undoable, now: Date): string | undefined {
  if (erased === 1 || !hasReport)
    return "Data of a person was erased in this thread since. The merge cannot be undone.";
  if (now.toISOString() > undoUntil(mergedAt))
    return `A merge can only be undone within ${limits.unmergeDays} days.`;
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

/** A reply to everyone: the thread in which it was written, and the number of the first merge after it. */
export interface SharedReply {
  readonly home: string;
  readonly beforeMerge: number | null;
}

/**
 * Whether a reply to everyone went to a report. It did if the report belonged to the thread of the reply at that time.
 * The order comes from the numbers of merges, because clocks can be wrong. (rule M9)
 */
export function reaches({ home, beforeMerge }: SharedReply, homes: Homes): boolean {
  const since = homes.get(home);
  return since !== undefined && (beforeMerge === null || beforeMerge > since);
}

/** Returns a thread and all threads that were merged into it, also by way of others. */
export function withMerged(id: string, steps: readonly MergeStep[]): Set<string> {
  const found = new Set([id]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const step of steps) if (found.has(step.intoId)) found.add(step.id);
  }
  return found;
}

/** Whether a merge opens the other thread again, so that no open question is in a finished thread. (rule F77) */
export const opensAgain = (
  thread: { readonly status: string },
  other: { readonly status: string },
): boolean => isUnfinished(thread.status) && !isUnfinished(other.status);

/** What members can change in a thread. `activity` counts its events. */
export interface ThreadState {
  readonly status: string;
  readonly assigneeId: string | null;
  readonly snoozedUntil: string | null;
  readonly activity: number;
  /** The ids of its tags, sorted. */
  readonly tagIds: readonly string[];
}

/** A thread that a merge has opened again: its status and resolution from before, and its state just after it. */
export interface Reopened {
  readonly status: string;
  readonly resolvedAt: string | null;
  readonly after: ThreadState;
}

/** Whether nothing has happened in a thread since a merge opened it again. (rule F77) */
export const isAsReopened = ({ after }: Reopened, now: ThreadState): boolean =>
  after.status === now.status &&
  after.assigneeId === now.assigneeId &&
  after.snoozedUntil === now.snoozedUntil &&
  after.activity === now.activity &&
  after.tagIds.join() === now.tagIds.join();

/** A proposal, and whether it has an outcome. */
interface RunState {
  readonly status: string;
  readonly outcomeStatus: string | null;
}

/** Whether a proposal waits, is approved or is at work. `status` is the status at the present time. (rule F46) */
export const isOpenRun = ({ status, outcomeStatus }: RunState): boolean =>
  status === "awaiting_approval" || (status === "approved" && outcomeStatus === null);
