const indexes = [
  // The console counts what awaits a decision on every page: without this it walks all threads of the owner.
  `CREATE INDEX feedback_awaiting ON feedback (app_id) WHERE proposal_status = 'awaiting_approval'`,
  `CREATE INDEX feedback_by_status_and_category ON feedback (app_id, status, category, created_at, id)`,
  // A report looks for the newest thread of its key. Without the date SQLite may walk all threads of the app.
  `DROP INDEX feedback_by_dedupe_key`,
  `CREATE INDEX feedback_by_dedupe_key ON feedback (app_id, dedupe_key, created_at) WHERE dedupe_key IS NOT NULL`,
];

/** Beginnings of words are looked up, not scanned. The index is filled again in the background. */
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
