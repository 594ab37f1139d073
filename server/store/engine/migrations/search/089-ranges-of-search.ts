/**
 * On SQLite, threads are also found by their range of 8,000 in the order of arrival, as on PostgreSQL, so that a search can look at a
 * part of the index. Beginnings of 3 to 12 letters are all in the index: for others, SQLite first reads the threads of all words with that
 * beginning. The background work fills the index again.
 */
export const rangesOfSearch = {
  number: 89,
  name: "ranges-of-search",
  statements: {
    sqlite: [
      "DROP TABLE feedback_search",
      `CREATE VIRTUAL TABLE feedback_search USING fts5 (
         text, content = '', contentless_delete = 1, prefix = '3 4 5 6 7 8 9 10 11 12')`,
      "UPDATE feedback SET indexed = 0",
    ],
    postgres: [],
  },
};
