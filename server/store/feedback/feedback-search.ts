import type { Database, Engine, Transaction, Value } from "../engine/database.ts";
import { searchedInPostgres } from "../engine/migrations/001-feedback-and-content.ts";

/** The parts of a query that finds threads by their words; `f` is the thread. */
export interface Searching {
  readonly from: string;
  readonly condition: string;
  readonly value: Value;
  /** The thread's `seq`, in whose order the engine finds them fast. */
  readonly sequence: string;
}

/** Where a search looks: in one app, and in the threads of one status or type where they are given. */
export interface Scope {
  readonly appId: string;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

/** Finds the threads of an app that have every word; the last one may be the beginning of a word. */
export const searching = (engine: Engine, scope: Scope, words: readonly string[]): Searching =>
  engine === "sqlite" ? searchingSqlite(scope, words) : searchingPostgres(words);

/** The words of what a person typed. Nothing else of it reaches the search. */
export const wordsOf = (query: string): string[] => query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const searchingSqlite = (scope: Scope, words: readonly string[]): Searching => ({
  from: "feedback_search CROSS JOIN feedback f ON f.seq = feedback_search.rowid",
  condition: "feedback_search MATCH ?",
  value: `${[...marksOf(scope), ...words].map((word) => `"${word}"`).join(" AND ")}${
    mayBeBeginning(words) ? "*" : ""
  }`,
  sequence: "feedback_search.rowid",
});

const marksOf = ({ appId, status, type }: Scope): string[] => [
  marks.app + appId.replaceAll("-", ""),
  ...(status === undefined ? [] : [marks.status + status]),
  ...(type === undefined ? [] : [marks.type + type]),
];

const searchingPostgres = (words: readonly string[]): Searching => ({
  from: "feedback f",
  condition: `${searchedInPostgres} @@ to_tsquery('simple', ?)`,
  value: `${words.map((word) => `'${word}'`).join(" & ")}${mayBeBeginning(words) ? ":*" : ""}`,
  sequence: "f.seq",
});

/** With one or two letters begin so many words that SQLite takes seconds; other scripts say a word with them. */
const mayBeBeginning = (words: readonly string[]): boolean => /\p{Lo}|.{3}/u.test(words.at(-1) ?? "");

/** So few that other writes hardly wait. */
const batch = 100;
const batchesOfSearch = 20;

/**
 * SQLite: takes a batch of new and changed threads into the index, the newest first. Gives whether some are left.
 * PostgreSQL keeps its index up to date by itself.
 */
export async function indexNext(database: Database): Promise<boolean> {
  if (database.engine === "postgres") return false;
  if (!(await database.get("SELECT 1 AS one FROM feedback WHERE indexed = 0 LIMIT 1"))) return false;
  await database.write(indexBatch);
  return true;
}

/** Takes in what a search may lack: up to 2,000 threads. The rest is left to the background. */
export async function indexForSearch(database: Database): Promise<void> {
  for (let n = 0; n < batchesOfSearch; n++) if (!(await indexNext(database))) return;
}

/** Takes threads out of the index; those that are not in it are passed over. */
export async function forgetIndexed(tx: Transaction, seqs: readonly number[]): Promise<void> {
  if (tx.engine === "postgres") return;
  await tx.run(`DELETE FROM feedback_search WHERE rowid IN (${seqs.map(() => "?").join(", ")})`, ...seqs);
}

/** Takes every thread out of the search, before they are deleted. */
export async function forgetAllIndexed(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite")
    await tx.run("INSERT INTO feedback_search (feedback_search) VALUES ('delete-all')");
}

// Private characters, which no typed word has: every thread is indexed under its app, status and type, too.
const marks = { app: "\uE000", status: "\uE001", type: "\uE002" };

// The newest threads come first; within a batch they ascend, because the index writes itself out at each step back.
// Without the named index a restored database is read from its first row for each batch.
const newest = `SELECT seq FROM feedback INDEXED BY feedback_to_index WHERE indexed = 0 ORDER BY seq DESC LIMIT ${batch}`;
const toIndex = `FROM feedback WHERE seq IN (${newest})`;

async function indexBatch(tx: Transaction): Promise<void> {
  await tx.run(
    `INSERT OR REPLACE INTO feedback_search (rowid, text)
     SELECT seq, ? || replace(app_id, '-', '') || ' ' || ? || status || ' ' || ? || category || ' ' ||
            subject || ' ' || message || ' ' || coalesce(sender_name, '') || ' ' ||
            coalesce(sender_email, '') || ' ' || coalesce(source, '') ${toIndex} ORDER BY seq`,
    marks.app,
    marks.status,
    marks.type,
  );
  await tx.run(`UPDATE feedback SET indexed = 1 WHERE seq IN (${newest})`);
}
