import type { Deps } from "../deps.ts";

/** What is new is stored after each pause, so within a second. */
const pauseMilliseconds = 500;

type Needed = Pick<Deps, "limiter" | "log">;

/**
 * Stores the uses of rate limits that are counted in memory, each within a second, so that a crash forgets one second. Gives the
 * function that stops it, which stores everything.
 */
export function startSettling({ limiter, log }: Needed): () => Promise<void> {
  let working: Promise<void> | undefined;
  const settle = (which: "everything" | "what is due") =>
    limiter
      .settle(which)
      .catch((error) => log.warn({ err: error }, "the uses of rate limits could not be stored"));
  const timer = setInterval(() => {
    working ??= settle("what is due").finally(() => {
      working = undefined;
    });
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await working;
    await settle("everything");
  };
}
