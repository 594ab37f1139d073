import { ConnectionError, ServerError } from "../../../src/client/errors.ts";
import { isTemporary } from "../../../src/client/waiting/retry.ts";
import type { Run } from "../../../src/contract/agent.ts";
import type { Clock } from "../../clock.ts";

/** What is known of a run when a wait ends. */
export interface Observation {
  readonly run: Run;
  /** When the server last failed to answer, in this wait or the one it joined. */
  readonly lastErrorAt: Date | null;
}

export interface WatchParts {
  /** Reads a run; the server may hold its answer for so many seconds while nobody has decided. */
  readonly read: (runId: string, holdSeconds: number, signal: AbortSignal) => Promise<Run>;
  readonly clock: Clock;
  /** From 0 up to 1, for the jitter of pauses. */
  readonly random: () => number;
}

/** Waits until a run is decided or the time is over. All who wait for one run share one sequence of requests. */
export type AwaitDecision = (
  runId: string,
  milliseconds: number,
  signal: AbortSignal,
) => Promise<Observation>;

/** What a sequence of requests has seen so far. */
interface Sight {
  readonly stop: AbortController;
  latest: Run | undefined;
  failure: unknown;
  failedAt: Date | null;
  /** When the last of those who wait goes, in epoch milliseconds. */
  until: number;
}

interface Watch {
  readonly sight: Sight;
  readonly decided: Promise<Observation>;
  waiters: number;
}

const mostIdleMs = 1_500;
/** As long as servers hold an answer at most. */
const longestHoldSeconds = 55;
const pauses = { firstMs: 2_000, growth: 1.5, mostMs: 10_000, jitter: 0.2 };

export function createDecisionWatch(parts: WatchParts): AwaitDecision {
  const watches = new Map<string, Watch>();

  const join = (runId: string, milliseconds: number): Watch => {
    const until = parts.clock.now().getTime() + milliseconds;
    const watch = watches.get(runId) ?? startWatch(runId, until, parts);
    watches.set(runId, watch);
    watch.sight.until = Math.max(watch.sight.until, until);
    watch.waiters += 1;
    return watch;
  };

  const leave = (runId: string, watch: Watch): void => {
    watch.waiters -= 1;
    if (watch.waiters > 0) return;
    watch.sight.stop.abort();
    if (watches.get(runId) === watch) watches.delete(runId);
  };

  /** A caller that stops waiting before the first answer has come reads the run once itself. */
  const lastLook = async (sight: Sight, runId: string, signal: AbortSignal): Promise<Observation> => {
    if (sight.latest || sight.failure !== undefined) return observationOf(sight);
    return { run: await parts.read(runId, 0, signal), lastErrorAt: null };
  };

  return async (runId, milliseconds, signal) => {
    const watch = join(runId, milliseconds);
    const over = new AbortController();
    try {
      const deadline = parts.clock.sleep(milliseconds, AbortSignal.any([signal, over.signal]));
      return await Promise.race([watch.decided, deadline.then(() => lastLook(watch.sight, runId, signal))]);
    } finally {
      over.abort();
      leave(runId, watch);
    }
  };
}

function startWatch(runId: string, until: number, parts: WatchParts): Watch {
  const stop = new AbortController();
  const sight: Sight = { stop, latest: undefined, failure: undefined, failedAt: null, until };
  const decided = follow(sight, runId, parts);
  decided.catch(() => undefined);
  return { sight, decided, waiters: 0 };
}

/** Asks until the run is decided. What is wrong for a while only costs time; what stays wrong is thrown. */
async function follow(
  sight: Sight,
  runId: string,
  { read, clock, random }: WatchParts,
): Promise<Observation> {
  let pauseMs = 0;
  for (;;) {
    const asked = clock.now().getTime();
    const hold = holdSeconds(sight.until - asked);
    const failure = await look(sight, read(runId, hold, sight.stop.signal), clock);
    if (sight.latest && isDecided(sight.latest)) return observationOf(sight);
    const held = hold > 0 && clock.now().getTime() - asked >= hold * 500;
    const leftMs = sight.until - clock.now().getTime();
    // The wait is as good as over: another read would cost the agent one more of its hour.
    if (held && leftMs <= mostIdleMs) await clock.sleep(Math.max(0, leftMs), sight.stop.signal);
    pauseMs =
      held && failure === undefined ? 0 : Math.min(pauses.mostMs, pauseMs * pauses.growth || pauses.firstMs);
    if (pauseMs > 0) await clock.sleep(pauseAfter(failure, pauseMs, random()), sight.stop.signal);
  }
}

/** All the time that is left, so that a wait costs one read; but the answer must come before the wait is over. */
const holdSeconds = (leftMs: number): number =>
  Math.max(0, Math.min(longestHoldSeconds, Math.ceil(leftMs / 1_000) - 1));

/** Notes the run, or the failure, which it gives back. */
async function look(sight: Sight, reading: Promise<Run>, clock: Clock): Promise<unknown> {
  try {
    sight.latest = await reading;
    return undefined;
  } catch (error) {
    if (sight.stop.signal.aborted || !isTemporary(error)) throw error;
    sight.failure = error;
    sight.failedAt = clock.now();
    return error;
  }
}

const isDecided = (run: Run): boolean => run.status !== "awaiting_approval";

function pauseAfter(failure: unknown, pauseMs: number, random: number): number {
  if (failure instanceof ServerError && failure.retryAfterSeconds !== undefined)
    return Math.max(1_000, failure.retryAfterSeconds * 1_000);
  return pauseMs * (1 + pauses.jitter * (2 * random - 1));
}

function observationOf({ latest, failure, failedAt }: Sight): Observation {
  if (latest) return { run: latest, lastErrorAt: failedAt };
  throw failure ?? new ConnectionError("timeout", "The server did not answer in time.");
}
