/** The time. A test can replace it. */
export interface Clock {
  now(): Date;
  /** Rejects with the signal's reason when that aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => new Date(), sleep };

/** A timer that is set for longer fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Waits, however long that is; rejects with the signal's reason when that aborts first. */
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
