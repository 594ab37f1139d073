import { ConnectionError, ServerError } from "../src/client/errors.ts";
import { isTemporary } from "../src/client/retry.ts";
import type { Run } from "../src/contract/agent.ts";
import type { Clock } from "./clock.ts";

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
}

interface Watch {
  readonly sight: Sight;
  readonly decided: Promise<Observation>;
  waiters: number;
}

const holdSeconds = 25;
const pauses = { firstMs: 2_000, growth: 1.5, mostMs: 10_000, jitter: 0.2 };

export function createDecisionWatch(parts: WatchParts): AwaitDecision {
  const watches = new Map<string, Watch>();

  const join = (runId: string): Watch => {
    const watch = watches.get(runId) ?? startWatch(runId, parts);
    watches.set(runId, watch);
    watch.waiters += 1;
    return watch;
  };

  const leave = (runId: string, watch: Watch): void => {
    watch.waiters -= 1;
    if (watch.waiters > 0) return;
    watch.sight.stop.abort();
    if (watches.get(runId) === watch) watches.delete(runId);
  };

  return async (runId, milliseconds, signal) => {
    const watch = join(runId);
    const over = new AbortController();
    try {
      const deadline = parts.clock.sleep(milliseconds, AbortSignal.any([signal, over.signal]));
      return await Promise.race([watch.decided, deadline.then(() => observationOf(watch.sight))]);
    } finally {
      over.abort();
      leave(runId, watch);
    }
  };
}

function startWatch(runId: string, parts: WatchParts): Watch {
  const sight: Sight = { stop: new AbortController(), latest: undefined, failure: undefined, failedAt: null };
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
    const hold = sight.latest ? holdSeconds : 0;
    const failure = await look(sight, read(runId, hold, sight.stop.signal), clock);
    if (sight.latest && isDecided(sight.latest)) return observationOf(sight);
    const held = clock.now().getTime() - asked >= hold * 500;
    pauseMs =
      held && failure === undefined ? 0 : Math.min(pauses.mostMs, pauseMs * pauses.growth || pauses.firstMs);
    if (pauseMs > 0) await clock.sleep(pauseAfter(failure, pauseMs, random()), sight.stop.signal);
  }
}

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
