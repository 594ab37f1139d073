import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createClosingGate } from "./closing-gate.ts";
import type { Database, Value } from "./database.ts";
import { createSignals } from "./engine-signals.ts";
import { isRefused } from "./errors.ts";
import { deadlineIn, withClient } from "./postgres-lease.ts";
import { listen } from "./postgres-listener.ts";
import { createAnnouncer } from "./postgres-notices.ts";
import { createQuery, types } from "./postgres-queries.ts";
import { createWrite } from "./postgres-writes.ts";
import { everyTopic } from "./signals.ts";
import { insertStatement } from "./statements.ts";

const connectMs = 5_000;
const closeMs = 5_000;

export interface PostgresOptions {
  /** How many connections the pool may have, not counting the listening one. */
  readonly poolSize?: number | undefined;
  /** How long a call may take, except a `long` work. The default is no limit. */
  readonly patienceMs?: number | undefined;
}

/** Opens a PostgreSQL database: a pool of connections, and one connection that listens for signals of other servers. */
export async function openPostgres(
  url: string,
  { poolSize = 10, patienceMs = Number.POSITIVE_INFINITY }: PostgresOptions = {},
): Promise<Database> {
  const connectionTimeoutMillis = Math.min(connectMs, patienceMs * 0.75);
  // Tells the connections of this process from those of others.
  const application_name = `innkeep-${randomBytes(4).toString("hex")}`;
  const config = { connectionString: url, types, keepAlive: true, connectionTimeoutMillis, application_name };
  const pool = new pg.Pool({ ...config, max: poolSize, onConnect: createSetUp(patienceMs) });
  ignoreLostConnections(pool);
  const { announcer, signals, listener } = await hearSignals(config);
  const gate = createClosingGate();
  const query = createQuery();
  const write = createWrite({ pool, query, announcer, patienceMs });
  let closing: Promise<void> | undefined;

  /** One statement outside a transaction. A refused one leaves nothing to undo. */
  const single = <Result>(use: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
    withClient(pool, deadlineIn(patienceMs), { use, undo: async (_, error) => isRefused(error) });

  const rows = async (sql: string, values: readonly Value[]) =>
    (await single((client) => client.query(query(sql, values)))).rows;

  // A hung call may never end, and nobody waits for it any more.
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
    remembers: false,
    emptyLog: async () => true,
    close: () => (closing ??= close()),
  };
}

/** Listens for the signals of other servers. */
async function hearSignals(config: pg.ClientConfig) {
  const signals = createSignals();
  const announcer = createAnnouncer(signals);
  const listener = await listen(config, {
    onNotice: announcer.hear,
    onGap: () => signals.emit([everyTopic]),
  });
  return { announcer, signals, listener };
}

/**
 * Without a listener for its errors, a broken connection would end the process. A running query rejects with the error
 * anyway.
 */
function ignoreLostConnections(pool: pg.Pool): void {
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
}

/**
 * Makes PostgreSQL end statements and transactions that nobody waits for any more, because they hold locks. And keeps it from starting
 * other processes for a statement, which took 12 ms for 2 ms of work, and from compiling one: our statements read few rows. These are not set as
 * connection parameters, because proxies such as PgBouncer refuse those.
 */
function createSetUp(patienceMs: number): ((client: pg.ClientBase) => Promise<void>) | undefined {
  if (patienceMs === Number.POSITIVE_INFINITY) return undefined;
  const settings = [
    `SET statement_timeout = ${patienceMs}`,
    `SET idle_in_transaction_session_timeout = ${2 * patienceMs}`,
    "SET max_parallel_workers_per_gather = 0",
    "SET jit = off",
  ];
  const query = { text: settings.join("; "), query_timeout: patienceMs * 0.2 };
  return async (client) => {
    // A database that hangs here hangs for the first statement, too, which ends at its deadline.
    await client.query(query).catch(() => undefined);
  };
}
