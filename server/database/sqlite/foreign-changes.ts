import type { Connection } from "./connection.ts";
import type { Writer } from "./writer.ts";

const everyMs = 50;

export interface ForeignChanges {
  subscribe(listener: () => void): () => void;
  stop(): void;
}

/**
 * While there are listeners, asks SQLite every 50 ms whether another process has changed the file since `seen`. Asks on the
 * writing connection, because only there the changes of this process do not count.
 */
export function watchForeignChanges(writer: Writer, seen: number): ForeignChanges {
  const listeners = new Set<{ hear(): void }>();
  let timer: NodeJS.Timeout | undefined;
  let looking = false;
  let last = seen;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    const version = await writer.between(dataVersion).catch(() => last);
    looking = false;
    if (version === last) return;
    last = version;
    for (const listener of listeners) listener.hear();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    stop,
    subscribe(hear) {
      const listener = { hear };
      listeners.add(listener);
      timer ??= setInterval(look, everyMs).unref();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
  };
}

/** A number that changes only when another connection commits. */
export async function dataVersion(connection: Connection): Promise<number> {
  const row = await connection.get<{ data_version: number }>("PRAGMA data_version", []);
  if (row === undefined) throw new Error("SQLite reports no data version.");
  return row.data_version;
}
