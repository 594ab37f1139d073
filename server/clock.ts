/** The one source of time. `offsetMs` is how far it is moved from real time (0 outside tests and the development server). */
export interface Clock {
  now(): Date;
  readonly offsetMs: number;
  /** Milliseconds since some moment, by a clock that nobody sets. */
  steadyMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  offsetMs: 0,
  steadyMs: () => performance.now(),
};
