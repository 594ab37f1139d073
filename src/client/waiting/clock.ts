import { sleep } from "./sleep.ts";

/** Time, so that a test can hold it. */
export interface Clock {
  now(): Date;
  /** Rejects with the signal's reason when that aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = { now: () => new Date(), sleep };
