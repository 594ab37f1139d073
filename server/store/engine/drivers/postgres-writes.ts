import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Database, Pace, Transaction } from "../database.ts";
import { isRetryable } from "../errors.ts";
import type { Signals } from "../signals.ts";
import { perform, type Statements } from "../transaction.ts";
import { type Deadline, deadlineIn, withClient } from "./postgres-lease.ts";
import { notice, notifySql } from "./postgres-listener.ts";
import { query } from "./postgres-queries.ts";

const attempts = 5;

export interface PostgresWrites {
  readonly pool: pg.Pool;
  /** The name of this server in its notices. */
  readonly self: string;
  readonly signals: Signals;
  readonly patienceMs: number;
}

/** Creates `Database.write` for PostgreSQL. It repeats a transaction that failed only because of concurrent ones. */
export function createWrite({ pool, self, signals, patienceMs }: PostgresWrites): Database["write"] {
  async function transact<Result>(
    work: (tx: Transaction) => Promise<Result>,
    { pace, deadline }: { readonly pace: Pace; readonly deadline: Deadline },
  ): Promise<Result> {
    const use = async (client: pg.PoolClient) => {
      await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
      if (pace === "long") await client.query(unlimited);
      const done = await perform(work, statementsOf(client));
      await notify(client, self, done.topics);
      await commit(client);
      return done;
    };
    const { result, topics } = await withClient(pool, deadline, { use, undo: rollBack });
    signals.emit(topics);
    return result;
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

const unlimited = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0";

const rollBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query("ROLLBACK").then(
    () => true,
    () => false,
  );

async function notify(client: pg.PoolClient, self: string, topics: ReadonlySet<string>): Promise<void> {
  if (topics.size === 0) return;
  await client.query(notifySql, [[...topics].map((topic) => notice(self, topic))]);
}

async function commit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query("COMMIT");
  if (command !== "COMMIT") throw new Error("PostgreSQL rolled back the transaction.");
}

/** The statements of a connection, as transactions use them. */
export function statementsOf(connection: pg.PoolClient): Statements {
  const run: Statements["run"] = async (sql, ...values) =>
    (await connection.query(query(sql, values))).rowCount ?? 0;
  return {
    engine: "postgres",
    get: async (sql, ...values) => (await connection.query(query(sql, values))).rows[0],
    all: async (sql, ...values) => (await connection.query(query(sql, values))).rows,
    run,
    async lock(name) {
      await run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name);
      return true;
    },
  };
}
