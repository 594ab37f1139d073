import type { Transaction } from "../database/database.ts";
import { everyTopic } from "../database/signals.ts";
import { threadChanges } from "../feedback/agent-work/store/changes.ts";
import { forgetAllIndexed } from "../feedback/search/store/search.ts";
import { afterLoad, dumpRows, loadRows } from "./dump.ts";
import { everyTable, type Table } from "./store.ts";

/** The rows of a table in batches, as `dumpRows` gave them. */
export type RowsOf = (table: Table) => AsyncIterable<readonly string[]>;

/**
 * Replaces all rows of the database by others of the same schema. People stay signed in to the console if their account
 * is among the new rows. Gives the SHA-256 of the files that the old rows refer to.
 */
export async function replaceRows(tx: Transaction, rowsOf: RowsOf): Promise<string[]> {
  const files = await tx.all<{ sha256: string }>("SELECT DISTINCT sha256 FROM uploads");
  const versions = await tx.get<{ most: number | null }>(
    "SELECT max(CASE WHEN faqs_version > changelog_version THEN faqs_version ELSE changelog_version END) AS most FROM apps",
  );
  const tables = await everyTable(tx);
  const sessions = await linesOf(tx, tables, "sessions");
  const lastTimes = await linesOf(tx, tables, "last_times");
  await forgetAllIndexed(tx);
  for (const { name } of [...tables].reverse()) await tx.run(`DELETE FROM ${name}`);
  for (const table of tables) for await (const lines of rowsOf(table)) await loadRows(tx, table, lines);
  await loadRows(tx, lastTimes.table, lastTimes.lines);
  await loadSessions(tx, sessions);
  // Cached lists belong to a version: a version that was never used makes them out of date.
  const more = Number(versions?.most ?? 0) + 1;
  await tx.run(
    "UPDATE apps SET faqs_version = faqs_version + ?, changelog_version = changelog_version + ?",
    more,
    more,
  );
  await afterLoad(tx);
  await threadChanges.startAnew(tx);
  tx.signal(everyTopic);
  return files.map(({ sha256 }) => sha256);
}

interface Dumped {
  readonly table: Table;
  readonly lines: readonly string[];
}

async function linesOf(tx: Transaction, tables: readonly Table[], name: string): Promise<Dumped> {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`There is no table ${name}`);
  const lines: string[] = [];
  for await (const some of dumpRows(tx, table)) lines.push(...some);
  return { table, lines };
}

async function loadSessions(tx: Transaction, { table, lines }: Dumped): Promise<void> {
  const users = new Set((await tx.all<{ id: string }>("SELECT id FROM users")).map(({ id }) => id));
  const at = table.columns.findIndex(({ name }) => name === "user_id");
  const kept = lines.filter((line) => users.has(JSON.parse(line)[at]));
  await loadRows(tx, table, kept);
}
