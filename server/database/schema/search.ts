import type { Statement } from "./table.ts";

/**
 * The index for the search divides threads into ranges by their order of arrival. These are the number of threads in a
 * range of words, and the number of threads that share a mark for their order of arrival.
 */
export const rangeOfSearch = 8_000;
export const newestOfSearch = 1_000;

/**
 * Prefixes of the lexemes in the index of a thread: its app, status and type; its place in the order of arrival; each
 * word combined with the app; and each word combined with its range of that order. No word begins with one of these
 * prefixes.
 */
export const marksInPostgres = {
  ...{ app: "=a", status: "=s", type: "=t", place: "=r" },
  ...{ inApp: "=w", inRange: "=v" },
} as const;

/**
 * Returns the lexeme of a word in an app. The end of the app's id is enough, because a search also requires the lexeme
 * of the app.
 */
export const wordInApp = (appId: string, word: string): string =>
  `${marksInPostgres.inApp}${appId.slice(-8)}.${word}`;
export const wordInRange = (range: number, word: string): string =>
  `${marksInPostgres.inRange}${range}.${word}`;

// The parser of PostgreSQL treats an address or a path as one word. With spaces instead of punctuation, each part of it
// is found.
const punctuation = '!"#$%&()*+,-./:;<=>?@[]^_{|}~';

/** The SQL expression for the texts of a thread that are searched in PostgreSQL. */
export const searchedTextInPostgres = `translate(
  subject || ' ' || message || ' ' || coalesce(sender_name, '') || ' ' || coalesce(sender_email, '') || ' ' ||
  coalesce(source, ''), '${punctuation}', '${" ".repeat(punctuation.length)}')`;

/**
 * The SQL expression of the search index. A search must contain exactly this expression, or PostgreSQL does not use the
 * index.
 */
export const searchedInPostgres = `searched_feedback(app_id, seq, status, category, ${searchedTextInPostgres})`;

// A query has at most 200 characters, so nobody can search for the rest of a longer word.
const lexemes = `SELECT array_to_tsvector(
    ARRAY[''${marksInPostgres.app}'' || app, ''${marksInPostgres.status}'' || status, ''${marksInPostgres.type}'' || category,
      ''${marksInPostgres.place}'' || CAST(seq / ${newestOfSearch} AS text)] ||
    ARRAY(SELECT place || left(word, 200) FROM unnest(tsvector_to_array(to_tsvector(''simple'', texts))) AS word,
      unnest(ARRAY[''${marksInPostgres.inApp}'' || right(app, 8) || ''.'',
        ''${marksInPostgres.inRange}'' || CAST(seq / ${rangeOfSearch} AS text) || ''.'']) AS place))`;

/**
 * The indexes of the search for feedback. A search for the beginning of a word must be fast, even if many words begin
 * with it. PostgreSQL first reads all lexemes with this beginning, so each lexeme contains the app or a range of the
 * order of arrival, which makes them fewer. On SQLite the index contains all beginnings of 3 to 12 letters. For other
 * lengths, SQLite first reads the threads of all words with that beginning. A background job fills this index.
 */
export const searchSchema: readonly Statement[] = [
  {
    sqlite: null,
    postgres: `CREATE FUNCTION searched_feedback(app text, seq bigint, status text, category text, texts text)
      RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS '${lexemes}'`,
  },
  {
    sqlite: `CREATE VIRTUAL TABLE feedback_search USING fts5 (
      text, content = '', contentless_delete = 1, prefix = '3 4 5 6 7 8 9 10 11 12')`,
    postgres: `CREATE INDEX feedback_search ON feedback USING gin (${searchedInPostgres})`,
  },
];

/**
 * Creates the search function in PL/pgSQL, because PostgreSQL plans such a function once for each connection. The
 * earlier function in SQL was planned again for each new or changed thread.
 */
export const plannedSearchFunction = `CREATE OR REPLACE FUNCTION searched_feedback(
    app text, seq bigint, status text, category text, texts text)
  RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN (${lexemes}); END'`;
