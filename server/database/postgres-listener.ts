import pg from "pg";
import { listenSql } from "./postgres-notices.ts";

const firstPauseMs = 50;
const longestPauseMs = 2_000;
/** The pause between two pings. */
const pingMs = 15_000;
/** How long the connection may take to answer a ping. */
const answerMs = 5_000;

export interface PostgresListener {
  close(): Promise<void>;
}

export interface NoticeHandlers {
  readonly onNotice: (payload: string) => void;
  /** Called after a lost connection was opened again: notices may have been lost. */
  readonly onGap: () => void;
}

/**
 * Listens for notices on its own connection. Opens the connection again each time that it breaks. Resolves when it listens;
 * rejects if the first connection fails.
 */
export async function listen(
  config: pg.ClientConfig,
  { onNotice, onGap }: NoticeHandlers,
): Promise<PostgresListener> {
  let closed = false;
  let client = await connect();
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client(config);
    opened.on("notification", ({ payload = "" }) => onNotice(payload));
    // An error event without a listener would end the process. The end event follows.
    opened.on("error", () => {});
    try {
      await opened.connect();
      await opened.query(listenSql);
    } catch (error) {
      opened.end().catch(() => {});
      throw error;
    }
    const stopPings = startPings(opened);
    opened.once("end", () => {
      stopPings();
      reconnectAfter(firstPauseMs);
    });
    return opened;
  }

  function reconnectAfter(pauseMs: number): void {
    if (closed) return;
    timer = setTimeout(async () => {
      try {
        client = await connect();
        if (closed) await client.end();
        else onGap();
      } catch {
        reconnectAfter(Math.min(pauseMs * 2, longestPauseMs));
      }
    }, pauseMs).unref();
  }

  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await client.end().catch(() => {});
    },
  };
}

/** Asks the connection again and again whether it lives. One that does not answer is closed, so that a new one is opened. To listen once more changes nothing. */
function startPings(client: pg.Client): () => void {
  const timer = setInterval(() => {
    const cut = setTimeout(() => client.end().catch(() => undefined), answerMs);
    client
      .query(listenSql)
      .catch(() => client.end().catch(() => undefined))
      .finally(() => clearTimeout(cut));
  }, pingMs).unref();
  return () => clearInterval(timer);
}
