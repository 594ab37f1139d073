import type { Deps } from "../deps.ts";
import { signInCodes } from "../store/access/sign-in-codes.ts";
import { keepStatistics } from "../store/engine/statistics.ts";
import { outbox } from "../store/feedback/outbox.ts";
import { idempotency } from "../store/requests/idempotency.ts";
import { prune } from "../store/requests/rate-limits.ts";

const pauseMilliseconds = 600_000;
const atOnce = 1_000;
/** How long the result of a delivery to a chat channel can be seen. */
const deliveriesKeptMilliseconds = 30 * 86_400_000;

type Needed = Pick<Deps, "database" | "clock" | "time" | "files">;

/** Removes expired rows and files every ten minutes, in small batches. Gives the function that stops it. */
export function startHousekeeping(deps: Needed & Pick<Deps, "log">): () => void {
  const timer = setInterval(() => {
    tidy(deps).catch((error) => deps.log.warn({ err: error }, "housekeeping failed"));
  }, pauseMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Removes expired answers, rate limits, sign-in codes and deliveries, and temporary files that a crash left. Refreshes the
 * statistics that the database uses to choose its indexes. Does nothing while the clock's time is in doubt.
 */
export async function tidy({ database, clock, time, files }: Needed): Promise<void> {
  if (time.isDoubtful()) return;
  // Read the clock once, because it may jump while this runs.
  const now = clock.now();
  while ((await database.write((tx) => idempotency.prune(tx, now, atOnce))) === atOnce);
  while ((await database.write((tx) => prune(tx, clock, atOnce))) === atOnce);
  while ((await database.write((tx) => signInCodes.prune(tx, now, atOnce))) === atOnce);
  const settledBefore = new Date(now.getTime() - deliveriesKeptMilliseconds).toISOString();
  while ((await database.write((tx) => outbox.prune(tx, settledBefore, atOnce))) === atOnce);
  await database.write(keepStatistics, "long");
  await files.sweepTemporary();
}
