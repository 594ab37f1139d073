const firstPause = 30_000;
const longestPause = 3_600_000;
const firstServerPause = 2_000;
const longestServerPause = 600_000;

/** How long a mail may wait for a server that takes it: three days, unless it is of no use earlier. */
export const mailPatience = 3 * 86_400_000;

/**
 * When a mail is tried again that the server did not take `attempts` times: with growing pauses. Undefined if that would be
 * too late for it. (rule M5)
 */
export function nextMailAttempt(sendBefore: Date, attempts: number, now: Date): Date | undefined {
  const next = new Date(now.getTime() + growing(firstPause, longestPause, attempts));
  return next < sendBefore ? next : undefined;
}

/** How long no mail is tried after the mail server could not be used `failures` times in a row. (rule M5) */
export const serverPause = (failures: number): number =>
  growing(firstServerPause, longestServerPause, failures);

const growing = (first: number, longest: number, times: number): number =>
  Math.min(longest, first * 2 ** Math.min(times - 1, 30));
