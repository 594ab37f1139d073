import type { Clock } from "../../../server/clock.ts";

export interface MovableClock extends Clock {
  advance(ms: number): void;
}

/** A clock that does not move until a test moves it. `wrongByMs` is its unknown error. */
export function movableClock({ wrongByMs = 0 } = {}): MovableClock {
  const start = Date.now() + wrongByMs;
  let offsetMs = 0;
  return {
    now: () => new Date(start + offsetMs),
    steadyMs: () => offsetMs,
    get offsetMs() {
      return offsetMs;
    },
    advance(ms) {
      offsetMs += ms;
    },
  };
}
