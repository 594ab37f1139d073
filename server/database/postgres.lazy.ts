import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database, Pace, Transaction, Value } from "./database.ts";
import { isRefused, isRetryable } from "./errors.ts";
import {
  createClosingGate,
  createSignals,
  everyTopic,
  insertStatement,
  isPlannedEachTime,
  perform,
  type Signals,
  type Statements,
} from "./transaction.ts";

/** The maximum time for a new connection. The maximum is three quarters of `patienceMs` if this is shorter. */
const connectMs = 5_000;

const closeMs = 5_000;

export interface PostgresOptions {
  /** How many connections the pool may have. The connection that listens for signals does not count. */
  readonly poolSize?: number | undefined;
  /** How long a call may take, except a write with the pace `long`. The default is no limit. */
  readonly patienceMs?: number | undefined;
}

/**
 * Opens a PostgreSQL database with a pool of connections, and with one connection that listens for signals of other
 * servers.
 */
export async function openPostgres(
  url: string,
  { poolSize = 10, patienceMs = Number.POSITIVE_INFINITY }: PostgresOptions = {},
): Promise<Database> {
  const connectionTimeoutMillis = Math.min(connectMs, patienceMs * 0.75);
  // Distinguishes the connections of this process from those of other processes.
  const application_name = `innkeep-${randomBytes(4).toString("hex")}`;
  const config = { connectionString: url, types, keepAlive: true, connectionTimeoutMillis, application_name };
  const pool = new pg.Pool({ ...config, max: poolSize, onConnect: createSetUp(patienceMs) });
  ignoreLostConnections(pool);
  const { announcer, signals, listener } = await hearSignals(config);
  const gate = createClosingGate();
  const query = createQuery();
  const write = createWrite(pool, query, announcer, patienceMs);
  let closing: Promise<void> | undefined;

  /** Runs one statement outside a transaction. If the statement fails, nothing has to be undone. */
  const single = <Result>(use: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    withClient(pool, deadlineIn(patienceMs), { use, undo: async (_, error) => isRefused(error) });

  const rows = async (sql: string, values: readonly Value[]) =>
    (await single((client) => client.query(query(sql, values)))).rows;

  // A call that hangs may never end, and nobody waits for its result now. So `close` waits at most `closeMs`.
  async function close(): Promise<void> {
    const closed = gate.close().then(() => Promise.all([listener.close(), pool.end()]));
    await Promise.race([closed, sleep(closeMs, undefined, { ref: false })]);
  }

  return {
    engine: "postgres",
    get: (sql, ...values) => gate.pass(async () => (await rows(sql, values))[0]),
    all: (sql, ...values) => gate.pass(() => rows(sql, values)),
    insert: (table, row) =>
      gate.pass(async () => {
        const { sql, values } = insertStatement(table, row);
        await rows(sql, values);
      }),
    write: (work, pace) => gate.pass(() => write(work, pace)),
    snapshot: (use) =>
      gate.pass(() =>
        write(async (tx) => {
          await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
          return use(tx);
        }, "long"),
      ),
    onSignal: signals.subscribe,
    onForeignChange: () => () => {},
    caches: false,
    emptyLog: async () => true,
    close: () => (closing ??= close()),
  };
}

/** Listens for signals of other servers and passes them to the listeners of this process. */
async function hearSignals(config: pg.ClientConfig) {
  const signals = createSignals();
  const announcer = createAnnouncer(signals);
  const listener = await listen(config, {
    onNotice: announcer.hear,
    onGap: () => signals.emit([everyTopic]),
  });
  return { announcer, signals, listener };
}

/** Adds listeners for the error of a broken connection. Without a listener, the error would end the process. */
function ignoreLostConnections(pool: pg.Pool): void {
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
}

/**
 * Returns a function that sets up a connection. Proxies such as PgBouncer would refuse these settings as
 * connection parameters.
 */
function createSetUp(patienceMs: number): ((client: pg.ClientBase) => Promise<void>) | undefined {
  if (patienceMs === Number.POSITIVE_INFINITY) return undefined;
  const settings = [
    // Work that nobody waits for must end, because it keeps locks.
    `SET statement_timeout = ${patienceMs}`,
    `SET idle_in_transaction_session_timeout = ${2 * patienceMs}`,
    // The statements read few rows. Starting workers would take longer than the work.
    "SET max_parallel_workers_per_gather = 0",
    "SET jit = off",
  ];
  const query = { text: settings.join("; "), query_timeout: patienceMs * 0.2 };
  return async (client) => {
    // Errors are ignored here. If the database hangs now, the first statement also hangs, and ends at its
    // deadline.
    await client.query(query).catch(() => undefined);
  };
}

/** The maximum number of attempts of a transaction. Usually the deadline of the request comes earlier. */
const attempts = 20;

/**
 * Creates `Database.write` for PostgreSQL. It repeats a transaction that failed only because of concurrent
 * transactions.
 */
function createWrite(
  pool: pg.Pool,
  query: Query,
  announcer: Announcer,
  patienceMs: number,
): Database["write"] {
  async function transact<Result>(
    work: (tx: Transaction) => Promise<Result>,
    { pace, deadline }: { readonly pace: Pace; readonly deadline: Deadline },
  ): Promise<Result> {
    const use = async (client: pg.PoolClient) => {
      await client.query(begin);
      if (pace === "long") for (const text of unlimited) await client.query(text);
      const { result, topics } = await perform(work, statementsOf(client, query));
      const announcement = announcer.announce(topics);
      for (const notice of noticesOf(announcement.payloads)) await client.query(notice);
      const { command } = await client.query(commit);
      if (command !== "COMMIT") throw new Error("PostgreSQL rolled back the transaction.");
      announcement.settle();
      return result;
    };
    return withClient(pool, deadline, { use, undo: rollBack });
  }

  return async function write<Result>(
    work: (tx: Transaction) => Promise<Result>,
    pace: Pace = "request",
  ): Promise<Result> {
    const deadline = deadlineIn(pace === "long" ? Number.POSITIVE_INFINITY : patienceMs);
    for (let attempt = 1; ; attempt++) {
      try {
        return await transact(work, { pace, deadline });
      } catch (error) {
        if (attempt === attempts || !isRetryable(error)) throw error;
      }
      await sleep(attempt * 10);
    }
  };
}

const begin = { name: "innkeep_begin", text: "BEGIN ISOLATION LEVEL READ COMMITTED" };

const commit = { name: "innkeep_commit", text: "COMMIT" };

/** Rolls the transaction back. Returns false if the connection cannot be used again. */
const rollBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query("ROLLBACK").then(
    () => true,
    () => false,
  );

const unlimited = ["SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0"];

/** Returns the functions with which `work` runs statements in its transaction. */
function statementsOf(client: pg.PoolClient, query: Query): Statements {
  const run: Statements["run"] = async (sql, ...values) =>
    (await client.query(query(sql, values))).rowCount ?? 0;
  return {
    engine: "postgres",
    get: async (sql, ...values) => (await client.query(query(sql, values))).rows[0],
    all: async (sql, ...values) => (await client.query(query(sql, values))).rows,
    run,
    async lock(name) {
      await run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name);
      return true;
    },
  };
}

