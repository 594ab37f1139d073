import { limits } from "../contract/limits.ts";
import type { Run } from "../contract/runs.ts";
import type { CallOptions, Client } from "./call.ts";
import { ConnectionError, ServerError } from "./errors.ts";

/**
 * Waits at most `seconds` for a decision. Returns the proposal. Throws permanent failures, and a failure of the
 * last request.
 */
export async function waitForDecision(
  client: Pick<Client, "agent">,
  runId: string,
  {
    seconds,
    clock,
    signal,
  }: {
    /** For how many seconds to wait for a person. With 0, sends one request. */
    readonly seconds: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal;
  },
): Promise<Run> {
  const end = clock.now().getTime() + seconds * 1_000;
  const leftMs = () => Math.max(0, end - clock.now().getTime());
  const result = await pollUntil(
    {
      ask: (wait) => readRun(client, { runId, wait, signal }),
      holdSeconds: (left) => Math.min(limits.waitSeconds, Math.floor(left / 1_000)),
      leftMs,
      pauses: { firstMs: 2_000, growth: 1.5, mostMs: 30_000 },
      clock,
      signal,
    },
    ({ status }) => status !== "awaiting_approval",
  );
  if ("failure" in result) throw result.failure;
  return result.value;
}

/** Reads a proposal. Rejects with the errors of the client. */
const readRun = (
  client: Pick<Client, "agent">,
  {
    runId,
    wait,
    signal,
  }: {
    readonly runId: string;
    /** The number of seconds for which the server may delay its answer while there is no decision. */
    readonly wait: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Run> =>
  client.agent.readRun({ params: { runId }, query: wait > 0 ? { wait: String(wait) } : {}, signal });

/**
 * Waits until a person approves this device. Returns the sign-in code, `late` after `seconds`, or `unsupported`
 * if the server reports no approvals. Throws after a refusal and for permanent failures.
 */
export async function waitForSignInCode(
  client: Pick<Client, "signIn">,
  device: { readonly deviceId: string; readonly challenge: string },
  {
    seconds,
    clock,
    signal,
  }: {
    /** For how many seconds to wait for the person. */
    readonly seconds: number;
    readonly clock: Clock;
    readonly signal?: AbortSignal;
  },
): Promise<{ readonly code: string } | "late" | "unsupported"> {
  const end = clock.now().getTime() + seconds * 1_000;
  const result = await pollUntil(
    {
      ask: (wait) => askForCode(client, { ...device, wait }, signal),
      holdSeconds: (left) => Math.min(limits.waitSeconds, Math.ceil(left / 1_000)),
      leftMs: () => Math.max(0, end - clock.now().getTime()),
      pauses: { firstMs: 2_000, growth: 1.5, mostMs: 15_000 },
      clock,
      signal,
    },
    (value) => value !== "pending",
  );
  return "failure" in result || result.value === "pending" ? "late" : result.value;
}

async function askForCode(
  client: Pick<Client, "signIn">,
  body: { readonly deviceId: string; readonly challenge: string; readonly wait: number },
  signal: AbortSignal | undefined,
): Promise<{ readonly code: string } | "pending" | "unsupported"> {
  try {
    return (await client.signIn.await({ body, signal })) ?? "pending";
  } catch (error) {
    if (error instanceof ServerError && (error.status === 404 || error.status === 405)) return "unsupported";
    throw error;
  }
}

/** The value of one request, or its failure. The next request is sent after `nextInMs`. */
export type PollResult<Value> = { readonly at: Date; readonly nextInMs: number } & (
  | { readonly value: Value }
  | { readonly failure: Error }
);

/** The pauses between requests. Each pause is longer than the pause before it, up to `mostMs`. */
export interface Pauses {
  readonly firstMs: number;
  readonly growth: number;
  readonly mostMs: number;
}

interface LongPoll<Value> {
  /** Sends one request. The server may delay its answer for `holdSeconds`. With 0, the server answers immediately. */
  readonly ask: (holdSeconds: number) => Promise<Value>;
  /** Returns for how many seconds the server may delay its answer. `leftMs` is the remaining time of the caller. */
  readonly holdSeconds: (leftMs: number) => number;
  /** Returns the remaining time of the caller in milliseconds. It may become longer while the caller waits. */
  readonly leftMs: () => number;
  readonly pauses: Pauses;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** A random number from 0 to 1, which changes a pause by up to a fifth. Optional. */
  readonly random?: (() => number) | undefined;
}

const mostIdleMs = 1_500;

const jitter = 0.2;

/**
 * Sends requests repeatedly and yields each result or temporary failure. Throws other failures, and the reason
 * of an aborted signal.
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
    // After an answer that the server delayed, there is no pause.
    pauseMs = held ? 0 : nextPause(pauseMs, poll.pauses);
    const nextInMs = Math.min(held ? idleRest(leftMs()) : waitAfter(outcome, pauseMs, poll), leftMs());
    yield { ...outcome, at, nextInMs };
    if (nextInMs > 0) await clock.sleep(nextInMs, signal);
  }
}

/**
 * Sends requests until `isEnough` accepts a result, or the time is over. Returns the last result. Throws like
 * `longPoll`.
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

/** Returns the remaining time if it is too short for another request; otherwise 0. */
const idleRest = (leftMs: number): number => (leftMs <= mostIdleMs ? leftMs : 0);

/**
 * Returns the pause in milliseconds that the server requests. If it requests none, returns `pauseMs`, changed
 * by a random part.
 */
function waitAfter(outcome: object, pauseMs: number, { random }: Pick<LongPoll<unknown>, "random">): number {
  const failure = "failure" in outcome ? outcome.failure : undefined;
  if (failure instanceof ServerError && failure.retryAfterSeconds !== undefined)
    return Math.max(1, failure.retryAfterSeconds) * 1_000;
  return random ? pauseMs * (1 + jitter * (2 * random() - 1)) : pauseMs;
}

/** A temporary failure, and the pause after it. */
export interface Pause {
  readonly waitMs: number;
  /** The remaining time in milliseconds, including this pause. The last attempt must start within this time. */
  readonly leftMs: number;
  readonly error: Error;
}

export interface RetryPolicy {
  /** The maximum number of attempts, including the first attempt. */
  readonly attempts: number;
  /** The longest time in milliseconds from the start of the first attempt to the start of the last attempt. */
  readonly maxWaitMs: number;
  readonly now: () => Date;
  readonly random: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Called before each pause. */
  readonly onRetry?: (pause: Pause) => void;
}

const permanent = new Set(["EPROTO", "bad_proxy", "too_long", "too_large", "too_slow"]);

const passing = new Set([408, 425, 429]);

const inProgress = "idempotency_in_progress";

/**
 * Calls `attempt`, which must be repeatable, until it succeeds. Throws permanent failures, and the last failure
 * if `policy` allows no further attempt. (rule L5)
 */
export async function repeatedly<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  { signal, repeatAfter = () => true }: Pick<CallOptions, "signal" | "repeatAfter"> = {},
): Promise<T> {
  const begun = policy.now().getTime();
  let waited = 0;
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Error) || !isTemporary(error) || !repeatAfter(error)) throw error;
      if (tries >= policy.attempts) throw error;
      const waitMs = pauseAfter(error, tries, policy.random);
      const passed = Math.max(waited, policy.now().getTime() - begun);
      if (passed + waitMs > policy.maxWaitMs) throw error;
      policy.onRetry?.({ waitMs, leftMs: policy.maxWaitMs - passed, error });
      await policy.sleep(waitMs, signal);
      waited += waitMs;
    }
  }
}

