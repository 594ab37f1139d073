/**
 * Whose reports and answers an app does not show. A hidden report is a thread with the status `blocked`, a hidden answer or repeat a
 * message with the direction `blocked`. `blocked_by` is the row of `blocked_senders` that hid it.
 */
export const blockedSenders = {
  number: 72,
  name: "blocked-senders",
  statements: [
    `CREATE TABLE blocked_senders (
      id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      kind TEXT NOT NULL, sender TEXT NOT NULL, created_by TEXT, created_at TEXT NOT NULL,
      UNIQUE (app_id, sender, kind))`,
    `ALTER TABLE feedback ADD COLUMN blocked_by TEXT`,
    `ALTER TABLE messages ADD COLUMN blocked_by TEXT`,
    `CREATE INDEX feedback_blocked ON feedback (app_id, created_at) WHERE status = 'blocked'`,
    `CREATE INDEX messages_blocked ON messages (created_at) WHERE direction = 'blocked'`,
  ],
};