const mostNamed = 500;

/** How many SQL texts are remembered after their first use. Many texts are never used again. */
const mostSeen = 2_000;

/**
 * Returns a statement for `pg` with numbered placeholders. If the statement has a name, each connection plans
 * the statement once.
 */
type Query = (sql: string, values: readonly Value[]) => pg.QueryConfig;

/** Names a statement only at its second use, because each connection keeps all named statements in memory. */
export function createQuery(): Query {
  const named = new Map<string, { name?: string; text: string }>();
  const seen = new Set<string>();

  function statementOf(sql: string): { name?: string; text: string } {
    const text = numberPlaceholders(sql);
    if (named.size >= mostNamed || isPlannedEachTime(sql)) return { text };
    if (!seen.delete(sql)) {
      if (seen.size >= mostSeen) seen.clear();
      seen.add(sql);
      return { text };
    }
    const statement = { name: `innkeep_${named.size}`, text };
    named.set(sql, statement);
    return statement;
  }

  return (sql, values) => ({ ...(named.get(sql) ?? statementOf(sql)), values: [...values] });
}

/** Parses values to the types of SQLite: numbers, 0 and 1 for booleans, and text for JSON and times. */
const types = new pg.TypeOverrides();

const oids = pg.types.builtins;

for (const oid of [oids.INT8, oids.NUMERIC]) types.setTypeParser(oid, Number);

for (const oid of [oids.JSON, oids.JSONB, oids.DATE, oids.TIMESTAMP, oids.TIMESTAMPTZ])
  types.setTypeParser(oid, String);

types.setTypeParser(oids.BOOL, (text) => (text === "t" ? 1 : 0));

/** Replaces each `?` of a statement with PostgreSQL's `$1`, `$2` and so on, except in quotes and comments. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(quotedOrMark, (found) => (found === "?" ? `$${++count}` : found));
}

const quotedOrMark = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?/g;

/** The time at which a call must have ended, on the clock of `performance.now()`. */
type Deadline = number;

