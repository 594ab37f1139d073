import type { Deps } from "../deps.ts";

/** What has waited for three pauses is stored in the next one, so within a second. */
const pauseMilliseconds = 200;

type Needed = Pick<Deps, "limiter" | "log">;

/**
 * Stores the uses of rate limits that are counted in memory, each within a second, so that a crash forgets one second. Gives the
 * function that stops it, which stores everything.
 */
export function startSettling({ limiter, log }: Needed): () => Promise<void> {
  let working: Promise<void> | undefined;
  const settle = (which: "all" | "what has waited") =>
    limiter
      .settle(which)
      .catch((error) => log.warn({ err: error }, "the uses of rate limits could not be stored"));
  const timer = setInterval(() => {
    working ??= settle("what has waited").finally(() => {
      working = undefined;
    });
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await working;
    await settle("all");
  };
}
