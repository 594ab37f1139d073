import { ConnectionError } from "../src/client/errors.ts";
import { type Clock, longPoll, type PollResult } from "../src/client/wait.ts";
import { limits } from "../src/contract/limits.ts";
import type { Run } from "../src/contract/runs.ts";
import { type Connection, readRun } from "./refusals.ts";

/** The state of a proposal at the end of a wait. */
export interface Observation {
  readonly run: Run;
  /** The time of the last failed request, or null. An earlier wait may have sent that request. */
  readonly lastErrorAt: Date | null;
}

export interface WatchParts {
  readonly connection: Connection;
  readonly clock: Clock;
  /** Returns a random number from 0 to below 1, so that the pauses between requests differ. */
  readonly random: () => number;
}

/** Resolves at the decision of a person or when the time is over. Calls for one proposal share requests. */
export type AwaitDecision = (
  runId: string,
  milliseconds: number,
  signal: AbortSignal,
) => Promise<Observation>;

/** The state of the requests about one proposal. All calls that wait for the decision share this state. */
interface WatchState {
  readonly stop: AbortController;
  latest: Run | undefined;
  failure: unknown;
  failedAt: Date | null;
  /** The time at which the longest wait ends, in epoch milliseconds. */
  until: number;
}

interface Watch {
  readonly state: WatchState;
  readonly decided: Promise<Observation>;
  waiters: number;
}

/** The last pause ends this long after the longest wait. Otherwise, the loop could send one more request. */
const graceMs = 50;

export function createDecisionWatch(parts: WatchParts): AwaitDecision {
  const watches = new Map<string, Watch>();

  const join = (runId: string, milliseconds: number): Watch => {
    const until = parts.clock.now().getTime() + milliseconds;
    const watch = watches.get(runId) ?? startWatch(runId, until, parts);
    watches.set(runId, watch);
    watch.state.until = Math.max(watch.state.until, until);
    watch.waiters += 1;
    return watch;
  };

  const leave = (runId: string, watch: Watch): void => {
    watch.waiters -= 1;
    if (watch.waiters > 0) return;
    watch.state.stop.abort();
    if (watches.get(runId) === watch) watches.delete(runId);
  };

  /** Returns the state at the end of a wait. If there is no answer yet, reads the proposal once. */
  const observeAtDeadline = async (
    state: WatchState,
    runId: string,
    signal: AbortSignal,
  ): Promise<Observation> => {
    if (state.latest || state.failure !== undefined) return observationOf(state);
    const run = await readRun(parts.connection, runId, { holdSeconds: 0, signal });
    return { run, lastErrorAt: null };
  };

  return async (runId, milliseconds, signal) => {
    const watch = join(runId, milliseconds);
    const over = new AbortController();
    try {
      const deadline = parts.clock.sleep(milliseconds, AbortSignal.any([signal, over.signal]));
      return await Promise.race([
        watch.decided,
        deadline.then(() => observeAtDeadline(watch.state, runId, signal)),
      ]);
    } finally {
      over.abort();
      leave(runId, watch);
    }
  };
}

function startWatch(runId: string, until: number, parts: WatchParts): Watch {
  const stop = new AbortController();
  const state: WatchState = { stop, latest: undefined, failure: undefined, failedAt: null, until };
  const decided = follow(state, runId, parts);
  decided.catch(() => undefined);
  return { state, decided, waiters: 0 };
}

/**
 * Reads the proposal repeatedly until a person has decided, and stores each result in `state`. Throws permanent
 * failures.
 */
async function follow(
  state: WatchState,
  runId: string,
  { connection, clock, random }: WatchParts,
): Promise<Observation> {
  const { signal } = state.stop;
  const results = longPoll({
    ask: (holdSeconds) => readRun(connection, runId, { holdSeconds, signal }),
    holdSeconds: (leftMs) => longestHold(leftMs - graceMs),
    leftMs: () => state.until + graceMs - clock.now().getTime(),
    pauses: { firstMs: 2_000, growth: 1.5, mostMs: 10_000 },
    clock,
    signal,
    random,
  });
  for (;;) {
    const { value: result } = await results.next();
    record(state, result);
    if (state.latest && isDecided(state.latest)) return observationOf(state);
  }
}

/**
 * Returns for how many seconds the server may delay its answer. The delay ends before `leftMs` milliseconds
 * have passed.
 */
const longestHold = (leftMs: number): number =>
  Math.max(0, Math.min(limits.waitSeconds, Math.ceil(leftMs / 1_000) - 1));

function record(state: WatchState, result: PollResult<Run>): void {
  if ("value" in result) {
    state.latest = result.value;
    return;
  }
  state.failure = result.failure;
  state.failedAt = result.at;
}

const isDecided = (run: Run): boolean => run.status !== "awaiting_approval";

function observationOf({ latest, failure, failedAt }: WatchState): Observation {
  if (latest) return { run: latest, lastErrorAt: failedAt };
  throw failure ?? new ConnectionError("timeout", "The server did not answer in time.");
}
