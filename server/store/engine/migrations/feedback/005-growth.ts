const indexes = [
  // Every console page counts the proposals that await a decision. Without this index it reads all threads of the owner.
  `CREATE INDEX feedback_awaiting ON feedback (app_id) WHERE proposal_status = 'awaiting_approval'`,
  `CREATE INDEX feedback_by_status_and_category ON feedback (app_id, status, category, created_at, id)`,
  // A report looks for the newest thread with its key. Without the date SQLite may read all threads of the app.
  `DROP INDEX feedback_by_dedupe_key`,
  `CREATE INDEX feedback_by_dedupe_key ON feedback (app_id, dedupe_key, created_at) WHERE dedupe_key IS NOT NULL`,
];

/** Adds an index for the beginnings of words, so that they need no scan. The background work fills the index again. */
const searchInSqlite = [
  `DROP TABLE feedback_search`,
  `CREATE VIRTUAL TABLE feedback_search USING fts5 (text, content = '', contentless_delete = 1, prefix = '3 4 5')`,
  `UPDATE feedback SET indexed = 0`,
];

/** Indexes that keep the console and the intake fast at a million threads. */
export const growth = {
  number: 5,
  name: "growth",
  statements: { sqlite: [...indexes, ...searchInSqlite], postgres: indexes },
};
