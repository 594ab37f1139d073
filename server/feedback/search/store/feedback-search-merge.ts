import type { Database, Transaction } from "../../../database/database.ts";

/** Few enough that other writes hardly wait. */
const pagesAtOnce = 200;
const mostRounds = 10_000;

/**
 * SQLite only marks deleted threads in the search index: their words stay in the file until the parts of the index are
 * merged. If there are such marks, merges the parts in small steps. On PostgreSQL, vacuum removes the words.
 */
export async function forgetDeletedWords(database: Database, stopping: AbortSignal): Promise<void> {
  if (database.engine === "postgres" || !(await hasMarks(database))) return;
  await database.write((tx) => merge(tx, -pagesAtOnce));
  for (let round = 0; round < mostRounds && !stopping.aborted; round++)
    if (!(await database.write((tx) => merge(tx, pagesAtOnce)))) return;
}

/** Whether there are marks. FTS5 numbers their pages after the pages of all 65,536 possible parts. */
async function hasMarks(database: Database): Promise<boolean> {
  const sql = "SELECT 1 AS one FROM feedback_search_data WHERE id >= (65536 << 37) LIMIT 1";
  return (await database.get(sql)) !== undefined;
}

/** Merges some pages. Gives whether there was something to merge. A negative number begins a merge of all parts. */
async function merge(tx: Transaction, pages: number): Promise<boolean> {
  const before = await changesOf(tx);
  await tx.run("INSERT INTO feedback_search (feedback_search, rank) VALUES ('merge', ?)", pages);
  // According to the documentation of FTS5, fewer than two changes mean that nothing was merged.
  return (await changesOf(tx)) - before >= 2;
}

async function changesOf(tx: Transaction): Promise<number> {
  const row = await tx.get<{ changes: number }>("SELECT total_changes() AS changes");
  return row?.changes ?? 0;
}
