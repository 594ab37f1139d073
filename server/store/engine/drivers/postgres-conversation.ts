import type pg from "pg";
import { noticesOf } from "./postgres-notices.ts";
import { runTogether } from "./postgres-together.ts";

const begin = { name: "innkeep_begin", text: "BEGIN ISOLATION LEVEL READ COMMITTED" };
const commit = { name: "innkeep_commit", text: "COMMIT" };
/** Bounds the memory for statements that wait. */
const mostWaiting = 50;

/**
 * A transaction on one connection. A statement whose result nobody needs yet waits for the next one, or for the commit, and
 * goes out with it. The beginning waits too.
 */
export interface Conversation {
  /** Runs the statements that wait and then this one, and gives its result. */
  ask(statement: pg.QueryConfig): Promise<pg.QueryResult>;
  /** Lets a statement wait. `take` gets its result once it has run. */
  put(statement: pg.QueryConfig, take: (result: pg.QueryResult) => void): Promise<void>;
  /** Runs the statements that wait, sends the notices and commits. Throws if the transaction was rolled back. */
  commit(payloads: readonly string[]): Promise<void>;
  /** Undoes everything. False if the connection cannot be used again. */
  rollBack(): Promise<boolean>;
}

interface Waiting {
  readonly statement: pg.QueryConfig;
  readonly take: (result: pg.QueryResult) => void;
}

export function converse(client: pg.PoolClient): Conversation {
  let waiting: Waiting[] = [{ statement: begin, take: () => {} }];
  let hasBegun = false;

  async function ask(...statements: readonly pg.QueryConfig[]): Promise<pg.QueryResult[]> {
    const before = waiting;
    waiting = [];
    hasBegun = true;
    const results = await runTogether(client, [...before.map(({ statement }) => statement), ...statements]);
    const own = results.splice(before.length);
    for (const [at, result] of results.entries()) before[at]?.take(result);
    return own;
  }

  async function askOne(statement: pg.QueryConfig): Promise<pg.QueryResult> {
    const [result] = await ask(statement);
    if (result === undefined) throw new Error("PostgreSQL gave no result.");
    return result;
  }

  return {
    ask: askOne,

    async put(statement, take) {
      if (waiting.length < mostWaiting) waiting.push({ statement, take });
      else take(await askOne(statement));
    },

    async commit(payloads) {
      const results = await ask(...noticesOf(payloads), commit);
      if (results.at(-1)?.command !== "COMMIT") throw new Error("PostgreSQL rolled back the transaction.");
    },

    rollBack: async () =>
      !hasBegun ||
      client.query("ROLLBACK").then(
        () => true,
        () => false,
      ),
  };
}
