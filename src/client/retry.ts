import type { CallOptions } from "./call.ts";
import { ConnectionError, ServerError } from "./errors.ts";

/** A temporary failure, and the pause after it. */
export interface Pause {
  readonly waitMs: number;
  /** Until the time for the last try is over, the pause included. */
  readonly leftMs: number;
  readonly error: Error;
}

export interface RetryPolicy {
  /** The most tries, the first one included. */
  readonly attempts: number;
  /** The longest time from the start of the first try to the start of the last. */
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
 * Repeats an attempt until it succeeds, fails permanently, or reaches the limits of the policy; then throws the
 * last failure. Only for requests that may be repeated.
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

/** Whether the same request may succeed in a while. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return !permanent.has(error.code) && !/CERT|TLS|SSL/.test(error.code);
  if (!(error instanceof ServerError)) return false;
  return error.code === inProgress || passing.has(error.status) || error.status >= 500;
}

/** Whether the server has finally handled the request, so that its idempotency key is no longer needed. */
export const isSettled = (error: unknown): boolean => error instanceof ServerError && !isTemporary(error);

/** The pause that the server asks for; else half a second, doubled each time, with jitter. In milliseconds. */
function pauseAfter(error: Error, tries: number, random: () => number): number {
  const asked = error instanceof ServerError ? error.retryAfterSeconds : undefined;
  // A server that always answers `Retry-After: 0` must not be asked without a pause.
  if (asked !== undefined && (asked > 0 || tries === 1)) return asked * 1_000;
  return Math.round(Math.min(8_000, 500 * 2 ** (tries - 1)) * (0.5 + random() / 2));
}
