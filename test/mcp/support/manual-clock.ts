import type { Clock } from "../../../src/client/wait.ts";

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock that does not move until the test moves it. */
export function manualClock(start = new Date("2026-11-21T10:00:00.000Z")) {
  let now = start.getTime();
  const sleepers = new Set<Sleeper>();

  const clock: Clock = {
    now: () => new Date(now),
    sleep: (milliseconds, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener("abort", stop);
          resolve();
        };
        const sleeper = { at: now + milliseconds, wake };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", stop);
      }),
  };

  return {
    clock,
    /** The number of waits that have not ended. */
    sleeping: () => sleepers.size,
    /** Ends the waits that become due, in order, and lets the code after each one run. */
    async advance(seconds: number): Promise<void> {
      const end = now + seconds * 1_000;
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        now = Math.max(now, next.at);
        sleepers.delete(next);
        next.wake();
        await turns();
      }
      now = end;
      await turns();
    },
  };
}

async function turns(): Promise<void> {
  for (let i = 0; i < 5; i += 1) await new Promise((resolve) => setImmediate(resolve));
}
