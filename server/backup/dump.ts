import type { Reader, Transaction } from "../database/database.ts";
import { bulkInsertSql } from "../database/statements.ts";
import { refreshStatistics } from "../database/statistics.ts";
import { tags } from "../feedback/tags/store.ts";
import { everyTable, type Table } from "./store.ts";

const atOnce = 100;

/** The rows of a table in batches. Each row is a JSON array of its values in the order of the columns. */
export const dumpRows = (reader: Reader, table: Table): AsyncGenerator<string[]> =>
  reader.engine === "sqlite" ? dumpSqlite(reader, table) : dumpPostgres(reader, table);

async function* dumpSqlite(reader: Reader, table: Table): AsyncGenerator<string[]> {
  const sql = `SELECT rowid AS "row", json_array(${namesOf(table)}) AS line FROM ${table.name}
    WHERE rowid > ? ORDER BY rowid LIMIT ${atOnce}`;
  for (let last = -1; ; ) {
    const rows = await reader.all<{ row: number; line: string }>(sql, last);
    const end = rows.at(-1);
    if (!end) return;
    yield rows.map(({ line }) => line);
    last = end.row;
  }
}

/** Must run in a transaction, because of its cursor. */
async function* dumpPostgres(reader: Reader, table: Table): AsyncGenerator<string[]> {
  const cursor = `dump_${table.name}`;
  await reader.all(
    `DECLARE ${cursor} NO SCROLL CURSOR FOR
     SELECT CAST(json_build_array(${namesOf(table)}) AS text) AS line FROM ${table.name}`,
  );
  for (;;) {
    const rows = await reader.all<{ line: string }>(`FETCH ${atOnce} FROM ${cursor}`);
    if (rows.length === 0) break;
    yield rows.map(({ line }) => line);
  }
  await reader.all(`CLOSE ${cursor}`);
}

/** Deletes the rows of a table, such as those that a migration wrote into a new database. */
export const emptyTable = (tx: Transaction, { name }: Table): Promise<number> =>
  tx.run(`DELETE FROM ${name}`);

/** Adds rows that `dumpRows` gave on any engine. Gives their number. */
export async function loadRows(tx: Transaction, table: Table, lines: readonly string[]): Promise<number> {
  const sql =
    tx.engine === "sqlite"
      ? bulkInsertSql(
          table.name,
          table.columns.map(({ name }) => name),
        )
      : bulkInsertPostgres(table);
  return tx.run(sql, `[${lines.join(",")}]`);
}

const bulkInsertPostgres = (table: Table): string => {
  const values = table.columns.map(({ type }, at) => `CAST(value ->> ${at} AS ${type})`);
  return `INSERT INTO ${table.name} (${namesOf(table)})
    SELECT ${values.join(", ")} FROM json_array_elements(CAST(? AS json)) AS value`;
};

/**
 * Renews what the engine derives from rows: the search index, the counts of tags, the statistics, and on PostgreSQL the sequence of
 * threads.
 */
export async function afterLoad(tx: Transaction): Promise<void> {
  await tx.run("UPDATE feedback SET indexed = 0");
  if (await countsTags(tx)) await tags.countAgain(tx);
  await refreshStatistics(tx);
  if (tx.engine === "sqlite") return;
  await tx.all(
    "SELECT setval(pg_get_serial_sequence('feedback', 'seq'), max(seq)) FROM feedback HAVING max(seq) IS NOT NULL",
  );
}

/** A backup of an older release is loaded into the tables of that release. */
const countsTags = async (tx: Transaction): Promise<boolean> =>
  (await everyTable(tx)).some(
    ({ name, columns }) => name === "tags" && columns.some((column) => column.name === "threads"),
  );

const namesOf = ({ columns }: Table): string => columns.map(({ name }) => name).join(", ");
