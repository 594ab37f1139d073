import type { Statement } from "./statement.ts";

/** Mails that the server sends and takes. */
export const mailSchema: readonly Statement[] = [
  // `recipient` is the address in the form in which it is compared. `content` is everything that is sent, sealed; it is removed
  // when the mail is sent or given up.
  `CREATE TABLE mails (
    id TEXT PRIMARY KEY, app_id TEXT REFERENCES apps (id) ON DELETE CASCADE, kind TEXT NOT NULL, lane TEXT NOT NULL,
    subject_id TEXT, recipient TEXT NOT NULL, content TEXT, status TEXT NOT NULL, attempts BIGINT NOT NULL,
    due_at TEXT NOT NULL, send_before TEXT NOT NULL, last_error TEXT, created_at TEXT NOT NULL, settled_at TEXT,
    report_id TEXT)`,
  `CREATE INDEX mails_due ON mails (lane, due_at) WHERE status = 'waiting'`,
  `CREATE INDEX mails_by_subject ON mails (subject_id, created_at) WHERE subject_id IS NOT NULL`,
  `CREATE INDEX mails_by_app ON mails (app_id, created_at)`,
  `CREATE INDEX mails_by_recipient ON mails (recipient, created_at)`,
  `CREATE INDEX mails_settled ON mails (settled_at) WHERE settled_at IS NOT NULL`,
  // Who showed that an address is theirs, and who wants no more mails.
  `CREATE TABLE mail_addresses (
    app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, recipient TEXT NOT NULL, confirmed_at TEXT,
    unsubscribed_at TEXT, PRIMARY KEY (app_id, recipient))`,
  // How far a mailbox was read. A mail that ends the server each time it is read is given up.
  `CREATE TABLE mailboxes (
    name TEXT PRIMARY KEY, uid_validity TEXT NOT NULL, last_uid BIGINT NOT NULL, tried_uid BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0, tried_at TEXT)`,
  // Mails as they came: answers that were taken, and mails that were set apart because a program wrote them. `id` is that of the
  // message that the mail is, or would be. `upload` names the sealed bytes. `set_apart` says why it is no message.
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
];
