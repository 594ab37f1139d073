import type { Deps } from "../deps.ts";
import { signInCodes } from "../store/access/sign-in-codes.ts";
import { keepStatistics } from "../store/engine/statistics.ts";
import { outbox } from "../store/feedback/outbox.ts";
import { idempotency } from "../store/requests/idempotency.ts";
import { prune } from "../store/requests/rate-limits.ts";

const pauseMilliseconds = 600_000;
const atOnce = 1_000;
/** So long one can see what became of a message. */
const deliveriesKeptMilliseconds = 30 * 86_400_000;

/** Removes, every ten minutes and a little at a time, what no longer matters. Gives what stops it. */
export function startHousekeeping(deps: Deps): () => void {
  const timer = setInterval(() => {
    tidy(deps).catch((error) => deps.log.warn({ err: error }, "housekeeping stopped short"));
  }, pauseMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Removes stored answers, rate limits, sign-in codes and deliveries whose time is over, and temporary files that a crash
 * left. Keeps the statistics by which the database chooses its indexes. Does nothing while the clock's time is in doubt.
 */
export async function tidy({
  database,
  clock,
  time,
  files,
}: Pick<Deps, "database" | "clock" | "time" | "files">): Promise<void> {
  if (time.isDoubtful()) return;
  // Taken once: the clock may jump while this runs.
  const now = clock.now();
  while ((await database.write((tx) => idempotency.prune(tx, now, atOnce))) === atOnce);
  while ((await database.write((tx) => prune(tx, clock, atOnce))) === atOnce);
  while ((await database.write((tx) => signInCodes.prune(tx, now, atOnce))) === atOnce);
  const settledBefore = new Date(now.getTime() - deliveriesKeptMilliseconds).toISOString();
  while ((await database.write((tx) => outbox.prune(tx, settledBefore, atOnce))) === atOnce);
  await database.write(keepStatistics, "long");
  await files.sweepTemporary();
}
