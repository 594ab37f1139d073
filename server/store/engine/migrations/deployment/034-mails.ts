/**
 * Mails to people. `recipient` is the address in the form in which it is compared. `content` is everything that is sent,
 * sealed; it is removed when the mail is sent or given up.
 */
export const mails = {
  number: 34,
  name: "mails",
  statements: [
    `CREATE TABLE mails (
      id TEXT PRIMARY KEY, app_id TEXT REFERENCES apps (id) ON DELETE CASCADE, kind TEXT NOT NULL, lane TEXT NOT NULL,
      subject_id TEXT, recipient TEXT NOT NULL, content TEXT, status TEXT NOT NULL, attempts BIGINT NOT NULL,
      due_at TEXT NOT NULL, send_before TEXT NOT NULL, last_error TEXT, created_at TEXT NOT NULL, settled_at TEXT)`,
    `CREATE INDEX mails_due ON mails (lane, due_at) WHERE status = 'waiting'`,
    `CREATE INDEX mails_by_subject ON mails (subject_id, created_at) WHERE subject_id IS NOT NULL`,
    `CREATE INDEX mails_by_app ON mails (app_id, created_at)`,
    `CREATE INDEX mails_by_recipient ON mails (recipient, created_at)`,
    `CREATE INDEX mails_settled ON mails (settled_at) WHERE settled_at IS NOT NULL`,
  ],
};
