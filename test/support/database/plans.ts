import { expect } from "vitest";
import type { Database } from "../../../server/store/engine/database.ts";
import type { RanStatement, TracedDatabase } from "./traced-database.ts";

/** How the engine would run the first statement of some work: a line for each step, with the indexes that it uses. */
export async function planOf(
  { statementsOf }: TracedDatabase,
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<string> {
  const [ran = expect.fail("no statement ran")] = await statementsOf(() => work(database));
  const rows =
    database.engine === "sqlite"
      ? await database.all(`EXPLAIN QUERY PLAN ${ran.sql}`, ...ran.values)
      : await explained(database, ran);
  return rows.map((row) => ("detail" in row ? row.detail : Object.values(row).at(0))).join("\n");
}

const explained = (database: Database, { sql, values }: RanStatement) =>
  database.write(async (tx) => {
    // For a few rows, to read all or to sort them is always cheaper. The plan shall be that for very many.
    await tx.run("SET LOCAL enable_seqscan = off");
    await tx.run("SET LOCAL enable_bitmapscan = off");
    return tx.all(`EXPLAIN ${sql}`, ...values);
  });
