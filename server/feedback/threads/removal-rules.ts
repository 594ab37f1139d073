const dayMilliseconds = 86_400_000;
/**
 * The time of a cleanup is at most this much later than the time of the previous cleanup. Cleanups run daily.
 */
const mostAdvance = 2 * dayMilliseconds;

/**
 * Returns the time that a cleanup uses. It is at most two days after the time of the last cleanup. So a clock that is
 * years ahead cannot delete everything in one night, even if the server does not doubt the clock. (rule P10)
 */
export function retentionTime(last: string | undefined, now: Date): Date {
  if (last === undefined) return now;
  return new Date(Math.min(now.getTime(), Date.parse(last) + mostAdvance));
}

/**
 * Returns the time limit for resolved threads. A thread is too old if its last activity was before this time.
 */
export const tooOldBefore = (days: number, now: Date): string =>
  new Date(Math.max(0, now.getTime() - days * dayMilliseconds)).toISOString();
