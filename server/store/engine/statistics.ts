import type { Transaction } from "./database.ts";

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
