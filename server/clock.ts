/**
 * The only source of time. `offsetMs` is its difference from real time: 0 except in tests and the development server.
 */
export interface Clock {
  now(): Date;
  readonly offsetMs: number;
  /** Milliseconds since an arbitrary moment, by a clock that never jumps. */
  steadyMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  offsetMs: 0,
  steadyMs: () => performance.now(),
};
