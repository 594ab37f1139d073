import type { Database } from "../store/engine/database.ts";

/** Lets requests wait for what a signal tells of. */
export interface Waiting {
  /**
   * Asks `look` until it finds something, again at every signal of one of the `topics`; after `milliseconds` or when
   * `signal` aborts it gives what `look` found last. Listens before it looks, so nothing is missed in between.
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
  /** Asked for only where there is something to wait for. */
  readonly signal: () => AbortSignal;
}

export function createWaiting(database: Pick<Database, "onSignal" | "onForeignChange">): Waiting {
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
  // What another process has written to a SQLite file brings no signal.
  database.onForeignChange(wakeAll);

  return {
    async until(topics, look, { enough, milliseconds, signal: gone }) {
      if (milliseconds === 0) return look();
      const bell = createBell();
      for (const topic of topics) listen(topic, bell.ring);
      let over = false;
      const end = () => {
        over = true;
        bell.ring();
      };
      const timer = setTimeout(end, milliseconds);
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
        signal.removeEventListener("abort", end);
        for (const topic of topics) unlisten(topic, bell.ring);
      }
    },
  };
}

/** Remembers that it rang until somebody has heard it. */
function createBell() {
  let rang = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rang = true;
      wake?.();
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
