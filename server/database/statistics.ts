import type { Reader, Transaction } from "./database.ts";

/** How many rows of each index SQLite analyses. This is fast, and enough to choose the right index. */
const rowsPerIndex = 1_000;

/** Updates all statistics that the engine uses to choose indexes. Call it after many rows were added. */
export async function refreshStatistics(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite") await tx.all(`PRAGMA analysis_limit = ${rowsPerIndex}`);
  await tx.run("ANALYZE");
}

/**
 * On SQLite, updates the statistics of tables whose size has changed much. PostgreSQL does this automatically.
 */
export async function keepStatistics(tx: Transaction): Promise<void> {
  // 0x10000 includes tables that this connection has not read. 0x02 analyses tables with old statistics.
  if (tx.engine === "sqlite") await tx.all("PRAGMA optimize = 0x10002");
}

/** Tables below this size need no statistics, because PostgreSQL reads small tables fast, even in a join. */
const leastBytes = 65_536;

/**
 * Returns the larger tables without statistics on PostgreSQL. PostgreSQL creates statistics late, and never for
 * a new index.
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

/** The data that identifies a transaction of PostgreSQL. With it, another connection can cancel the transaction. */
export interface Making {
  readonly pid: number;
  readonly began: string;
}

/** Returns the data that identifies this transaction on PostgreSQL; undefined on SQLite. */
export async function makingOf(tx: Transaction): Promise<Making | undefined> {
  if (tx.engine === "sqlite") return undefined;
  return tx.get<Making>("SELECT pg_backend_pid() AS pid, CAST(transaction_timestamp() AS text) AS began");
}

/**
 * Cancels the running statement of a transaction on PostgreSQL. The transaction then fails. Does nothing if no
 * statement is running.
 */
export async function cancelMaking(reader: Reader, { pid, began }: Making): Promise<void> {
  // This also compares `began`, because the PostgreSQL process `pid` may be running another transaction now.
  await reader.all(
    `SELECT pg_cancel_backend(pid) AS cancelled FROM pg_stat_activity
     WHERE pid = ? AND state = 'active' AND xact_start = CAST(? AS timestamptz)`,
    pid,
    began,
  );
}

/** Creates the statistics of one table that is not in `done`. Returns the table's name, or undefined. */
export async function addStatistics(tx: Transaction, done: ReadonlySet<string>): Promise<string | undefined> {
  if (tx.engine === "sqlite") return undefined;
  await tx.lock("statistics");
  const name = (await tablesWithoutStatistics(tx)).find((table) => !done.has(table));
  if (name !== undefined) await tx.run(`ANALYZE "${name}"`);
  return name;
}
