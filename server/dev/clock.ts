import type { Clock } from "../clock.ts";

/** A clock that runs at the speed of real time, with an offset. */
export interface MovableClock extends Clock {
  /** Sets the difference from real time in milliseconds; negative is behind. */
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
