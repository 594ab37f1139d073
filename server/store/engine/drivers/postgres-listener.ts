import pg from "pg";

const channel = "innkeep";
const firstPauseMs = 50;
const longestPauseMs = 2_000;

const beatMs = 15_000;
const answerMs = 5_000;

export interface PostgresListener {
  close(): Promise<void>;
}

export interface NoticeHandlers {
  readonly onNotice: (notice: Notice) => void;
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
    opened.on("notification", ({ payload }) => onNotice(parse(payload)));
    // An error event without a listener would end the process. The end event follows.
    opened.on("error", () => {});
    try {
      await opened.connect();
      await opened.query(`LISTEN ${channel}`);
    } catch (error) {
      opened.end().catch(() => {});
      throw error;
    }
    const heartbeat = setInterval(() => beat(opened), beatMs).unref();
    opened.once("end", () => {
      clearInterval(heartbeat);
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

/** Closes a connection that no longer answers, so that a new one is opened. */
async function beat(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => client.end().catch(() => undefined), answerMs);
  await client.query("SELECT 1").catch(() => undefined);
  clearTimeout(cut);
}

/** The server that sent a notice, and the topic. */
export type Notice = readonly [from: string, topic: string];

/** The text of a notice. */
export function notice(from: string, topic: string): string {
  return `${from} ${topic}`;
}

function parse(payload = ""): Notice {
  const space = payload.indexOf(" ");
  return [payload.slice(0, space), payload.slice(space + 1)];
}

/** The statement that sends notices to all listeners. */
export const notifySql = `SELECT pg_notify('${channel}', notice) FROM unnest(CAST($1 AS text[])) AS notice`;
