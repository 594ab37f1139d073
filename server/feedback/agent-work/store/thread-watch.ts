import type { Database } from "../../../database/database.ts";
import { threadChanges } from "./changes.ts";

/** Wakes requests that wait for a change of any thread. */
export interface ThreadWatch {
  /** Calls `wake` after each change, and once shortly after `listen` was called. Returns a function that stops this. */
  listen(wake: () => void): () => void;
}

const everyMs = 500;

/**
 * Creates a watch for changes of threads. It queries the database twice a second, but only while a request waits. It
 * does not use signals, because then every report would send a notification on PostgreSQL, and reports would wait for
 * each other.
 */
export function createThreadWatch(database: Pick<Database, "engine" | "get" | "all">): ThreadWatch {
  const wakers = new Set<{ readonly wake: () => void }>();
  let asking = false;
  let seen = "";

  async function ask(): Promise<void> {
    try {
      const present = await threadChanges.newest(database, seen);
      if (present !== seen) for (const { wake } of wakers) wake();
      seen = present;
    } catch {
      // A failed query is ignored, because the next one follows soon. A waiting request ends at its own time limit.
    }
    asking = wakers.size > 0;
    if (asking) askSoon();
  }

  const askSoon = () => setTimeout(ask, everyMs).unref();

  return {
    listen(wake) {
      const waker = { wake };
      wakers.add(waker);
      seen = "";
      if (!asking) askSoon();
      asking = true;
      return () => wakers.delete(waker);
    },
  };
}
