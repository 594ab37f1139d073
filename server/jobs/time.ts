import { concernsCycles } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import { longestSleep, pauseInDoubt, startJob } from "./runner.ts";
import { lastTimes } from "./store.ts";

const shortestSleep = 50;

const pauseAfterFailure = 5_000;

/** Applies due changes of test cycles when they become due. Returns the function that stops this job. */
export function startPassingTime(
  deps: Pick<Deps, "passingTime" | "database" | "clock" | "log">,
): () => Promise<void> {
  const { passingTime, clock } = deps;
  const untilNext = () => {
    const next = passingTime.next();
    const wait = next === null ? longestSleep : Date.parse(next) - clock.now().getTime();
    if (wait <= 0) return pauseInDoubt;
    return Math.min(longestSleep, Math.max(shortestSleep, wait));
  };
  return startJob(deps, {
    run: passingTime.catchUp,
    pause: (hasFailed) => (hasFailed ? pauseAfterFailure : untilNext()),
    isWokenBy: concernsCycles,
    failure: "test days were not closed",
    severity: "error",
  });
}

const lookMilliseconds = 5_000;

const writeMilliseconds = 600_000;

type TimeDeps = Pick<Deps, "database" | "clock" | "time" | "log" | "settings">;

/**
 * Compares the clock with the stored time. Watches the clock and stores the time until the returned function is
 * called.
 */
export async function startTimeKeeper(deps: TimeDeps): Promise<() => Promise<void>> {
  const { database, time, settings } = deps;
  const last = await lastTimes.read(database);
  // The time of a development server is not compared with the stored time, because the server may have been
  // suspended.
  if (last !== undefined && !settings.dev) time.begin(last);
  const failure = "the time could not be stored";
  // The time is stored immediately, in case the server runs only briefly.
  await writeTime(deps).catch((error) => deps.log.warn({ err: error }, failure));
  const stopWriting = startJob(deps, {
    run: () => writeTime(deps),
    pause: () => writeMilliseconds,
    firstAfter: writeMilliseconds,
    failure,
    severity: "warn",
  });
  const stopLooking = startJob(deps, {
    run: async () => void time.isDoubtful(),
    pause: () => lookMilliseconds,
    firstAfter: lookMilliseconds,
    failure: "the clock could not be watched",
    severity: "warn",
  });
  return async () => {
    await stopLooking();
    await stopWriting();
  };
}

/** Stores the current time. Does nothing while the server's clock may be wrong. */
async function writeTime({ database, clock, time }: TimeDeps): Promise<void> {
  if (time.isDoubtful()) return;
  const at = new Date(clock.now().getTime() - clock.offsetMs).toISOString();
  await database.write((tx) => lastTimes.write(tx, at));
}
