import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Database, Pace, Transaction } from "./database.ts";
import { isRetryable } from "./errors.ts";
import { type Deadline, deadlineIn, withClient } from "./postgres-lease.ts";
import { type Announcer, noticesOf } from "./postgres-notices.ts";
import type { Query } from "./postgres-queries.ts";
import { perform, type Statements } from "./transaction.ts";

const attempts = 5;

export interface PostgresWrites {
  readonly pool: pg.Pool;
  readonly query: Query;
  readonly announcer: Announcer;
  readonly patienceMs: number;
}

/** Creates `Database.write` for PostgreSQL. It repeats a transaction that failed only because of concurrent ones. */
export function createWrite({ pool, query, announcer, patienceMs }: PostgresWrites): Database["write"] {
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

/** Returns false if the connection cannot be used again. */
const rollBack = (client: pg.PoolClient): Promise<boolean> =>
  client.query("ROLLBACK").then(
    () => true,
    () => false,
  );

const unlimited = ["SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0"];

/** The statements of a transaction, as works use them. */
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
