import type { Deps } from "../deps.ts";
import { lastTimes } from "./store.ts";

const lookMilliseconds = 5_000;
const writeMilliseconds = 600_000;

type Needed = Pick<Deps, "database" | "clock" | "time" | "log" | "settings">;

/**
 * Compares the clock with the time that was last stored. Then watches the clock and stores the time every ten minutes.
 * Gives the function that stops it. A development server may have been suspended for days, so it compares nothing at its
 * start.
 */
export async function startTimeKeeper(deps: Needed): Promise<() => void> {
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
async function writeTime({ database, clock, time }: Needed): Promise<void> {
  if (time.isDoubtful()) return;
  const at = new Date(clock.now().getTime() - clock.offsetMs).toISOString();
  await database.write((tx) => lastTimes.write(tx, at));
}
