import pg from "pg";

const channel = "innkeep";
const firstPauseMs = 50;
const longestPauseMs = 2_000;

const beatMs = 15_000;
const answerMs = 5_000;

export interface PostgresListener {
  close(): Promise<void>;
}

/**
 * Listens on a connection of its own and hands each notice to `hear`. When the connection breaks it connects again, for
 * ever, and then calls `missed`. Resolves once it listens; rejects if the first connection fails.
 */
export async function listen(
  config: pg.ClientConfig,
  hear: (notice: Notice) => void,
  missed: () => void,
): Promise<PostgresListener> {
  let closed = false;
  let client = await connect();
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client(config);
    opened.on("notification", ({ payload }) => hear(parse(payload)));
    // An error event without a listener ends the process. What follows it is the end event.
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
      again(firstPauseMs);
    });
    return opened;
  }

  function again(pauseMs: number): void {
    if (closed) return;
    timer = setTimeout(async () => {
      try {
        client = await connect();
        if (closed) await client.end();
        else missed();
      } catch {
        again(Math.min(pauseMs * 2, longestPauseMs));
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

/** A connection that answers no more is cut, so that a new one takes its place. */
async function beat(client: pg.Client): Promise<void> {
  const cut = setTimeout(() => client.end().catch(() => undefined), answerMs);
  await client.query("SELECT 1").catch(() => undefined);
  clearTimeout(cut);
}

/** Which server sent it, and the topic. */
export type Notice = readonly [from: string, topic: string];

export function notice(from: string, topic: string): string {
  return `${from} ${topic}`;
}

function parse(payload = ""): Notice {
  const space = payload.indexOf(" ");
  return [payload.slice(0, space), payload.slice(space + 1)];
}

/** The statement that sends notices to all who listen. */
export const notifySql = `SELECT pg_notify('${channel}', notice) FROM unnest(CAST($1 AS text[])) AS notice`;
