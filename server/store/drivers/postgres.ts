import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database, Transaction } from "../database.ts";
import { createDoor } from "../door.ts";
import { isRetryable } from "../errors.ts";
import { insertStatement } from "../insert-statement.ts";
import { createSignals } from "../signals.ts";
import { perform, type Statements } from "../transaction.ts";
import { listen, notice, notifySql } from "./postgres-listener.ts";
import { query, types } from "./postgres-queries.ts";

const attempts = 5;

/** Opens a PostgreSQL database: a pool, and one connection that listens to the signals of other servers. */
export async function openPostgres(url: string, poolSize = 10): Promise<Database> {
  const config = { connectionString: url, types, keepAlive: true, connectionTimeoutMillis: 5_000 };
  const self = randomUUID();
  const signals = createSignals();
  const listener = await listen(
    config,
    ([from, topic]) => {
      if (from !== self) signals.emit([topic]);
    },
    () => signals.emit(["*"]),
  );
  const pool = new pg.Pool({ ...config, max: poolSize });
  ignoreLostConnections(pool);
  const door = createDoor();
  let closing: Promise<void> | undefined;

  async function write<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await transact(work);
      } catch (error) {
        if (attempt === attempts || !isRetryable(error)) throw error;
      }
      await sleep(attempt * 10);
    }
  }

  async function transact<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const { result, topics } = await withClient(pool, async (client) => {
      await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
      const outcome = await perform(work, statementsOf(client));
      await notify(client, self, outcome.topics);
      await commit(client);
      return outcome;
    });
    signals.emit(topics);
    return result;
  }

  async function close(): Promise<void> {
    await door.close();
    await Promise.all([listener.close(), pool.end()]);
  }

  const { get, all } = statementsOf(pool);
  return {
    engine: "postgres",
    get: (sql, ...values) => door.pass(() => get(sql, ...values)),
    all: (sql, ...values) => door.pass(() => all(sql, ...values)),
    async insert(table, row) {
      const { sql, values } = insertStatement(table, row);
      await door.pass(() => pool.query(query(sql, values)));
    },
    write: (work) => door.pass(() => write(work)),
    onSignal: signals.subscribe,
    onForeignChange: () => () => {},
    close: () => (closing ??= close()),
  };
}

/** Without a listener to their errors, connections that break end the process. Whoever uses one gets the error of its query. */
function ignoreLostConnections(pool: pg.Pool): void {
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
}

/** Hands a connection back to the pool; where what was done with it failed, undone and, if even that fails, thrown away. */
async function withClient<Result>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let broken = false;
  try {
    return await use(client);
  } catch (error) {
    broken = await client.query("ROLLBACK").then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(broken);
  }
}

async function notify(client: pg.PoolClient, self: string, topics: ReadonlySet<string>): Promise<void> {
  if (topics.size === 0) return;
  await client.query(notifySql, [[...topics].map((topic) => notice(self, topic))]);
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query("COMMIT");
  if (command !== "COMMIT") throw new Error("PostgreSQL has undone the transaction.");
}

function statementsOf(connection: pg.Pool | pg.PoolClient): Statements {
  const run: Statements["run"] = async (sql, ...values) =>
    (await connection.query(query(sql, values))).rowCount ?? 0;
  return {
    engine: "postgres",
    get: async (sql, ...values) => (await connection.query(query(sql, values))).rows[0],
    all: async (sql, ...values) => (await connection.query(query(sql, values))).rows,
    run,
    lock: async (name) => void (await run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name)),
  };
}
