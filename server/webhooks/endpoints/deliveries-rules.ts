import type { DeliveryAttempt } from "../../../src/contract/webhooks.ts";

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/**
 * The pause after each failed attempt. Together with the first attempt, there are 10 attempts within 75 hours. (rule
 * O28)
 */
const pauses = [
  ...[5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour],
  ...[10 * hour, 14 * hour, 20 * hour, 23 * hour],
];

/** The highest number of attempts for a delivery. */
export const mostTries = pauses.length + 1;

/** Returns when to send a delivery again after `tries` failed attempts; undefined if no attempt follows. */
export function nextTry(tries: number, now: Date): Date | undefined {
  const pause = pauses[tries - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause);
}

/** The status with which a receiver declines further events. (rule O28) */
export const goneStatus = 410;

/** Whether an attempt delivered the event. */
export const isDelivered = ({ status }: Pick<DeliveryAttempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** How many attempts of one delivery the log contains at most. */
const keptAttempts = 20;

/** Adds an attempt to the attempts of a delivery. Keeps only the newest ones. */
export const withAttempt = (
  attempts: readonly DeliveryAttempt[],
  attempt: DeliveryAttempt,
): readonly DeliveryAttempt[] => [...attempts, attempt].slice(-keptAttempts);
