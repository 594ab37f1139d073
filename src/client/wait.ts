import type { Clock } from "./clock.ts";
import { ServerError } from "./errors.ts";
import { isTemporary } from "./retry.ts";

/** What one request gave, or why it failed. The next request follows after `nextInMs`. */
export type PollResult<Value> = { readonly at: Date; readonly nextInMs: number } & (
  | { readonly value: Value }
  | { readonly failure: Error }
);

/** The pauses between requests that the server did not hold: each is longer than the one before. */
export interface Pauses {
  readonly firstMs: number;
  readonly growth: number;
  readonly mostMs: number;
}

export interface LongPoll<Value> {
  /** Asks once. The server may hold its answer for `holdSeconds`; 0 wants the answer at once. */
  readonly ask: (holdSeconds: number) => Promise<Value>;
  /** How long the server may hold its answer when the caller still waits for `leftMs`. */
  readonly holdSeconds: (leftMs: number) => number;
  /** How long the caller still waits; it may grow meanwhile. */
  readonly leftMs: () => number;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Makes pauses up to a fifth longer or shorter: from 0 up to 1. Without it they are exact. */
  readonly random?: (() => number) | undefined;
}

const mostIdleMs = 1_500;
const jitter = 0.2;

/**
 * Asks a server again and again, and yields each result. Asks at once after an answer that the server held, and pauses
 * after any other. A temporary failure is a result; any other failure, and the signal's reason, are thrown.
 */
export async function* longPoll<Value>(
  poll: LongPoll<Value>,
): AsyncGenerator<PollResult<Value>, never, undefined> {
  const { clock, leftMs, signal } = poll;
  let pauseMs = 0;
  for (;;) {
    signal?.throwIfAborted();
    const askedAt = clock.now().getTime();
    const hold = poll.holdSeconds(leftMs());
    const outcome = await pollOnce(poll, hold);
    const at = clock.now();
    const held = "value" in outcome && hold > 0 && at.getTime() - askedAt >= hold * 500;
    pauseMs = held ? 0 : nextPause(pauseMs, poll.pauses);
    const nextInMs = Math.min(held ? idleRest(leftMs()) : waitAfter(outcome, pauseMs, poll), leftMs());
    yield { ...outcome, at, nextInMs };
    if (nextInMs > 0) await clock.sleep(nextInMs, signal);
  }
}

/**
 * Asks until `isEnough`, or until the caller's time is over. Gives the last result. Throws as `longPoll` does.
 */
export async function pollUntil<Value>(
  poll: LongPoll<Value>,
  isEnough: (value: Value) => boolean,
): Promise<PollResult<Value>> {
  const results = longPoll(poll);
  for (;;) {
    const { value: result } = await results.next();
    if ("value" in result && isEnough(result.value)) return result;
    if (poll.leftMs() <= 0) return result;
  }
}

async function pollOnce<Value>({ ask, signal }: LongPoll<Value>, holdSeconds: number) {
  try {
    return { value: await ask(holdSeconds) };
  } catch (error) {
    if (signal?.aborted || !(error instanceof Error) || !isTemporary(error)) throw error;
    return { failure: error };
  }
}

const nextPause = (pauseMs: number, { firstMs, growth, mostMs }: Pauses): number =>
  Math.min(mostMs, pauseMs * growth || firstMs);

/** So little time is left that another request is not worth it. */
const idleRest = (leftMs: number): number => (leftMs <= mostIdleMs ? leftMs : 0);

/** As long as the server asks for; else the pause. */
function waitAfter(outcome: object, pauseMs: number, { random }: Pick<LongPoll<unknown>, "random">): number {
  const failure = "failure" in outcome ? outcome.failure : undefined;
  if (failure instanceof ServerError && failure.retryAfterSeconds !== undefined)
    return Math.max(1, failure.retryAfterSeconds) * 1_000;
  return random ? pauseMs * (1 + jitter * (2 * random() - 1)) : pauseMs;
}
