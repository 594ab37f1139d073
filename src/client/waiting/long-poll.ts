import { ServerError } from "../errors.ts";
import type { Clock } from "./clock.ts";
import { isTemporary } from "./retry.ts";

/** What one request saw, or why it saw nothing. The next request follows after `nextInMs`. */
export type Look<Seen> = { readonly at: Date; readonly nextInMs: number } & (
  | { readonly seen: Seen }
  | { readonly failure: Error }
);

/** The pauses between requests that the server did not hold: each is longer than the one before. */
export interface Pauses {
  readonly firstMs: number;
  readonly growth: number;
  readonly mostMs: number;
}

export interface LongPoll<Seen> {
  /** Asks once. The server may hold its answer for `holdSeconds`; 0 wants the answer at once. */
  readonly ask: (holdSeconds: number) => Promise<Seen>;
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
 * Asks a server again and again, and yields each look. Asks at once after an answer that the server held, and pauses
 * after any other. A failure that may pass is a look; any other failure, and the signal's reason, are thrown.
 */
export async function* longPoll<Seen>(poll: LongPoll<Seen>): AsyncGenerator<Look<Seen>, never, undefined> {
  const { clock, leftMs, signal } = poll;
  let pauseMs = 0;
  for (;;) {
    signal?.throwIfAborted();
    const askedAt = clock.now().getTime();
    const hold = poll.holdSeconds(leftMs());
    const found = await lookOnce(poll, hold);
    const at = clock.now();
    const held = "seen" in found && hold > 0 && at.getTime() - askedAt >= hold * 500;
    pauseMs = held ? 0 : nextPause(pauseMs, poll.pauses);
    const nextInMs = Math.min(held ? idleRest(leftMs()) : waitAfter(found, pauseMs, poll), leftMs());
    yield { ...found, at, nextInMs };
    if (nextInMs > 0) await clock.sleep(nextInMs, signal);
  }
}

/**
 * Asks until `isEnough`, or until the caller's time is over. Gives the last look. `onLook` runs after each look that is
 * not the last. Throws as `longPoll` does.
 */
export async function lookUntil<Seen>(
  poll: LongPoll<Seen>,
  isEnough: (seen: Seen) => boolean,
  onLook?: () => void,
): Promise<Look<Seen>> {
  const looks = longPoll(poll);
  for (;;) {
    const { value: look } = await looks.next();
    if ("seen" in look && isEnough(look.seen)) return look;
    if (poll.leftMs() <= 0) return look;
    onLook?.();
  }
}

async function lookOnce<Seen>({ ask, signal }: LongPoll<Seen>, holdSeconds: number) {
  try {
    return { seen: await ask(holdSeconds) };
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
function waitAfter(found: object, pauseMs: number, { random }: Pick<LongPoll<unknown>, "random">): number {
  const failure = "failure" in found ? found.failure : undefined;
  if (failure instanceof ServerError && failure.retryAfterSeconds !== undefined)
    return Math.max(1, failure.retryAfterSeconds) * 1_000;
  return random ? pauseMs * (1 + jitter * (2 * random() - 1)) : pauseMs;
}