const deadlineIn = (milliseconds: number): Deadline => performance.now() + milliseconds;

/**
 * Calls `use` with a connection, which is closed at the deadline. After a failure, `undo` makes the connection
 * usable again.
 */
async function withClient<Result>(
  pool: pg.Pool,
  deadline: Deadline,
  { use, undo }: Use<Result>,
): Promise<Result> {
  const client = await pool.connect();
  const timer = cutAt(client, deadline);
  let broken = false;
  try {
    return await use(client);
  } catch (error) {
    broken = !(await undo(client, error));
    throw error;
  } finally {
    clearTimeout(timer);
    client.release(broken);
  }
}

interface Use<Result> {
  readonly use: (client: pg.PoolClient) => Promise<Result>;
  readonly undo: (client: pg.PoolClient, error: unknown) => Promise<boolean>;
}

// If the connection waits for an answer, the method `end` of `pg` destroys the socket.
function cutAt(client: pg.PoolClient, deadline: Deadline): NodeJS.Timeout | undefined {
  if (deadline === Number.POSITIVE_INFINITY) return undefined;
  const cut = () => void client.end().catch(() => undefined);
  return setTimeout(cut, Math.max(1, deadline - performance.now()));
}

const firstPauseMs = 50;

const longestPauseMs = 2_000;

/** The pause between two pings. */
const pingMs = 15_000;

/** How long the connection may take to answer a ping. */
const answerMs = 5_000;

interface PostgresListener {
  close(): Promise<void>;
}

/** Listens on a separate connection, and replaces it if it breaks. Rejects if the first connection fails. */
async function listen(
  config: pg.ClientConfig,
  {
    onNotice,
    onGap,
  }: {
    readonly onNotice: (payload: string) => void;
    /**
     * Called when a new connection listens after the earlier connection was lost. Notifications may have been lost in
     * the meantime.
     */
    readonly onGap: () => void;
  },
): Promise<PostgresListener> {
  let closed = false;
  let client = await connect();
  let timer: NodeJS.Timeout | undefined;

  async function connect(): Promise<pg.Client> {
    const opened = new pg.Client(config);
    opened.on("notification", ({ payload = "" }) => onNotice(payload));
    // Without a listener, an error event would end the process. An end event follows each error event.
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

/** Sends LISTEN regularly as a ping. Closes a connection that does not answer. */
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

/** The channel of PostgreSQL on which Innkeep servers with the same database notify each other of changes. */
const channel = "innkeep";

/** The maximum number of bytes in a payload. PostgreSQL refuses a payload of 8,000 bytes or more. */
const mostBytes = 7_900;

/** With more topics than this, the notification has only `everyTopic`, because anything may have changed. */
const mostTopics = 1_000;

/**
 * The maximum number of commits in memory whose result is unknown. Above this number, the oldest commit is
 * removed.
 */
const mostUnsettled = 1_000;

/** The announcement of one transaction. */
interface Announcement {
  /** The payloads to send in the transaction. Empty if there is nothing to announce. */
  readonly payloads: readonly string[];
  /**
   * Call this after the commit. Signals the topics to this process, unless the notification of this commit has
   * already arrived.
   */
  settle(): void;
}

interface Announcer {
  /** Prepares the notifications of a transaction that is about to commit. */
  announce(topics: ReadonlySet<string>): Announcement;
  /** Signals the topics of a notification to this process. Does nothing if `settle` already signalled them. */
  hear(payload: string): void;
}

/**
 * Announces topics to other servers. This process gets its own topics once, even if a commit's confirmation is
 * lost.
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

/** Returns the payloads of notifications with these topics. It returns as few payloads as possible. */
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

/** Returns the content of a notification. An unknown form becomes the topic `everyTopic`. */
function parse(payload: string): { readonly id: string; readonly topics: readonly string[] } {
  try {
    const parsed: unknown = JSON.parse(payload);
    if (Array.isArray(parsed) && parsed.every((part) => typeof part === "string")) {
      const [id = "", ...topics] = parsed;
      return { id, topics };
    }
  } catch {
    // The payload is not JSON. The code below handles this case.
  }
  return { id: "", topics: [everyTopic] };
}

const listenSql = `LISTEN ${channel}`;

/** Returns the statements that send notifications to all listeners. */
const noticesOf = (payloads: readonly string[]): pg.QueryConfig[] =>
  payloads.map((payload) => ({
    name: "innkeep_notice",
    text: `SELECT pg_notify('${channel}', $1)`,
    values: [payload],
  }));
