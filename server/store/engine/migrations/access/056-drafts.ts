/**
 * Text that a person has typed into a form of the console and not sent. `content` is sealed. `writer` is the opened page in
 * which it was typed: two open pages keep two texts of one field.
 */
export const drafts = {
  number: 56,
  name: "drafts",
  statements: [
    `CREATE TABLE drafts (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, page TEXT NOT NULL,
      form TEXT NOT NULL, field TEXT NOT NULL, writer TEXT NOT NULL, content TEXT NOT NULL, updated_at TEXT NOT NULL,
      UNIQUE (user_id, form, field, writer))`,
    `CREATE INDEX drafts_by_user ON drafts (user_id, updated_at)`,
    `CREATE INDEX drafts_by_update ON drafts (updated_at)`,
  ],
};
