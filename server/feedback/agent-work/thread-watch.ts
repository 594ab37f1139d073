import type { Database } from "../../database/database.ts";
import { threadChanges } from "./store/changes.ts";

/** Wakes requests that wait for a change of any thread. */
export interface ThreadWatch {
  /** Calls `wake` after each change, and once soon after the call. Returns the function that ends it. */
  listen(wake: () => void): () => void;
}

const everyMs = 500;

/**
 * Creates the watch of a database. It asks the database twice a second, and only while a request waits: signals would cost
 * every report a notice on PostgreSQL, and reports would wait for each other.
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
      // A database that does not answer has no news. A request that waits ends at its own time.
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
