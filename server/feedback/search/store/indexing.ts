import type { Database, Transaction } from "../../../database/database.ts";
import {
  marksInPostgres,
  newestOfSearch,
  rangeOfSearch,
  wordInApp,
  wordInRange,
} from "../../../database/schema/search.ts";
import { addIndexed, asOneWord } from "../words.ts";
import { type ThreadWords, textsOf } from "./texts.ts";

/** With this number, other writes wait only briefly. */
const batch = 100;

const batchesOfSearch = 20;

/** Adds a batch of new and changed threads to the index, the newest first. Returns whether there was such a batch. */
export async function indexNext(database: Database): Promise<boolean> {
  if (!(await database.get("SELECT 1 AS one FROM threads_to_index LIMIT 1"))) return false;
  return database.write(indexBatch);
}

/** Adds up to 2,000 new threads to the index before a search. The background work adds the rest. */
export async function indexForSearch(database: Database): Promise<void> {
  for (let n = 0; n < batchesOfSearch; n++) if (!(await indexNext(database))) return;
}

/** Whether the index still lacks threads, for example after an update of the program. */
export const isIncomplete = async (database: Pick<Database, "get">): Promise<boolean> =>
  (await database.get("SELECT 1 AS one FROM threads_to_index LIMIT 1")) !== undefined;

/** Removes all threads from the index. Call it before the threads are deleted. */
export const forgetAllIndexed = async (tx: Transaction): Promise<void> => {
  await tx.run(
    tx.engine === "sqlite"
      ? "INSERT INTO feedback_search (feedback_search) VALUES ('delete-all')"
      : "DELETE FROM feedback_search",
  );
};

/** Notes all threads, so that the background work adds them to the index again. */
export const indexAllAgain = (tx: Transaction): Promise<number> =>
  tx.run(
    `INSERT INTO threads_to_index (feedback_seq) SELECT f.seq FROM feedback f WHERE f.seq > 0
     ON CONFLICT (feedback_seq) DO NOTHING`,
  );

// On PostgreSQL, rows that a running transaction has locked are left for the next batch: it may still add words.
const newest = `SELECT feedback_seq AS seq FROM threads_to_index ORDER BY feedback_seq DESC LIMIT ${batch}`;

async function indexBatch(tx: Transaction): Promise<boolean> {
  // A search waits for the batch of another one, which may have the thread that it looks for.
  await tx.lock("innkeep search index");
  const seqs = await takeNewest(tx);
  if (seqs.length === 0) return false;
  const threads = await textsOf(tx, seqs);
  await tx.run(
    `DELETE FROM threads_to_index WHERE feedback_seq IN (${seqs.map(() => "?").join(", ")})`,
    ...seqs,
  );
  // FTS5 flushes the index when a rowid is smaller than the one before.
  const rows = threads
    .map((thread) => [thread.seq, indexedWordsOf(thread)] as const)
    .sort(([a], [b]) => a - b);
  if (tx.engine === "sqlite") await addInSqlite(tx, rows, threads);
  else await addInPostgres(tx, rows, threads);
  return true;
}

async function takeNewest(tx: Transaction): Promise<number[]> {
  if (tx.engine === "sqlite") return (await tx.all<{ seq: number }>(newest)).map(({ seq }) => seq);
  const noted = (await tx.all<{ seq: number }>(`${newest} FOR UPDATE SKIP LOCKED`)).map(({ seq }) => seq);
  if (noted.length === 0) return [];
  // A thread that another transaction deletes cannot get words any more.
  const sql = `SELECT seq FROM feedback WHERE seq IN (${noted.map(() => "?").join(", ")}) FOR KEY SHARE SKIP LOCKED`;
  return (await tx.all<{ seq: number }>(sql, ...noted)).map(({ seq }) => seq);
}

type Words = readonly (readonly [seq: number, words: readonly string[]])[];

/** The most bytes of the words of a thread. PostgreSQL stores at most 1 MiB, and each word twice with marks. */
const mostBytes = 250_000;

/** Returns the words with which the index finds a thread. */
function indexedWordsOf({ texts, marks }: ThreadWords): string[] {
  const words = new Set(marks);
  for (const { text } of texts) addIndexed(words, text);
  const kept: string[] = [];
  let bytes = 0;
  for (const word of words) {
    bytes += 20 + 2 * word.length;
    if (bytes > mostBytes) break;
    kept.push(word);
  }
  return kept;
}

/**
 * The first characters of a thread's marks. Marks are additional words in the index for the thread's app, status, type
 * and range. These private characters never occur in a typed word.
 */
export const marksInSqlite = { app: "\uE000", status: "\uE001", type: "\uE002", range: "\uE003" };

async function addInSqlite(tx: Transaction, rows: Words, threads: readonly ThreadWords[]): Promise<void> {
  const marks = new Map(threads.map((thread) => [thread.seq, sqliteMarks(thread)]));
  const given = rows.map(([seq, words]) => [seq, [...(marks.get(seq) ?? []), ...words].join(" ")]);
  await tx.run(
    `INSERT OR REPLACE INTO feedback_search (rowid, words)
     SELECT value ->> 0, value ->> 1 FROM json_each(?) ORDER BY value ->> 0`,
    JSON.stringify(given),
  );
}

const sqliteMarks = ({ seq, appId, status, category }: ThreadWords): string[] => [
  marksInSqlite.app + appId.replaceAll("-", ""),
  marksInSqlite.status + asOneWord(status),
  marksInSqlite.type + asOneWord(category),
  `${marksInSqlite.range}${Math.floor(seq / rangeOfSearch)}`,
];

async function addInPostgres(tx: Transaction, rows: Words, threads: readonly ThreadWords[]): Promise<void> {
  const bySeq = new Map(threads.map((thread) => [thread.seq, thread]));
  const given = rows.flatMap(([seq, words]) => {
    const thread = bySeq.get(seq);
    return thread === undefined ? [] : [[seq, lexemesOf(thread, words)] as const];
  });
  await tx.run(
    `INSERT INTO feedback_search (seq, words)
     SELECT CAST(t ->> 0 AS bigint), array_to_tsvector(ARRAY(SELECT json_array_elements_text(t -> 1)))
     FROM json_array_elements(CAST(? AS json)) AS t
     ON CONFLICT (seq) DO UPDATE SET words = excluded.words`,
    JSON.stringify(given),
  );
}

const lexemesOf = (
  { seq, appId, status, category }: ThreadWords,
  words: readonly string[],
): readonly string[] => [
  marksInPostgres.app + appId,
  marksInPostgres.status + status,
  marksInPostgres.type + category,
  `${marksInPostgres.place}${Math.floor(seq / newestOfSearch)}`,
  ...words.map((word) => wordInApp(appId, word)),
  ...words.map((word) => wordInRange(Math.floor(seq / rangeOfSearch), word)),
];

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
