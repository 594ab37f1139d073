import type { Database, Reader, Transaction } from "../../../database/database.ts";
import { type Condition, sqlOf, valuesOf } from "../../../database/lists.ts";
import { newestInPostgres } from "./postgres.ts";
import {
  continueSearch,
  type Effort,
  endOf,
  type Found,
  numbersOf,
  type Ranges,
  rangeOfSearch,
  type SearchPage,
  type SearchScope,
  searchBackwards,
  usualEffort,
} from "./ranges.ts";

/** Returns the newest threads that have all words. A slow search ends early and sets `reached`. (rule F18) */
export function searchThreads(
  reader: Reader,
  { scope, words }: { readonly scope: SearchScope; readonly words: readonly string[] },
  page: SearchPage,
): Promise<Found> {
  const hasBeginning = mayBeBeginning(words);
  if (reader.engine === "sqlite") return newestInSqlite(reader, { scope, words, hasBeginning }, page);
  const whole = hasBeginning ? words.slice(0, -1) : words;
  return newestInPostgres(reader, { scope, whole, beginning: hasBeginning ? words.at(-1) : undefined }, page);
}

/**
 * Returns SQL for the threads `f` that a search has found: the part after FROM, and a condition. In the statement, the
 * values of this SQL must come first.
 */
export function amongFound(
  { engine }: Pick<Reader, "engine">,
  { seqs }: Found,
): { readonly from: string; readonly condition: Condition } {
  if (engine === "postgres") {
    const places = seqs.map(() => "?").join(", ");
    return {
      from: "feedback f",
      condition: seqs.length === 0 ? ["FALSE"] : [`f.seq IN (${places})`, ...seqs],
    };
  }
  // If the condition were a list of numbers, SQLite without statistics would read all threads of the app. (CROSS JOIN
  // makes SQLite keep this order.)
  const from = "json_each(?) AS found CROSS JOIN feedback f";
  return { from, condition: ["f.seq = found.value", JSON.stringify(seqs)] };
}

/** Returns the first words of a typed text. Other characters are not part of the search. */
export const wordsOf = (query: string): string[] =>
  (query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, mostWords);

/** The most words that are searched. Very many words would take seconds, and no person types them. */
const mostWords = 16;

/**
 * Whether the last word may also be the beginning of a longer word. This is false for one or two letters: so many words
 * begin with them that SQLite would take seconds. In scripts such as Chinese, one or two characters are a word.
 */
const mayBeBeginning = (words: readonly string[]): boolean => /\p{Lo}|.{3}/u.test(words.at(-1) ?? "");

/** With this number, other writes wait only briefly. */
const batch = 100;

const batchesOfSearch = 20;

/**
 * On SQLite, adds a batch of new and changed threads to the index, the newest first. Returns whether there was such a
 * batch. PostgreSQL updates its index automatically.
 */
export async function indexNext(database: Database): Promise<boolean> {
  if (database.engine === "postgres") return false;
  if (!(await database.get("SELECT 1 AS one FROM feedback WHERE indexed = 0 LIMIT 1"))) return false;
  await database.write(indexBatch);
  return true;
}

/** Adds up to 2,000 new threads to the index before a search. The background work adds the rest. */
export async function indexForSearch(database: Database): Promise<void> {
  for (let n = 0; n < batchesOfSearch; n++) if (!(await indexNext(database))) return;
}

/** Removes threads from the index. Ignores threads that are not in it. */
export async function forgetIndexed(tx: Transaction, seqs: readonly number[]): Promise<void> {
  if (tx.engine === "postgres") return;
  await tx.run(`DELETE FROM feedback_search WHERE rowid IN (${seqs.map(() => "?").join(", ")})`, ...seqs);
}

/** Removes a changed thread from the index. The background work adds it again later. */
export async function indexAgain(tx: Transaction, id: string): Promise<void> {
  const thread = await tx.get<{ seq: number }>("SELECT seq FROM feedback WHERE id = ?", id);
  if (!thread) return;
  await forgetIndexed(tx, [thread.seq]);
  await tx.run("UPDATE feedback SET indexed = 0 WHERE seq = ?", thread.seq);
}

/** Removes all threads from the index. Call it before the threads are deleted. */
export async function forgetAllIndexed(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite")
    await tx.run("INSERT INTO feedback_search (feedback_search) VALUES ('delete-all')");
}

// The newest threads come first. Within a batch the order is ascending, because FTS5 flushes the index when a rowid is
// smaller than the one before. The query names the index. Otherwise SQLite would read a restored database from its
// first row for each batch.
const newest = `SELECT seq FROM feedback INDEXED BY feedback_to_index WHERE indexed = 0 ORDER BY seq DESC LIMIT ${batch}`;

const toIndex = `FROM feedback WHERE seq IN (${newest})`;

async function indexBatch(tx: Transaction): Promise<void> {
  await tx.run(
    `INSERT OR REPLACE INTO feedback_search (rowid, text)
     SELECT seq, ? || replace(app_id, '-', '') || ' ' || ? || status || ' ' || ? || category || ' ' ||
            ? || CAST(seq / ${rangeOfSearch} AS text) || ' ' ||
            subject || ' ' || message || ' ' || coalesce(sender_name, '') || ' ' ||
            coalesce(sender_email, '') || ' ' || coalesce(source, '') ${toIndex} ORDER BY seq`,
    marksInSqlite.app,
    marksInSqlite.status,
    marksInSqlite.type,
    marksInSqlite.range,
  );
  await tx.run(`UPDATE feedback SET indexed = 1 WHERE seq IN (${newest})`);
}

