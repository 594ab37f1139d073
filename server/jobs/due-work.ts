import { everyTopic } from "../database/signals.ts";
import type { Deps } from "../deps.ts";

/** Work that becomes due at a time, or when a topic is signalled. */
export interface DueWork {
  readonly topic: string;
  /** Does a part of what is due. Returns how much that was; 0 if nothing is left. */
  readonly doDue: () => Promise<number>;
  /** The milliseconds until something can become due by itself. */
  readonly pause: () => Promise<number>;
  /** What the log says if `doDue` fails. */
  readonly failure: string;
}

/** How long a worker sleeps at most, in milliseconds. */
export const longestSleep = 60_000;
/** How long a worker sleeps while the time is in doubt, in milliseconds. */
export const pauseInDoubt = 1_000;

/** Does work as it becomes due. The function that it gives stops that, and waits for the work that runs. */
export function startDueWork({ database, log }: Pick<Deps, "database" | "log">, work: DueWork) {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    if (stopped) return;
    clearTimeout(timer);
    try {
      while (!stopped && (await work.doDue()) > 0);
    } catch (error) {
      log.error({ err: error }, work.failure);
    }
    if (!stopped) timer = setTimeout(wake, await work.pause().catch(() => longestSleep));
  };
  const wake = () => {
    running = running.then(run);
  };
  const unsubscribe = database.onSignal((topic) => {
    if (topic === work.topic || topic === everyTopic) wake();
  });
  wake();
  return async (): Promise<void> => {
    stopped = true;
    clearTimeout(timer);
    unsubscribe();
    await running;
  };
}
