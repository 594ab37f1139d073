import type { Database, Engine, Transaction, Value } from "./database.ts";
import { searchedInPostgres } from "./migrations/001-feedback-and-content.ts";

/** The parts of a query that finds threads by their words; `f` is the thread. */
export interface Searching {
  readonly from: string;
  readonly condition: string;
  readonly value: Value;
  /** The thread's `seq`, in whose order the engine finds them fast. */
  readonly sequence: string;
}

/** Finds the threads of an app that have every word; the last one may be the beginning of a word. */
export const searching = (engine: Engine, appId: string, words: readonly string[]): Searching =>
  engine === "sqlite" ? searchingSqlite(appId, words) : searchingPostgres(words);

/** The words of what a person typed. Nothing else of it reaches the search. */
export const wordsOf = (query: string): string[] => query.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];

const searchingSqlite = (appId: string, words: readonly string[]): Searching => ({
  from: "feedback_search CROSS JOIN feedback f ON f.seq = feedback_search.rowid",
  condition: "feedback_search MATCH ?",
  value: `${[appMark + appId.replaceAll("-", ""), ...words].map((word) => `"${word}"`).join(" AND ")}${
    mayBeBeginning(words) ? "*" : ""
  }`,
  sequence: "feedback_search.rowid",
});

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
const mostBatches = 20;

/**
 * SQLite: takes new and changed threads into the index, the newest first; gives whether some are left. PostgreSQL's
 * own index is never behind.
 */
export async function indexThreads(database: Database): Promise<boolean> {
  if (database.engine === "postgres") return false;
  for (let n = 0; n < mostBatches; n++) {
    if (!(await database.get("SELECT 1 AS one FROM feedback WHERE indexed = 0 LIMIT 1"))) return false;
    await database.write(indexBatch);
  }
  return true;
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

// A private character, which no typed word has: every thread is indexed under its app, too.
const appMark = "\uE000";

const toIndex = `FROM feedback WHERE indexed = 0 ORDER BY seq DESC LIMIT ${batch}`;

async function indexBatch(tx: Transaction): Promise<void> {
  await tx.run(
    `INSERT OR REPLACE INTO feedback_search (rowid, text)
     SELECT seq, ? || replace(app_id, '-', '') || ' ' || subject || ' ' || message || ' ' ||
            coalesce(sender_name, '') || ' ' || coalesce(sender_email, '') || ' ' || coalesce(source, '') ${toIndex}`,
    appMark,
  );
  await tx.run(`UPDATE feedback SET indexed = 1 WHERE seq IN (SELECT seq ${toIndex})`);
}
