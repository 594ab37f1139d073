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
