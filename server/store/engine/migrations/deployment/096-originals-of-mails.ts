/**
 * Mails as they came: each answer that was taken, and each mail that was set apart because a program wrote it. `id` is that of the
 * message that the mail is, or would be. `upload` names the sealed bytes. `set_apart` says why it is no message; null if it is one.
 */
export const originalsOfMails = {
  number: 96,
  name: "originals-of-mails",
  statements: [
    `CREATE TABLE mail_originals (
      id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE, report_id TEXT NOT NULL,
      upload TEXT NOT NULL REFERENCES uploads (name) ON DELETE CASCADE, key_sealed TEXT NOT NULL, recipient TEXT NOT NULL,
      sender TEXT NOT NULL, addresses TEXT NOT NULL, subject TEXT NOT NULL, excerpt TEXT NOT NULL, set_apart TEXT,
      created_at TEXT NOT NULL)`,
    `CREATE INDEX mail_originals_by_thread ON mail_originals (feedback_id)`,
    `CREATE INDEX mail_originals_by_upload ON mail_originals (upload)`,
    `CREATE INDEX mail_originals_by_recipient ON mail_originals (recipient)`,
    `CREATE INDEX mail_originals_by_time ON mail_originals (created_at)`,
    `CREATE INDEX mail_originals_set_apart ON mail_originals (app_id, created_at) WHERE set_apart IS NOT NULL`,
  ],
};
