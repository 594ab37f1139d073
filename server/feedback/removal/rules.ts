const dayMilliseconds = 86_400_000;
/** How far the time of a cleanup may be after the time of the previous one. Cleanups run daily. */
const mostAdvance = 2 * dayMilliseconds;

/**
 * Returns the time that a cleanup uses. It is at most two days after the time of the last cleanup. So a clock that is
 * years ahead, without being in doubt, cannot delete everything in one night. (rule P10)
 */
export function retentionTime(last: string | undefined, now: Date): Date {
  if (last === undefined) return now;
  return new Date(Math.min(now.getTime(), Date.parse(last) + mostAdvance));
}

/** Returns the instant before which a resolved thread is too old. */
export const tooOldBefore = (days: number, now: Date): string =>
  new Date(Math.max(0, now.getTime() - days * dayMilliseconds)).toISOString();
