import { expect } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import type { RanStatement, TracedDatabase } from "./traced-database.ts";

type Work = (database: Database) => Promise<unknown>;

/** The query plan of the first statement of some work: a line for each step, with the indexes that it uses. */
export async function planOf(
  { statementsOf }: TracedDatabase,
  database: Database,
  work: Work,
): Promise<string> {
  return planOfStatement(database, (await statementsOf(() => work(database))).at(0));
}

/** The same of the last statement. */
export async function planOfLast(
  { statementsOf }: TracedDatabase,
  database: Database,
  work: Work,
): Promise<string> {
  return planOfStatement(database, (await statementsOf(() => work(database))).at(-1));
}

/** The same of each statement, as one text for each. */
export async function plansOf(
  { statementsOf }: TracedDatabase,
  database: Database,
  work: Work,
): Promise<string[]> {
  const plans: string[] = [];
  for (const ran of await statementsOf(() => work(database)))
    plans.push(await planOfStatement(database, ran));
  return plans;
}

async function planOfStatement(database: Database, ran: RanStatement | undefined): Promise<string> {
  if (ran === undefined) return expect.fail("no statement ran");
  const rows =
    database.engine === "sqlite"
      ? await database.all(`EXPLAIN QUERY PLAN ${ran.sql}`, ...ran.values)
      : await explained(database, ran);
  return rows.map((row) => ("detail" in row ? row.detail : Object.values(row).at(0))).join("\n");
}

const explained = (database: Database, { sql, values }: RanStatement) =>
  database.write(async (tx) => {
    // With few rows, the engine would rather read or sort all of them. This makes it plan as for very many rows.
    await tx.run("SET LOCAL enable_seqscan = off");
    await tx.run("SET LOCAL enable_bitmapscan = off");
    return tx.all(`EXPLAIN ${sql}`, ...values);
  });
