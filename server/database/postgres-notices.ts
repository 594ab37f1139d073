import { randomUUID } from "node:crypto";
import pg from "pg";
import { everyTopic, type Signals } from "./signals.ts";

const firstPauseMs = 50;

const longestPauseMs = 2_000;

/** The pause between two pings. */
const pingMs = 15_000;

/** How long the connection may take to answer a ping. */
const answerMs = 5_000;

interface PostgresListener {
  close(): Promise<void>;
}

/**
 * Listens for notices on its own connection. Opens the connection again each time that it breaks. Resolves when it listens;
 * rejects if the first connection fails.
 */
export async function listen(
  config: pg.ClientConfig,
  {
    onNotice,
    onGap,
  }: {
    readonly onNotice: (payload: string) => void;
    /** Called after a lost connection was opened again: notices may have been lost. */
    readonly onGap: () => void;
  },
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

/** The channel on which the servers of a database tell each other what has changed. */
const channel = "innkeep";

/** PostgreSQL refuses the payload of a notice with 8,000 bytes. */
const mostBytes = 7_900;

/** More topics than these are announced as "anything may have changed". */
const mostTopics = 1_000;

/** Commits of unknown outcome: beyond these the oldest is forgotten. */
const mostUnsettled = 1_000;

/** What a transaction announces. */
interface Announcement {
  /** The payloads to send in the transaction. Empty if there is nothing to announce. */
  readonly payloads: readonly string[];
  /** Signals the topics to this process after the commit, if its own notice has not done so already. */
  settle(): void;
}

export interface Announcer {
  /** Prepares the notices of a transaction that is about to commit. */
  announce(topics: ReadonlySet<string>): Announcement;
  /** Signals what another server has announced. Of its own notices, only those of commits that have not been settled. */
  hear(payload: string): void;
}

/**
 * Announces topics to other servers. This process signals each transaction once: when the commit is acknowledged, or when
 * its notice arrives, if that is earlier. So a commit whose acknowledgement was lost is signalled too.
 */
export function createAnnouncer(signals: Signals): Announcer {
  const self = randomUUID();
  const unsettled = new Map<string, ReadonlySet<string>>();
  let count = 0;

  function settle(id: string): void {
    const topics = unsettled.get(id);
    if (topics && unsettled.delete(id)) signals.emit(topics);
  }

  return {
    announce(topics) {
      if (topics.size === 0) return { payloads: [], settle() {} };
      count += 1;
      const id = `${self} ${count}`;
      unsettled.set(id, topics);
      for (const oldest of unsettled.keys()) {
        if (unsettled.size <= mostUnsettled) break;
        unsettled.delete(oldest);
      }
      return { payloads: payloadsOf(id, [...topics]), settle: () => settle(id) };
    },
    hear(payload) {
      const { id, topics } = parse(payload);
      if (id.startsWith(`${self} `)) settle(id);
      else signals.emit(topics);
    },
  };
}

/** As few notices as can hold the topics. */
export function payloadsOf(id: string, topics: readonly string[]): string[] {
  const everything = JSON.stringify([id, everyTopic]);
  if (topics.length > mostTopics || topics.some((topic) => sizeOf([id, topic]) > mostBytes))
    return [everything];
  const parts: string[][] = [];
  let bytes = 0;
  for (const topic of topics) {
    const more = sizeOf([topic]);
    const last = parts.at(-1);
    if (last && bytes + more <= mostBytes) {
      last.push(topic);
      bytes += more;
    } else {
      parts.push([topic]);
      bytes = sizeOf([id, topic]);
    }
  }
  return parts.map((part) => JSON.stringify([id, ...part]));
}

const sizeOf = (texts: readonly string[]): number => Buffer.byteLength(JSON.stringify(texts));

/** What a notice says. One that no server of this release has sent may mean anything. */
function parse(payload: string): { readonly id: string; readonly topics: readonly string[] } {
  try {
    const parsed: unknown = JSON.parse(payload);
    if (Array.isArray(parsed) && parsed.every((part) => typeof part === "string")) {
      const [id = "", ...topics] = parsed;
      return { id, topics };
    }
  } catch {
    // Not JSON: see below.
  }
  return { id: "", topics: [everyTopic] };
}

/** The statement that makes a connection listen. */
const listenSql = `LISTEN ${channel}`;

/** The statements that send notices to all listeners. */
export const noticesOf = (payloads: readonly string[]): pg.QueryConfig[] =>
  payloads.map((payload) => ({
    name: "innkeep_notice",
    text: `SELECT pg_notify('${channel}', $1)`,
    values: [payload],
  }));
