import type { Statement } from "./table.ts";

/** How many threads, in the order of arrival, share the lexemes of one range, and one of the marks of the newest ones. */
export const rangeOfSearch = 8_000;
export const newestOfSearch = 1_000;

/**
 * The beginnings of the lexemes under which a thread is found: its app, status and type; its place in the order of arrival;
 * each of its words in its app; and each of its words in its range of that order. No word begins with one of them.
 */
export const marksInPostgres = {
  ...{ app: "=a", status: "=s", type: "=t", place: "=r" },
  ...{ inApp: "=w", inRange: "=v" },
} as const;

/** What stands between the app or the range of a word, and the word. The end of an id is enough: `app` is asked, too. */
export const wordInApp = (appId: string, word: string): string =>
  `${marksInPostgres.inApp}${appId.slice(-8)}.${word}`;
export const wordInRange = (range: number, word: string): string =>
  `${marksInPostgres.inRange}${range}.${word}`;

// Its parser takes an address or a path for one word; with spaces in place of punctuation each part is found.
const punctuation = '!"#$%&()*+,-./:;<=>?@[]^_{|}~';

/** The texts of a thread that a search in PostgreSQL looks through. */
export const searchedTextInPostgres = `translate(
  subject || ' ' || message || ' ' || coalesce(sender_name, '') || ' ' || coalesce(sender_email, '') || ' ' ||
  coalesce(source, ''), '${punctuation}', '${" ".repeat(punctuation.length)}')`;

/** What a search in PostgreSQL looks through: the same expression, so that the index serves it. */
export const searchedInPostgres = `searched_feedback(app_id, seq, status, category, ${searchedTextInPostgres})`;

// A query has at most 200 characters, so the rest of a longer word is never asked for.
const lexemes = `SELECT array_to_tsvector(
    ARRAY[''${marksInPostgres.app}'' || app, ''${marksInPostgres.status}'' || status, ''${marksInPostgres.type}'' || category,
      ''${marksInPostgres.place}'' || CAST(seq / ${newestOfSearch} AS text)] ||
    ARRAY(SELECT place || left(word, 200) FROM unnest(tsvector_to_array(to_tsvector(''simple'', texts))) AS word,
      unnest(ARRAY[''${marksInPostgres.inApp}'' || right(app, 8) || ''.'',
        ''${marksInPostgres.inRange}'' || CAST(seq / ${rangeOfSearch} AS text) || ''.'']) AS place))`;

/**
 * The search for feedback. The beginning of a word is found fast however many words begin with it. On PostgreSQL each word is
 * found in its app, and in its range of the order of arrival, because the index reads all words that begin so before it can
 * look at anything else. On SQLite beginnings of 3 to 12 letters are all in the index: for others, SQLite first reads the
 * threads of all words with that beginning. The background work fills this index.
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
 * Makes the function of the search in PL/pgSQL. PostgreSQL keeps the plan of such a function for the connection. It planned the one in SQL
 * again for each thread that came or changed.
 */
export const plannedSearchFunction = `CREATE OR REPLACE FUNCTION searched_feedback(
    app text, seq bigint, status text, category text, texts text)
  RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN (${lexemes}); END'`;
