import { searchedInPostgres as wordsInPostgres } from "./001-feedback-and-content.ts";

/** The sizes of the ranges of `seq` that a search can ask for. */
export const rangesOfSearch = [1_000, 32_000] as const;

/** The beginnings of the marks under which a thread is found besides its words. No word begins with one of them. */
export const marksInPostgres = { app: "=a", status: "=s", type: "=t", range: "=r" } as const;

const ranges = rangesOfSearch.map(
  (size) => `'${marksInPostgres.range}${size}.' || CAST(seq / ${size} AS text)`,
);

/** What a search in PostgreSQL looks through: the same expression, so that the index serves it. */
export const searchedInPostgres = `(${wordsInPostgres} || array_to_tsvector(ARRAY[
  '${marksInPostgres.app}' || app_id, '${marksInPostgres.status}' || status, '${marksInPostgres.type}' || category,
  ${ranges.join(", ")}]))`;

/**
 * On PostgreSQL a thread is also found by its app, status, type and place in the order of arrival, so that a search for a
 * common word reads only the newest threads, and none reads those of other apps.
 */
export const marksOfSearch = {
  number: 53,
  name: "marks-of-search",
  statements: {
    sqlite: [],
    postgres: [
      "DROP INDEX feedback_search",
      `CREATE INDEX feedback_search ON feedback USING gin (${searchedInPostgres})`,
    ],
  },
};
