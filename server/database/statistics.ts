import type { Reader, Transaction } from "./database.ts";

/** How many rows of an index SQLite examines: enough to choose an index, and fast with any number of rows. */
const rowsPerIndex = 1_000;

/** Renews all statistics that the engine uses to choose indexes, after many rows were added at once. */
export async function refreshStatistics(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite") await tx.all(`PRAGMA analysis_limit = ${rowsPerIndex}`);
  await tx.run("ANALYZE");
}

/** SQLite: renews the statistics of tables that have grown much. PostgreSQL does this by itself. */
export async function keepStatistics(tx: Transaction): Promise<void> {
  // 0x10000: all tables, not only those that this connection has read. 0x02: analyse a table if its statistics are old.
  if (tx.engine === "sqlite") await tx.all("PRAGMA optimize = 0x10002");
}

/** With fewer bytes a table is read fast with any plan, also by a join that reads it once for each row of another. */
const leastBytes = 65_536;

/**
 * PostgreSQL: the tables that are not small, of which it has no statistics, or none of the expressions of an index. It makes statistics by itself, but
 * minutes after many rows came, and never for a new index. Until then it may read whole tables. Empty on SQLite.
 */
export async function tablesWithoutStatistics(reader: Reader): Promise<string[]> {
  if (reader.engine === "sqlite") return [];
  const rows = await reader.all<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = CAST(current_schema() AS regnamespace) AND pg_relation_size(c.oid) >= ?
       AND (${isUnknown("c.relname")} OR EXISTS (
         SELECT 1 FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
         WHERE i.indrelid = c.oid AND i.indexprs IS NOT NULL AND i.indpred IS NULL AND ${isUnknown("x.relname")}))
     ORDER BY c.relname`,
    leastBytes,
  );
  return rows.map(({ name }) => name);
}

const isUnknown = (name: string): string =>
  `NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.schemaname = current_schema() AND s.tablename = ${name})`;

/** A transaction of PostgreSQL, as another connection can name it. */
export interface Making {
  readonly pid: number;
  readonly began: string;
}

/** PostgreSQL: the name of this transaction. Undefined on SQLite. */
export async function makingOf(tx: Transaction): Promise<Making | undefined> {
  if (tx.engine === "sqlite") return undefined;
  return tx.get<Making>("SELECT pg_backend_pid() AS pid, CAST(transaction_timestamp() AS text) AS began");
}

/**
 * PostgreSQL: ends the statement that the transaction runs just now, also if it waits for a lock. The transaction then fails. Does
 * nothing if it runs none, or has ended.
 */
export async function cancelMaking(reader: Reader, { pid, began }: Making): Promise<void> {
  // The number of a process may belong to another transaction since.
  await reader.all(
    `SELECT pg_cancel_backend(pid) AS cancelled FROM pg_stat_activity
     WHERE pid = ? AND state = 'active' AND xact_start = CAST(? AS timestamptz)`,
    pid,
    began,
  );
}

/**
 * PostgreSQL: makes the statistics of one table that has none and is not among `done`. Returns its name, or undefined if there is no
 * such table. If several servers call it, each table is read once.
 */
export async function addStatistics(tx: Transaction, done: ReadonlySet<string>): Promise<string | undefined> {
  if (tx.engine === "sqlite") return undefined;
  await tx.lock("statistics");
  const name = (await tablesWithoutStatistics(tx)).find((table) => !done.has(table));
  if (name !== undefined) await tx.run(`ANALYZE "${name}"`);
  return name;
}
