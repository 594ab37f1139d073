import type { Inserter, Transaction, Value } from "./database.ts";
import { bulkInsertPostgresSql, bulkInsertSql, insertStatement } from "./insert-statement.ts";
import { jsonOfRows } from "./units.ts";

type Row = Readonly<Record<string, Value>>;

/** Adds rows as `Transaction.send` does: on PostgreSQL each goes out with the next statement or with the commit. */
export const sending = (tx: Transaction): Inserter => ({
  async insert(table, row) {
    const { sql, values } = insertStatement(table, row);
    tx.send(sql, ...values);
  },
});

/** Does several inserts, as `Transaction.send` does. The rows of a table that have the same columns are one statement. */
export async function insertTogether(
  tx: Transaction,
  inserts: readonly ((into: Inserter) => Promise<void>)[],
): Promise<void> {
  const tables = new Map<string, Row[]>();
  const insert = async (table: string, row: Row) => {
    const rows = tables.get(table);
    if (rows) rows.push(row);
    else tables.set(table, [row]);
  };
  for (const each of inserts) await each({ insert });
  for (const [table, rows] of tables) await insertRows(tx, table, rows);
}

async function insertRows(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const areAlike = rows.every((row) => Object.keys(row).join() === columns.join());
  if (rows.length > 1 && areAlike) {
    if (tx.engine === "postgres") tx.send(bulkInsertPostgresSql(table, columns), JSON.stringify(rows));
    else await tx.run(bulkInsertSql(table, columns), jsonOfRows(rows.map((row) => Object.values(row))));
    return;
  }
  for (const row of rows) await sending(tx).insert(table, row);
}
