/** The one source of time. `offsetMs` is how far it is moved from real time (0 outside tests and the development server). */
export interface Clock {
  now(): Date;
  readonly offsetMs: number;
}

export const systemClock: Clock = { now: () => new Date(), offsetMs: 0 };
