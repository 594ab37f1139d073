import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { Database, Transaction } from "../../../database/database.ts";
import { isRetryable, isUnavailable } from "../../../database/errors.ts";
import {
  marksInPostgres,
  marksInSqlite,
  newestOfSearch,
  rangeOfSearch,
  wordInApp,
  wordInRange,
} from "../../../database/schema/search.ts";
import type { Deps } from "../../../deps.ts";
import { addIndexed, asOneWord } from "../rules.ts";
import { mostText, type ThreadWords, textsOf } from "./texts.ts";

/** The maximum number of threads in a batch. Other writes wait for each batch. */
const batch = 100;

/** A batch ends when its texts have this number of characters. */
const batchText = 1_048_576;

/** The maximum number of threads that are read at once. */
const mostAtOnce = 16;

/** If one read of threads returns more characters than this, the next read takes only one thread. */
const fewText = 65_536;

const batchesOfSearch = 20;

/** The approximate number of characters of new texts that are added to the index before a search. */
const textOfSearch = 2 * batchText;

interface Batch {
  /** Whether another batch may follow. */
  readonly isMore: boolean;
  /** The number of characters that were indexed. */
  readonly text: number;
}

/** The batch that is running in this process for each database. */
const running = new WeakMap<Database, Promise<Batch>>();

/** Adds a batch of new and changed threads to the index, the newest first. Returns whether another batch may follow. */
export const indexNext = async (database: Database, log?: IndexingLog): Promise<boolean> =>
  (await nextBatch(database, log)).isMore;

type IndexingLog = Pick<Deps["log"], "error">;

/** Indexes up to 2,000 new threads before a search. A background job indexes the others. Errors are only logged. */
export async function indexForSearch({ database, log }: Pick<Deps, "database" | "log">): Promise<void> {
  try {
    let text = 0;
    for (let n = 0; n < batchesOfSearch && text < textOfSearch; n++) {
      const done = await nextBatch(database, log);
      if (!done.isMore) return;
      text += done.text;
    }
  } catch (error) {
    log.warn({ err: error }, "indexing before a search failed");
  }
}

/** Waits for the running batch, or runs the next batch. So several searches share one database connection. */
async function nextBatch(database: Database, log: IndexingLog | undefined): Promise<Batch> {
  const present = running.get(database);
  // `isMore` is true because the running batch may not contain the newest threads.
  if (present) return { isMore: true, text: (await present).text };
  const next = indexBatch(database, log).finally(() => running.delete(database));
  running.set(database, next);
  return next;
}

/** Whether threads are missing in the index, for example after an update of the server. */
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

/** Adds all threads to the queue, so that the background job adds them to the index again. */
export const indexAllAgain = (tx: Transaction): Promise<number> =>
  tx.run(
    `INSERT INTO threads_to_index (feedback_seq) SELECT f.seq FROM feedback f WHERE f.seq > 0
     ON CONFLICT (feedback_seq) DO NOTHING`,
  );

/** A thread in the queue for the index. Each further change of the thread changes `mark`. */
interface Noted {
  readonly seq: number;
  readonly mark: string;
}

// The mark on PostgreSQL contains `xmin`, because a thread may leave the queue and return with the same
// `changes`.
const markOf = {
  sqlite: "CAST(changes AS text)",
  postgres: "changes || '.' || CAST(xmin AS text)",
};

async function indexBatch(database: Database, log: IndexingLog | undefined): Promise<Batch> {
  const noted = await database.all<Noted>(
    `SELECT feedback_seq AS seq, ${markOf[database.engine]} AS mark FROM threads_to_index
     ORDER BY feedback_seq DESC LIMIT ${batch}`,
  );
  if (noted.length === 0) return { isMore: false, text: 0 };
  try {
    return await indexThreads(database, noted);
  } catch (error) {
    if (isPassing(error)) throw error;
    return indexEach(database, noted, log);
  }
}

/** Whether an error is temporary. A temporary error does not depend on the thread that was indexed. */
const isPassing = (error: unknown): boolean => isUnavailable(error) || isRetryable(error);

/** Indexes the threads of a failed batch one by one. A thread that fails again leaves the queue. */
async function indexEach(
  database: Database,
  noted: readonly Noted[],
  log: IndexingLog | undefined,
): Promise<Batch> {
  let [count, text] = [0, 0];
  for (const one of noted) {
    if (text >= batchText) break;
    try {
      const done = await indexThreads(database, [one]);
      if (done.isMore) count += 1;
      text += done.text;
    } catch (error) {
      if (isPassing(error)) throw error;
      log?.error(
        { err: error, thread: one.seq },
        "a thread could not be indexed, so the search does not find it",
      );
      count += await database.write((tx) => setApart(tx, one));
    }
  }
  return { isMore: count > 0, text };
}

