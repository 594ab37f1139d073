import type { Deps } from "../../deps.ts";

const pauseMilliseconds = 30_000;

/** Queues the mails about release notes that were published since, every half a minute. Gives the function that stops it. */
export function startAnnouncing(
  { time, log }: Pick<Deps, "time" | "log">,
  tell: () => Promise<number>,
): () => Promise<void> {
  let running = Promise.resolve();
  const run = async () => {
    try {
      // With a wrong time a note could be told before it is published.
      if (!time.isDoubtful()) await tell();
    } catch (error) {
      log.warn({ err: error }, "telling senders of a release failed");
    }
  };
  const timer = setInterval(() => {
    running = running.then(run);
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