/** With this number, other writes wait only briefly. */
const pagesAtOnce = 200;

const mostRounds = 10_000;

/**
 * Removes the words of deleted threads from SQLite's search index. SQLite only marks these threads as deleted: their
 * words stay in the file until the segments of the index are merged. If there are such marks, this merges the segments
 * in small steps. On PostgreSQL, VACUUM removes the words.
 */
export async function forgetDeletedWords(database: Database, stopping: AbortSignal): Promise<void> {
  if (database.engine === "postgres" || !(await hasMarks(database))) return;
  await database.write((tx) => merge(tx, -pagesAtOnce));
  for (let round = 0; round < mostRounds && !stopping.aborted; round++)
    if (!(await database.write((tx) => merge(tx, pagesAtOnce)))) return;
}

/**
 * Whether the index has marks of deleted threads. FTS5 stores them on pages with numbers after those of all 65,536
 * possible segments.
 */
async function hasMarks(database: Database): Promise<boolean> {
  const sql = "SELECT 1 AS one FROM feedback_search_data WHERE id >= (65536 << 37) LIMIT 1";
  return (await database.get(sql)) !== undefined;
}

/**
 * Merges some pages. Returns whether there was something to merge. A negative number starts a merge of all segments.
 */
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

/**
 * The first characters of a thread's marks. Marks are additional words in the index for the thread's app, status, type
 * and range. These private characters never occur in a typed word.
 */
const marksInSqlite = { app: "\uE000", status: "\uE001", type: "\uE002", range: "\uE003" };

/** The words to search. The last one may be the beginning of a word. */
interface SearchedInSqlite {
  readonly scope: SearchScope;
  readonly words: readonly string[];
  readonly hasBeginning: boolean;
}

/**
 * The most ranges that one step searches. Such a step takes at most 25 milliseconds. On Node 24 the server can do
 * nothing else during this time.
 */
const mostRanges = 16;

/**
 * Returns the newest threads that match. If no thread has both of two words, the index reads the lists of both words to
 * the end. So the newest range is searched first, alone. If it has too few threads and no word is rare, the older
 * ranges follow until the time is over.
 */
async function newestInSqlite(reader: Reader, searched: SearchedInSqlite, page: SearchPage): Promise<Found> {
  const { effort = usualEffort } = page;
  const until = endOf(effort);
  const end = Math.min(page.before - 1, await newestSeq(reader));
  const parts = partsOf(searched);
  const searchRanges = (ranges: Ranges, limit: number) =>
    find(reader, [anyOf(numbersOf(ranges).map(rangeMark)), ...parts], { ...page, limit });
  const given = { end, limit: page.limit, until, ranges: 1, most: mostRanges, searchRanges };
  const first = await searchBackwards({ ...given, until: Number.NEGATIVE_INFINITY });
  if (first.reached === undefined) return first;
  if (await hasRare(reader, parts, { before: page.before, ...effort }))
    return { seqs: await find(reader, parts, page), reached: undefined };
  return continueSearch(first, given);
}

const newestSeq = async (reader: Reader): Promise<number> =>
  (await reader.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM feedback"))?.seq ?? 0;

/** Returns the conditions for a thread, each as an expression of FTS5. */
function partsOf({ scope: { appIds, status, type }, words, hasBeginning }: SearchedInSqlite): string[] {
  const apps = appIds.map((id) => `"${marksInSqlite.app}${id.replaceAll("-", "")}"`);
  return [
    anyOf(apps),
    ...words.map((word, at) => (hasBeginning && at === words.length - 1 ? `"${word}" *` : `"${word}"`)),
    ...(status === undefined ? [] : [`"${marksInSqlite.status}${status}"`]),
    ...(type === undefined ? [] : [`"${marksInSqlite.type}${type}"`]),
  ];
}

const rangeMark = (range: number): string => `"${marksInSqlite.range}${range}"`;

const anyOf = (parts: readonly string[]): string => `(${parts.join(" OR ")})`;

/** Whether there is a condition that few threads match. */
async function hasRare(
  reader: Reader,
  parts: readonly string[],
  { before, few }: Pick<SearchPage, "before"> & Pick<Effort, "few">,
): Promise<boolean> {
  for (const part of parts) {
    const sql = `SELECT 1 AS one FROM feedback_search WHERE feedback_search MATCH ? AND rowid < ?
      ORDER BY rowid DESC LIMIT 1 OFFSET ?`;
    if ((await reader.get(sql, part, before, few)) === undefined) return true;
  }
  return false;
}

async function find(
  reader: Reader,
  parts: readonly string[],
  { conditions, before, limit }: SearchPage,
): Promise<number[]> {
  const all: Condition[] = [
    ["feedback_search MATCH ?", parts.join(" AND ")],
    ["feedback_search.rowid < ?", before],
    ...conditions,
  ];
  const rows = await reader.all<{ seq: number }>(
    `SELECT f.seq FROM feedback_search CROSS JOIN feedback f ON f.seq = feedback_search.rowid
     WHERE ${sqlOf(all)} ORDER BY feedback_search.rowid DESC LIMIT ?`,
    ...valuesOf(all),
    limit,
  );
  return rows.map(({ seq }) => seq);
}
