import { longestTimerMs } from "../waiting/sleep.ts";
import { timeoutError, tooSlow } from "./connection-errors.ts";
import type { WireRequest } from "./wire.ts";

/** The signal of one call, and what keeps it from aborting. */
export interface CallLimits {
  /** Aborts with the caller's reason, or with a ConnectionError when the server takes too long. */
  readonly signal: AbortSignal;
  /** Something was sent or received: the time of silence starts again. */
  readonly moved: () => void;
  /** The request is sent, or its answer begins: the time for the whole answer starts. */
  readonly answering: () => void;
  /** Stops the timers and the signal. */
  readonly clear: () => void;
}

/** Starts the time limits of a request. */
export function startLimits({ url, timeoutMs, answerMs, signal }: WireRequest): CallLimits {
  const over = new AbortController();
  const after = (milliseconds: number, error: () => Error) =>
    setTimeout(() => over.abort(error()), Math.min(milliseconds, longestTimerMs));
  const silence = after(timeoutMs, () => timeoutError(url, timeoutMs));
  let answer: NodeJS.Timeout | undefined;
  const stop = () => over.abort(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener("abort", stop, { once: true });
  return {
    signal: over.signal,
    moved: () => void silence.refresh(),
    answering() {
      answer ??= after(answerMs, () => tooSlow(url, answerMs));
    },
    clear() {
      clearTimeout(silence);
      clearTimeout(answer);
      signal?.removeEventListener("abort", stop);
    },
  };
}
