/** The form that clients send, such as `Sun, 06 Nov 1994 08:49:37 GMT`. (RFC 9110, 5.6.7) */
const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** A `Date` has no fraction of its second. */
const second = 1_000;

/**
 * By how many milliseconds the clock of a sender is ahead at most, by the `Date` of its request. 0 for a clock that is
 * right or behind, and for a text that is no date. (rule F29)
 */
export function clockAheadOf(date: string | undefined, now: Date): number {
  const shown = date !== undefined && httpDate.test(date) ? Date.parse(date) : Number.NaN;
  return shown > now.getTime() ? shown - now.getTime() + second : 0;
}

/** An instant of a clock that is ahead, as the server's clock showed it. Never later than it was given. (rule F29) */
export const byServerClock = (instant: string, clockAhead: number): string =>
  clockAhead > 0 ? new Date(Math.max(0, Date.parse(instant) - clockAhead)).toISOString() : instant;
