import type { Database } from "../database/database.ts";

/** Lets requests wait for signals of changes. */
export interface Waiting {
  /**
   * Calls `look` until its result is `enough`. The first call is immediate, and further calls follow at every signal
   * of one of the `topics`. After `milliseconds`, or when `signal` aborts, returns the last result. The function
   * listens before the first call of `look`, so it misses no signal. On PostgreSQL it also calls `look` every five
   * seconds. A notification of another server may be lost, and a server of another version may send no notifications.
   * (rule A22)
   */
  until<Found>(
    topics: readonly string[],
    look: () => Promise<Found>,
    options: WaitOptions<Found>,
  ): Promise<Found>;
}

export interface WaitOptions<Found> {
  readonly enough: (found: Found) => boolean;
  readonly milliseconds: number;
  /** Returns the signal that ends the wait. Called only if the request really waits. */
  readonly signal: () => AbortSignal;
  /** Registers `wake` for changes that have no topic. Returns a function that removes `wake` again. */
  readonly listen?: (wake: () => void) => () => void;
  /**
   * Called when the wait begins. `isResting` returns true while the request waits for the next signal, and false while
   * `look` runs. Returns a function to call when the wait ends.
   */
  readonly attend?: (isResting: () => boolean) => () => void;
}

/** Lets requests wait for the signals of a database. */
export function createWaiting(
  database: Pick<Database, "engine" | "onSignal" | "onForeignChange">,
  againMilliseconds = 5_000,
): Waiting {
  const listeners = new Map<string, Set<() => void>>();
  const listen = (topic: string, wake: () => void) => {
    listeners.set(topic, (listeners.get(topic) ?? new Set()).add(wake));
  };
  const unlisten = (topic: string, wake: () => void) => {
    const wakers = listeners.get(topic);
    wakers?.delete(wake);
    if (wakers?.size === 0) listeners.delete(topic);
  };
  const wakeAll = () => {
    for (const wakers of listeners.values()) for (const wake of wakers) wake();
  };
  database.onSignal((topic) => {
    if (topic === "*") wakeAll();
    else for (const wake of listeners.get(topic) ?? []) wake();
  });
  // If another process writes to a SQLite file, this process gets no signal. So it wakes all waiting requests.
  database.onForeignChange(wakeAll);

  return {
    async until(topics, look, { enough, milliseconds, signal: gone, ...beside }) {
      if (milliseconds === 0) return look();
      const pause = createPause();
      for (const topic of topics) listen(topic, pause.resume);
      const unlistenBeside = beside.listen?.(pause.resume);
      const leave = beside.attend?.(pause.isWaiting);
      let over = false;
      const end = () => {
        over = true;
        pause.resume();
      };
      const timer = setTimeout(end, milliseconds);
      const again = database.engine === "postgres" ? setInterval(pause.resume, againMilliseconds) : undefined;
      const signal = gone();
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
      try {
        for (;;) {
          const found = await look();
          if (over || enough(found)) return found;
          await pause.resumed();
        }
      } finally {
        clearTimeout(timer);
        clearInterval(again);
        signal.removeEventListener("abort", end);
        for (const topic of topics) unlisten(topic, pause.resume);
        unlistenBeside?.();
        leave?.();
      }
    },
  };
}

/**
 * Creates an object with which a signal continues one waiting function. If the signal comes before the function begins
 * to wait, the function does not wait.
 */
function createPause() {
  let hasResumed = false;
  let wake: (() => void) | undefined;
  return {
    /** Whether a function is waiting now. */
    isWaiting: () => wake !== undefined,
    resume() {
      hasResumed = true;
      wake?.();
      wake = undefined;
    },
    async resumed() {
      if (!hasResumed) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      hasResumed = false;
    },
  };
}
