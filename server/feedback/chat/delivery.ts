const firstPause = 5_000;
const longestPause = 3_600_000;
const patience = 24 * 3_600_000;

/**
 * When to try a delivery to a chat channel again after `attempts` failures: with growing pauses, for 24 hours. Undefined
 * when no further attempt is made.
 */
export function nextAttempt(createdAt: Date, attempts: number, now: Date): Date | undefined {
  const pause = Math.min(longestPause, firstPause * 2 ** (attempts - 1));
  const next = new Date(now.getTime() + pause);
  return next.getTime() - createdAt.getTime() > patience ? undefined : next;
}
