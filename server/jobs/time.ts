import { concernsCycles } from "../database/signals.ts";
import type { Deps } from "../deps.ts";

const longestSleep = 60_000;
const shortestSleep = 50;
const pauseAfterFailure = 5_000;
/** The pause before due changes are tried again while the clock's time is in doubt. */
const pauseInDoubt = 1_000;

/** Applies due changes at once and whenever a change becomes due. Gives the function that stops it. */
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
