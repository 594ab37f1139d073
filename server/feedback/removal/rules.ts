const dayMilliseconds = 86_400_000;
/** By how much the time of the cleanup may advance from one to the next. It runs daily. */
const mostAdvance = 2 * dayMilliseconds;

/**
 * The time that a cleanup goes by. It advances by at most two days from the last cleanup, so that a clock that is years ahead, and is
 * believed, cannot delete everything in one night. (rule P10)
 */
export function retentionTime(last: string | undefined, now: Date): Date {
  if (last === undefined) return now;
  return new Date(Math.min(now.getTime(), Date.parse(last) + mostAdvance));
}

/** The instant before which a resolved thread is too old. */
export const tooOldBefore = (days: number, now: Date): string =>
  new Date(Math.max(0, now.getTime() - days * dayMilliseconds)).toISOString();