/** Whether the same request may succeed later. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return !permanent.has(error.code) && !/CERT|TLS|SSL/.test(error.code);
  if (!(error instanceof ServerError)) return false;
  return error.code === inProgress || passing.has(error.status) || error.status >= 500;
}

/**
 * Whether an error means that the server has handled the request. Its idempotency key is not needed any more.
 */
export const isSettled = (error: unknown): boolean => error instanceof ServerError && !isTemporary(error);

/**
 * Returns the pause in milliseconds that the server requests. Otherwise returns a random pause, which grows
 * with `tries` up to 8 seconds.
 */
function pauseAfter(error: Error, tries: number, random: () => number): number {
  const asked = error instanceof ServerError ? error.retryAfterSeconds : undefined;
  // Without this condition, a server that always answers `Retry-After: 0` would get requests without a pause.
  if (asked !== undefined && (asked > 0 || tries === 1)) return asked * 1_000;
  return Math.round(Math.min(8_000, 500 * 2 ** (tries - 1)) * (0.5 + random() / 2));
}

/** The clock of the program. A test can replace it. */
export interface Clock {
  now(): Date;
  /** Resolves after a time. If the signal aborts during this time, rejects with the reason of the signal. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => new Date(), sleep };

/** The longest time of one timer, in milliseconds. A timer with a longer time fires immediately. */
export const longestTimerMs = 2 ** 31 - 1;

/** Resolves after a time of any length. If the signal aborts before, rejects with the reason of the signal. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let left = milliseconds;
  do {
    await wait(Math.min(left, longestTimerMs), signal);
    left -= longestTimerMs;
  } while (left > 0);
}

const wait = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });

/** Returns a function that calls `make` at its first call. All later calls return the same value. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
