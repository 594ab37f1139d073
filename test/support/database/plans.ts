import { expect } from "vitest";
import type { Database } from "../../../server/store/engine/database.ts";
import type { TracedDatabase } from "./traced-database.ts";

/** How the engine would run the first statement of some work: a line for each step, with the indexes that it uses. */
export async function planOf(
  { statementsOf }: TracedDatabase,
  database: Database,
  work: (database: Database) => Promise<unknown>,
): Promise<string> {
  const [ran = expect.fail("no statement ran")] = await statementsOf(() => work(database));
  const explain = database.engine === "sqlite" ? "EXPLAIN QUERY PLAN" : "EXPLAIN";
  const rows = await database.all(`${explain} ${ran.sql}`, ...ran.values);
  return rows.map((row) => ("detail" in row ? row.detail : Object.values(row).at(0))).join("\n");
}
