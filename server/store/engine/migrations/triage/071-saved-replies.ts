/** Texts that a team sends again and again. */
export const savedReplies = {
  number: 71,
  name: "saved-replies",
  statements: [
    `CREATE TABLE saved_replies (
      id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      title TEXT NOT NULL, body TEXT NOT NULL, updated_by TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
    `CREATE INDEX saved_replies_by_app ON saved_replies (app_id, title)`,
  ],
};
