import type { Clock } from "../clock.ts";

/** A clock that runs as real time does, so far away from it as it was moved. */
export interface MovableClock extends Clock {
  /** How far from real time it is from now on, in milliseconds: ahead, or behind where negative. */
  setOffset(milliseconds: number): void;
}

export function createMovableClock(): MovableClock {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    steadyMs: () => performance.now(),
    get offsetMs() {
      return offsetMs;
    },
    setOffset(milliseconds) {
      offsetMs = milliseconds;
    },
  };
}

export const isMovable = (clock: Clock): clock is MovableClock => "setOffset" in clock;
