import type { Deps } from "../deps.ts";
import { concernsCycles } from "../store/engine/topics.ts";

const longestSleep = 60_000;
const shortestSleep = 50;
const pauseAfterFailure = 5_000;
/** What is due but did not happen waits until time is certain. */
const pauseInDoubt = 1_000;

/** Catches up at once and whenever something becomes due. Gives what stops it. */
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
