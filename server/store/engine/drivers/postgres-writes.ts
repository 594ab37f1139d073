import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Database, Pace, Transaction } from "../database.ts";
import { isRetryable } from "../errors.ts";
import { perform, type Statements } from "../transaction.ts";
import { type Conversation, converse } from "./postgres-conversation.ts";
import { type Deadline, deadlineIn, withClient } from "./postgres-lease.ts";
import type { Announcer } from "./postgres-notices.ts";
import type { Query } from "./postgres-queries.ts";

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
    let conversation: Conversation | undefined;
    const use = async (client: pg.PoolClient) => {
      conversation = converse(client);
      if (pace === "long") for (const text of unlimited) await conversation.ask({ text });
      const { result, topics } = await perform(work, statementsOf(conversation, query));
      const announcement = announcer.announce(topics);
      await conversation.commit(announcement.payloads);
      announcement.settle();
      return result;
    };
    const undo = async () => conversation?.rollBack() ?? true;
    return withClient(pool, deadline, { use, undo });
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

const unlimited = ["SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0"];

/** The statements of a transaction, as works use them. */
function statementsOf({ ask, put }: Conversation, query: Query): Statements {
  const run: Statements["run"] = async (sql, ...values) => (await ask(query(sql, values))).rowCount ?? 0;
  return {
    engine: "postgres",
    get: async (sql, ...values) => (await ask(query(sql, values))).rows[0],
    all: async (sql, ...values) => (await ask(query(sql, values))).rows,
    run,
    send: (take, sql, ...values) => put(query(sql, values), ({ rows }) => take(rows)),
    async lock(name) {
      await run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", name);
      return true;
    },
  };
}
