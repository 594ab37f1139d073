import type { Database } from "../database/database.ts";

/** Lets requests wait for a change that a signal announces. */
export interface Waiting {
  /**
   * Calls `look` until its result is `enough`: first at once, then at every signal of one of the `topics`. After
   * `milliseconds`, or when `signal` aborts, gives the last result. Listens before the first look, so no signal is missed.
   * On PostgreSQL it also looks every five seconds: the notification of another server may be
   * lost, or be that of another version. (rule A22)
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
  /** Called only if the request really waits. */
  readonly signal: () => AbortSignal;
  /** Calls `wake` for news that no topic brings. Returns the function that ends it. */
  readonly listen?: (wake: () => void) => () => void;
  /**
   * Gets a function that says whether the request rests: it has looked, has heard nothing since, and its client is there.
   * Returns the function that ends it.
   */
  readonly attend?: (isResting: () => boolean) => () => void;
}

/** Creates the waiting of requests on the signals of a database. */
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
  // A write by another process to a SQLite file sends no signal.
  database.onForeignChange(wakeAll);

  return {
    async until(topics, look, { enough, milliseconds, signal: gone, ...beside }) {
      if (milliseconds === 0) return look();
      const bell = createBell();
      for (const topic of topics) listen(topic, bell.ring);
      const unlistenBeside = beside.listen?.(bell.ring);
      const leave = beside.attend?.(bell.isAwaited);
      let over = false;
      const end = () => {
        over = true;
        bell.ring();
      };
      const timer = setTimeout(end, milliseconds);
      const again = database.engine === "postgres" ? setInterval(bell.ring, againMilliseconds) : undefined;
      const signal = gone();
      signal.addEventListener("abort", end);
      if (signal.aborted) end();
      try {
        for (;;) {
          const found = await look();
          if (over || enough(found)) return found;
          await bell.rung();
        }
      } finally {
        clearTimeout(timer);
        clearInterval(again);
        signal.removeEventListener("abort", end);
        for (const topic of topics) unlisten(topic, bell.ring);
        unlistenBeside?.();
        leave?.();
      }
    },
  };
}

/** A bell that stays rung until somebody has waited for it. */
function createBell() {
  let rang = false;
  let wake: (() => void) | undefined;
  return {
    /** Whether somebody waits for it, and it has not rung. */
    isAwaited: () => wake !== undefined,
    ring() {
      rang = true;
      wake?.();
      wake = undefined;
    },
    async rung() {
      if (!rang) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      rang = false;
    },
  };
}
