import type { Database, Engine, Transaction, Value } from "../engine/database.ts";
import { searchedInPostgres } from "../engine/migrations/001-feedback-and-content.ts";

/** The parts of a query that finds threads by their words; `f` is the thread. */
export interface SearchClauses {
  readonly from: string;
  readonly condition: string;
  readonly value: Value;
  /** The expression for the thread's `seq`. In this order the engine finds threads fast. */
  readonly sequence: string;
}

/** The threads to search: those of one app, and only those of one status or type if they are given. */
export interface SearchScope {
  readonly appId: string;
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

/** The query parts that find the threads of an app with all words. The last word may be the beginning of a word. */
export const searchClauses = (engine: Engine, scope: SearchScope, words: readonly string[]): SearchClauses =>
  engine === "sqlite" ? searchingSqlite(scope, words) : searchingPostgres(words);

/** The words in the text that a person typed. Other characters do not reach the search. */
export const wordsOf = (query: string): string[] => query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const searchingSqlite = (scope: SearchScope, words: readonly string[]): SearchClauses => ({
  from: "feedback_search CROSS JOIN feedback f ON f.seq = feedback_search.rowid",
  condition: "feedback_search MATCH ?",
  value: `${[...marksOf(scope), ...words].map((word) => `"${word}"`).join(" AND ")}${
    mayBeBeginning(words) ? "*" : ""
  }`,
  sequence: "feedback_search.rowid",
});

const marksOf = ({ appId, status, type }: SearchScope): string[] => [
  marks.app + appId.replaceAll("-", ""),
  ...(status === undefined ? [] : [marks.status + status]),
  ...(type === undefined ? [] : [marks.type + type]),
];

const searchingPostgres = (words: readonly string[]): SearchClauses => ({
  from: "feedback f",
  condition: `${searchedInPostgres} @@ to_tsquery('simple', ?)`,
  value: `${words.map((word) => `'${word}'`).join(" & ")}${mayBeBeginning(words) ? ":*" : ""}`,
  sequence: "f.seq",
});

/**
 * Whether the last word is searched as the beginning of a word. One or two letters are not: so many words begin with them
 * that SQLite would take seconds. In scripts such as Chinese one or two characters are a word.
 */
const mayBeBeginning = (words: readonly string[]): boolean => /\p{Lo}|.{3}/u.test(words.at(-1) ?? "");

/** Few enough that other writes hardly wait. */
const batch = 100;
const batchesOfSearch = 20;

/**
 * SQLite: adds a batch of new and changed threads to the index, the newest first. Gives whether there was such a batch.
 * PostgreSQL keeps its index up to date by itself.
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

/** Removes all threads from the index, before they are deleted. */
export async function forgetAllIndexed(tx: Transaction): Promise<void> {
  if (tx.engine === "sqlite")
    await tx.run("INSERT INTO feedback_search (feedback_search) VALUES ('delete-all')");
}

// Every thread is also indexed under its app, status and type. These private characters never occur in a typed word.
const marks = { app: "\uE000", status: "\uE001", type: "\uE002" };

// The newest threads come first. Within a batch the order is ascending, because FTS5 flushes the index at each smaller
// rowid.
// Without the named index SQLite would read a restored database from its first row for each batch.
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
