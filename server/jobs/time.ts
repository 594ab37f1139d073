import { concernsCycles } from "../database/signals.ts";
import type { Deps } from "../deps.ts";
import { lastTimes } from "./store.ts";

const longestSleep = 60_000;

const shortestSleep = 50;

const pauseAfterFailure = 5_000;

/** The pause before due changes are tried again while the clock's time is in doubt. */
const pauseInDoubt = 1_000;

/** Applies due changes at once and whenever a change becomes due. Returns the function that stops it. */
export function startPassingTime({
  passingTime,
  database,
  clock,
  log,
}: Pick<Deps, "passingTime" | "database" | "clock" | "log">): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const untilNext = () => {
    const next = passingTime.next();
    const wait = next === null ? longestSleep : Date.parse(next) - clock.now().getTime();
    if (wait <= 0) return pauseInDoubt;
    return Math.min(longestSleep, Math.max(shortestSleep, wait));
  };
  const run = async () => {
    if (stopped) return;
    clearTimeout(timer);
    const pause = await passingTime.catchUp().then(untilNext, (error) => {
      log.error({ err: error }, "days were not closed");
      return pauseAfterFailure;
    });
    if (!stopped) timer = setTimeout(wake, pause);
  };
  const wake = () => {
    running = running.then(run);
  };
  const unsubscribe = database.onSignal((topic) => {
    if (concernsCycles(topic)) wake();
  });
  wake();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    unsubscribe();
    await running;
  };
}

const lookMilliseconds = 5_000;

const writeMilliseconds = 600_000;

type TimeDeps = Pick<Deps, "database" | "clock" | "time" | "log" | "settings">;

/**
 * Compares the clock with the time that was last stored. Then watches the clock and stores the time every ten minutes.
 * Returns the function that stops it. A development server may have been suspended for days, so it compares nothing at its
 * start.
 */
export async function startTimeKeeper(deps: TimeDeps): Promise<() => void> {
  const { database, time, log, settings } = deps;
  const last = await lastTimes.read(database);
  if (last !== undefined && !settings.dev) time.begin(last);
  const write = () =>
    writeTime(deps).catch((error) => log.warn({ err: error }, "the time could not be stored"));
  await write();
  const timers = [
    setInterval(() => time.isDoubtful(), lookMilliseconds),
    setInterval(write, writeMilliseconds),
  ];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
}

/** Stores the time, unless it is in doubt. */
async function writeTime({ database, clock, time }: TimeDeps): Promise<void> {
  if (time.isDoubtful()) return;
  const at = new Date(clock.now().getTime() - clock.offsetMs).toISOString();
  await database.write((tx) => lastTimes.write(tx, at));
}
