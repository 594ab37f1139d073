import { ApiError } from "../src/contract/errors.ts";

/** Checks whether the clock can be trusted. If it cannot, the server does nothing that cannot be undone. */
export interface TimeWatch {
  /**
   * Whether the clock has jumped. The result is false again when the clock is right, or ten minutes after the
   * last jump.
   */
  isDoubtful(): boolean;
  /** Returns how many milliseconds the clock may be behind. 0 if the clock is trusted or was not set back. */
  behindMs(): number;
  /** Call this at the start with the last stored time. A clock far from the stored time is not trusted. */
  begin(lastWritten: string): void;
}

/**
 * The largest difference, in milliseconds, that the wall clock may have from the monotonic clock. NTP corrections are
 * smaller.
 */
const driftMilliseconds = 60_000;

/** How long the clock must be steady after a jump until it is trusted again. */
const steadyMilliseconds = 600_000;

/** If the server was stopped for longer than this, according to the stored time, the clock may be wrong. */
const longestPauseMilliseconds = 86_400_000;

/** The times of the wall clock and of the monotonic clock, read together. */
interface ClockReading {
  readonly wall: number;
  readonly steady: number;
}

interface Doubt {
  /** The time of the monotonic clock when the jump was detected. The clock has not been trusted since then. */
  readonly since: number;
  last: ClockReading;
}

/** Watches a clock. Calls `onJump` at each jump with its length in milliseconds. (rule D12) */
export function createTimeWatch(clock: Clock, onJump: (milliseconds: number) => void): TimeWatch {
  // `offsetMs` is subtracted, because a developer can move the clock of a development server. Such a move is
  // not a jump.
  const read = (): ClockReading => ({
    wall: clock.now().getTime() - clock.offsetMs,
    steady: clock.steadyMs(),
  });
  let trusted = read();
  let mostAhead = driftMilliseconds;
  let doubt: Doubt | undefined;

  const trust = (now: ClockReading) => {
    trusted = now;
    mostAhead = driftMilliseconds;
    doubt = undefined;
  };
  const isTrusted = (now: ClockReading): boolean => {
    const ahead = driftBetween(trusted, now);
    return ahead >= -driftMilliseconds && ahead <= mostAhead;
  };
  const beginDoubt = (now: ClockReading) => {
    onJump(driftBetween(doubt?.last ?? trusted, now));
    doubt = { since: now.steady, last: now };
  };

  const isDoubtful = () => {
    const now = read();
    if (isTrusted(now)) trust(now);
    else if (!doubt || Math.abs(driftBetween(doubt.last, now)) > driftMilliseconds) beginDoubt(now);
    else if (now.steady - doubt.since >= steadyMilliseconds) trust(now);
    else doubt.last = now;
    return doubt !== undefined;
  };

  return {
    isDoubtful,
    behindMs: () => (isDoubtful() ? Math.max(0, -driftBetween(trusted, read())) : 0),
    begin(lastWritten) {
      trusted = { wall: Date.parse(lastWritten), steady: read().steady };
      mostAhead = longestPauseMilliseconds;
      doubt = undefined;
    },
  };
}

/** Returns how many milliseconds more the wall clock has advanced than the monotonic clock. */
const driftBetween = (from: ClockReading, to: ClockReading): number =>
  to.wall - from.wall - (to.steady - from.steady);

/**
 * The only source of time. A rule gets the time as its argument `now`. `offsetMs` is 0 in production. (rule
 * D13)
 */
export interface Clock {
  now(): Date;
  readonly offsetMs: number;
  /** Returns the milliseconds since an arbitrary time, from a clock that never jumps. */
  steadyMs(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  offsetMs: 0,
  steadyMs: () => performance.now(),
};

/** Matches a date in the form that clients send, such as `Sun, 06 Nov 1994 08:49:37 GMT`. (RFC 9110, 5.6.7) */
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** How many milliseconds a `Date` header may be too early, because it has no fraction of a second. */
const second = 1_000;

/**
 * Returns how many milliseconds the sender's clock may be ahead. `date` is the `Date` header. Without a valid
 * `date`, returns 0. (rule F29)
 */
export function clockAheadOf(date: string | undefined, now: Date): number {
  const shown = date !== undefined && httpDate.test(date) ? Date.parse(date) : Number.NaN;
  return shown > now.getTime() ? shown - now.getTime() + second : 0;
}

/** Corrects an instant of a sender whose clock is ahead. Returns ISO 8601 in UTC. (rule F29) */
export const byServerClock = (instant: string, clockAhead: number): string =>
  clockAhead > 0 ? new Date(Math.max(0, Date.parse(instant) - clockAhead)).toISOString() : instant;

/** Returns the error for a request that is refused only because the server's clock has jumped. */
export const doubtfulTime = (): ApiError =>
  new ApiError("busy", {
    message:
      "The server's clock has jumped and is being checked. Nothing was changed. Send the request again later.",
    retryAfterSeconds: 60,
  });