/** Moves a thread to the list of failed threads. Returns 0 if the thread has changed in the meantime. */
async function setApart(tx: Transaction, one: Noted): Promise<number> {
  const seqs = await unchanged(tx, [one]);
  if (seqs.length === 0) return 0;
  await tx.run("DELETE FROM threads_to_index WHERE feedback_seq = ?", one.seq);
  await tx.run(
    "INSERT INTO threads_set_apart (feedback_seq) VALUES (?) ON CONFLICT (feedback_seq) DO NOTHING",
    one.seq,
  );
  return 1;
}

/** Adds the threads that could not be indexed to the queue again. A newer version of the server may succeed. */
export const tryAgain = async (tx: Transaction): Promise<void> => {
  await tx.run(
    `INSERT INTO threads_to_index (feedback_seq) SELECT a.feedback_seq FROM threads_set_apart a WHERE a.feedback_seq > 0
     ON CONFLICT (feedback_seq) DO NOTHING`,
  );
  await tx.run("DELETE FROM threads_set_apart");
};

/**
 * Indexes threads. Reads the texts and divides them into words before the transaction, because other writes
 * wait during the transaction.
 */
async function indexThreads(database: Database, noted: readonly Noted[]): Promise<Batch> {
  const threads: IndexedThread[] = [];
  const read: Noted[] = [];
  let text = 0;
  for (let at = 0, atOnce = 1; at < noted.length && text < batchText; ) {
    const some = noted.slice(at, at + atOnce);
    const before = text;
    const found = new Map(
      (
        await textsOf(
          database,
          some.map(({ seq }) => seq),
        )
      ).map((thread) => [thread.seq, thread]),
    );
    for (const one of some) {
      if (text >= batchText) break;
      read.push(one);
      const thread = found.get(one.seq);
      if (thread === undefined) continue;
      const indexed = indexedOf(thread);
      threads.push(indexed);
      text += indexed.text;
      if (indexed.text > fewText / mostAtOnce) await yieldToOthers();
    }
    at += some.length;
    atOnce = text - before > fewText ? 1 : Math.min(2 * atOnce, mostAtOnce);
  }
  const stored = await database.write((tx) => store(tx, read, threads));
  return { isMore: stored > 0, text };
}

/**
 * Stores the words of the threads that have not changed since they were read. Returns the number of these
 * threads.
 */
async function store(
  tx: Transaction,
  read: readonly Noted[],
  threads: readonly IndexedThread[],
): Promise<number> {
  // With this lock, a search waits for another server's batch. That batch may contain a matching thread.
  await tx.lock("innkeep search index");
  const seqs = await unchanged(tx, read);
  if (seqs.length === 0) return 0;
  await tx.run(
    `DELETE FROM threads_to_index WHERE feedback_seq IN (${seqs.map(() => "?").join(", ")})`,
    ...seqs,
  );
  await tx.run(
    `DELETE FROM threads_set_apart WHERE feedback_seq IN (${seqs.map(() => "?").join(", ")})`,
    ...seqs,
  );
  const kept = new Set(seqs);
  // Sorted rows are faster: FTS5 writes to disk whenever a rowid is smaller than the previous one.
  const rows = threads
    .filter(({ thread }) => kept.has(thread.seq))
    .sort((a, b) => a.thread.seq - b.thread.seq);
  if (tx.engine === "sqlite") await addInSqlite(tx, rows);
  else await addInPostgres(tx, rows);
  return seqs.length;
}

/**
 * Returns the `seq` of the threads that have not changed since they were read. Leaves out locked threads on
 * PostgreSQL.
 */
async function unchanged(tx: Transaction, read: readonly Noted[]): Promise<number[]> {
  const marks = new Map(read.map(({ seq, mark }) => [seq, mark]));
  const places = read.map(() => "?").join(", ");
  const lock = { sqlite: "", postgres: "FOR UPDATE SKIP LOCKED" };
  const noted = await tx.all<Noted>(
    `SELECT feedback_seq AS seq, ${markOf[tx.engine]} AS mark FROM threads_to_index
     WHERE feedback_seq IN (${places}) ${lock[tx.engine]}`,
    ...marks.keys(),
  );
  const seqs = noted.filter(({ seq, mark }) => marks.get(seq) === mark).map(({ seq }) => seq);
  if (tx.engine === "sqlite" || seqs.length === 0) return seqs;
  return withoutLocked(tx, seqs);
}

async function withoutLocked(tx: Transaction, seqs: readonly number[]): Promise<number[]> {
  const places = seqs.map(() => "?").join(", ");
  // Leaves out threads that another transaction is deleting, so that no words are stored for them.
  const threads = await tx.all<{ seq: number }>(
    `SELECT seq FROM feedback WHERE seq IN (${places}) FOR KEY SHARE SKIP LOCKED`,
    ...seqs,
  );
  const indexed = await tx.all<{ seq: number }>(
    `SELECT seq FROM feedback_search WHERE seq IN (${places})`,
    ...seqs,
  );
  const free = await tx.all<{ seq: number }>(
    `SELECT seq FROM feedback_search WHERE seq IN (${places}) FOR UPDATE SKIP LOCKED`,
    ...seqs,
  );
  const locked = new Set(indexed.map(({ seq }) => seq));
  for (const { seq } of free) locked.delete(seq);
  return threads.map(({ seq }) => seq).filter((seq) => !locked.has(seq));
}

