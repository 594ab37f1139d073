/** The clock of the program. A test can replace it. */
export interface Clock {
  now(): Date;
  /** Waits. Rejects with the signal's reason if the signal aborts before the end. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => new Date(), sleep };

/** The longest time of one timer. A timer that is set for longer fires immediately. */
export const longestTimerMs = 2 ** 31 - 1;

/** Waits for any length of time. Rejects with the signal's reason if the signal aborts before the end. */
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
