import type { Database, Transaction } from "../../../server/database/database.ts";
import { countStored, findTimes } from "../../../server/database/schema/statistics.ts";
import { indexAllAgain, indexNext } from "../../../server/feedback/search/store/indexing.ts";
import { limitViews } from "../../../server/feedback/unread/store/read-marks.ts";
import { createSealer } from "../../../server/secrets/secrets.ts";
import { appRows, ownApps } from "./app-rows.ts";
import { deskChanges, deskRows } from "./desk-rows.ts";
import { feedbackRows } from "./feedback-rows.ts";
import { idOf } from "./requests/measured.ts";
import type { Rows } from "./rows.ts";
import type { Size } from "./size.ts";
import { sqlOf } from "./sql.ts";
import { readMarks, teamRows } from "./team-rows.ts";
import { testRows } from "./test-rows.ts";

const rowsAtOnce = 100_000;

/**
 * Fills an empty database with SQL, for an existing account. Indexes and triggers are removed before and created again
 * after, because this is several times faster.
 */
export async function fill(
  database: Database,
  size: Size,
  { personId, secret }: { readonly personId: string; readonly secret: string },
): Promise<void> {
  const sql = sqlOf(database.engine);
  const now = Date.now();
  const sealedDraft = createSealer(secret).seal(JSON.stringify({ text: "Thank you for", was: "" }));
  const tables = [
    ...appRows(sql, personId, now),
    ...feedbackRows(sql, size, { personId, now }),
    ...testRows(sql, size, { personId, now }),
    ...teamRows(sql, size, { personId, now, sealedDraft }),
    ...deskRows(sql, size, { personId, now }),
  ];
  await makeNumbers(database, Math.max(...tables.map(({ count }) => count)));
  const restore = await withoutIndexes(database);
  for (const rows of tables) await insert(database, rows);
  await database.write(async (tx) => {
    for (const statement of [
      ...deskChanges(sql, size, { personId, now }),
      ...readMarks(sql, size, { personId, now }),
    ])
      await tx.run(statement);
    if (tx.engine === "postgres")
      await tx.all(`SELECT setval(pg_get_serial_sequence('feedback', 'seq'), ${size.threads})`);
    await tx.run("DROP TABLE growth_numbers");
  }, "long");
  await restore((table) => table !== searched);
  await database.write(async (tx) => {
    await prepare(tx);
    const all = "SELECT id FROM apps";
    for (const statement of [findTimes(all), ...countStored(tx.engine, all)]) await tx.run(statement);
  }, "long");
  await database.write(indexAllAgain, "long");
  await indexAll(database);
  await restore((table) => table === searched);
  for (let app = 1; app <= ownApps; app += 1)
    await database.write((tx) => limitViews(tx, { appId: idOf("1", app), userId: personId }), "long");
}

/** PostgreSQL: makes statistics, and removes deleted rows of the queue, because the benchmark runs without autovacuum. */
async function indexAll(database: Database): Promise<void> {
  if (database.engine === "postgres") await database.all("ANALYZE");
  for (let batches = 1; await indexNext(database); batches += 1)
    if (database.engine === "postgres" && batches % 500 === 0) await database.all("VACUUM threads_to_index");
}

async function makeNumbers(database: Database, count: number): Promise<void> {
  await database.write(async (tx) => {
    await tx.run("CREATE TABLE growth_numbers (n BIGINT PRIMARY KEY)");
    await tx.run(`INSERT INTO growth_numbers (n)
      WITH RECURSIVE numbers AS (SELECT CAST(1 AS bigint) AS n UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
      SELECT n FROM numbers`);
  }, "long");
}

async function insert(database: Database, { into, count, select, where = "1 = 1" }: Rows): Promise<void> {
  for (let from = 1; from <= count; from += rowsAtOnce) {
    const to = Math.min(count, from + rowsAtOnce - 1);
    await database.write(async (tx) => {
      await prepare(tx);
      await tx.run(
        `INSERT INTO ${into} SELECT ${select} FROM growth_numbers WHERE n BETWEEN ${from} AND ${to} AND ${where} ORDER BY n`,
      );
    }, "long");
  }
}

/** PostgreSQL: turns off triggers and the checks of references. SQLite: increases the memory of the writer. */
async function prepare(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite") await tx.all("PRAGMA cache_size = -400000");
  else await tx.run("SET LOCAL session_replication_role = replica");
}

interface Definition {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/** Its index is created after its last row, because adding rows to it one by one takes most of the time. */
const searched = "feedback_search";

const kept = "'feedback_to_index'";
const definitions = {
  sqlite: `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
    WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND name NOT IN (${kept}) AND tbl_name NOT LIKE 'feedback_search%'`,
  postgres: `SELECT 'index' AS type, i.indexname AS name, i.tablename AS "table", i.indexdef AS sql FROM pg_indexes i
    WHERE i.schemaname = current_schema() AND i.indexname NOT IN (${kept})
      AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conname = i.indexname)`,
};

/** Removes the indexes and the triggers of all tables. Returns the function that creates those of some tables again. */
async function withoutIndexes(
  database: Database,
): Promise<(isOf: (table: string) => boolean) => Promise<void>> {
  const removed = await database.all<Definition>(definitions[database.engine]);
  await database.write(async (tx) => {
    for (const { type, name } of removed) await tx.run(`DROP ${type} ${name}`);
  }, "long");
  return (isOf) =>
    database.write(async (tx) => {
      await prepare(tx);
      if (tx.engine === "postgres") await tx.run("SET LOCAL maintenance_work_mem = '512MB'");
      for (const { sql, table } of removed) if (isOf(table)) await tx.run(sql);
    }, "long");
}
