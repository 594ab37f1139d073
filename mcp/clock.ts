import { setTimeout } from "node:timers/promises";

/** Time, so that a test can hold it. */
export interface Clock {
  now(): Date;
  /** Rejects when the signal aborts first. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }),
};
