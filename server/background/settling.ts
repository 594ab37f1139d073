import type { Deps } from "../deps.ts";

const pauseMilliseconds = 1_000;

type Needed = Pick<Deps, "limiter" | "log">;

/**
 * Stores each second the uses of rate limits that are counted in memory, so that a crash forgets one second. Gives the function
 * that stops it, which stores everything once more.
 */
export function startSettling({ limiter, log }: Needed): () => Promise<void> {
  let working: Promise<void> | undefined;
  const settle = () =>
    limiter
      .settle()
      .catch((error) => log.warn({ err: error }, "the uses of rate limits could not be stored"));
  const timer = setInterval(() => {
    working ??= settle().finally(() => {
      working = undefined;
    });
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await working;
    await settle();
  };
}
