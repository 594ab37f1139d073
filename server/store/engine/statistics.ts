import type { Transaction } from "./database.ts";

/** SQLite looks at so many rows of an index: enough to choose one, and quick at any size. */
const rowsPerIndex = 1_000;

/** Counts afresh what the engine chooses its indexes by, after many rows have come at once. */
export async function refreshStatistics(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite") await tx.all(`PRAGMA analysis_limit = ${rowsPerIndex}`);
  await tx.run("ANALYZE");
}

/** SQLite: refreshes the statistics of tables that have grown much since. PostgreSQL does so by itself. */
export async function keepStatistics(tx: Transaction): Promise<void> {
  // 0x10000: all tables, not only those that this connection has read. 0x02: analyse where it is worth it.
  if (tx.engine === "sqlite") await tx.all("PRAGMA optimize = 0x10002");
}