/** A thread, and the words with which the index finds it. */
interface IndexedThread {
  readonly thread: Omit<ThreadWords, "texts" | "marks">;
  readonly words: readonly string[];
  /** The number of characters that were read. */
  readonly text: number;
}

/** The maximum number of bytes of a thread's words. A `tsvector` of at most 1 MiB contains each word twice. */
const mostBytes = 250_000;

/** The kinds of texts that can be long, or of which a thread can have many. */
const longKinds: ReadonlySet<string> = new Set(["plan", "note", "reply", "answer", "repeat", "metadata"]);

/** Returns the words of a thread. If the thread is very long, its metadata and oldest texts are left out. */
function indexedOf({ texts, marks, ...thread }: ThreadWords): IndexedThread {
  const words = new Set(marks);
  const short = texts.filter(({ kind }) => !longKinds.has(kind));
  const long = texts
    .filter(({ kind }) => longKinds.has(kind) && kind !== "metadata")
    .sort(({ at: one = "" }, { at: other = "" }) => (one === other ? 0 : one < other ? 1 : -1));
  const metadata = texts.filter(({ kind }) => kind === "metadata");
  let text = 0;
  for (const one of [...short, ...long, ...metadata]) {
    addIndexed(words, one.text);
    text += one.text.length;
    if (text >= mostText) break;
  }
  const kept: string[] = [];
  let bytes = 0;
  for (const word of words) {
    bytes += 20 + 2 * word.length;
    if (bytes > mostBytes) break;
    kept.push(word);
  }
  return { thread, words: kept, text };
}

async function addInSqlite(tx: Transaction, rows: readonly IndexedThread[]): Promise<void> {
  const given = rows.map(({ thread, words }) => [thread.seq, [...sqliteMarks(thread), ...words].join(" ")]);
  await tx.run(
    `INSERT OR REPLACE INTO feedback_search (rowid, words)
     SELECT value ->> 0, value ->> 1 FROM json_each(?) ORDER BY value ->> 0`,
    JSON.stringify(given),
  );
}

const sqliteMarks = ({ seq, appId, status, category }: IndexedThread["thread"]): string[] => [
  marksInSqlite.app + appId.replaceAll("-", ""),
  marksInSqlite.status + asOneWord(status),
  marksInSqlite.type + asOneWord(category),
  `${marksInSqlite.range}${Math.floor(seq / rangeOfSearch)}`,
];

async function addInPostgres(tx: Transaction, rows: readonly IndexedThread[]): Promise<void> {
  const given = rows.map(({ thread, words }) => [thread.seq, lexemesOf(thread, words)] as const);
  await tx.run(
    `INSERT INTO feedback_search (seq, words)
     SELECT CAST(t ->> 0 AS bigint), array_to_tsvector(ARRAY(SELECT json_array_elements_text(t -> 1)))
     FROM json_array_elements(CAST(? AS json)) AS t
     ON CONFLICT (seq) DO UPDATE SET words = excluded.words`,
    JSON.stringify(given),
  );
}

const lexemesOf = (
  { seq, appId, status, category }: IndexedThread["thread"],
  words: readonly string[],
): readonly string[] => [
  marksInPostgres.app + appId,
  marksInPostgres.status + status,
  marksInPostgres.type + category,
  `${marksInPostgres.place}${Math.floor(seq / newestOfSearch)}`,
  ...words.map((word) => wordInApp(appId, word)),
  ...words.map((word) => wordInRange(Math.floor(seq / rangeOfSearch), word)),
];

/** The number of index pages that one step merges. Other writes wait for each step. */
const pagesAtOnce = 200;

const mostRounds = 10_000;

/** Removes the words of deleted threads on SQLite. FTS5 keeps these words until it merges segments. */
export async function forgetDeletedWords(database: Database, stopping: AbortSignal): Promise<void> {
  if (database.engine === "postgres" || !(await hasMarks(database))) return;
  await database.write((tx) => merge(tx, -pagesAtOnce));
  for (let round = 0; round < mostRounds && !stopping.aborted; round++)
    if (!(await database.write((tx) => merge(tx, pagesAtOnce)))) return;
}

/**
 * Whether FTS5 has marked threads as deleted. FTS5 stores these marks after the pages of all 65,536 possible
 * segments.
 */
async function hasMarks(database: Database): Promise<boolean> {
  const sql = "SELECT 1 AS one FROM feedback_search_data WHERE id >= (65536 << 37) LIMIT 1";
  return (await database.get(sql)) !== undefined;
}

/** Merges up to `pages` pages. Returns whether there was something to merge. A negative number begins a new merge. */
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
