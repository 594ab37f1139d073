const accounts = [
  `CREATE TABLE users (
    id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL, created_at TEXT NOT NULL)`,
  `CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL, expires_at TEXT NOT NULL)`,
  `CREATE INDEX sessions_by_user ON sessions (user_id)`,
  `CREATE TABLE apps (
    id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL,
    feedback_enabled BIGINT NOT NULL, changelog_enabled BIGINT NOT NULL,
    chat_webhook_url TEXT, github_repository TEXT,
    faqs_version BIGINT NOT NULL DEFAULT 0, changelog_version BIGINT NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL)`,
  `CREATE INDEX apps_by_owner ON apps (owner_id, created_at)`,
  `CREATE TABLE app_keys (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    label TEXT NOT NULL, kind TEXT NOT NULL, prefix TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, last_used_at TEXT)`,
  `CREATE INDEX app_keys_by_app ON app_keys (app_id, created_at)`,
  `CREATE TABLE tokens (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, label TEXT NOT NULL, scopes TEXT NOT NULL,
    app_id TEXT REFERENCES apps (id) ON DELETE CASCADE,
    prefix TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, created_by TEXT NOT NULL, last_used_at TEXT)`,
  `CREATE INDEX tokens_by_user ON tokens (user_id, created_at)`,
];

const feedback = (sequence: string) => [
  `CREATE TABLE feedback (
    seq ${sequence}, id TEXT NOT NULL UNIQUE, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    subject TEXT NOT NULL, message TEXT NOT NULL, category TEXT NOT NULL, status TEXT NOT NULL, source TEXT,
    sender_name TEXT, sender_email TEXT, metadata TEXT NOT NULL, files TEXT NOT NULL,
    dedupe_key TEXT, occurrences BIGINT NOT NULL, github_issue_url TEXT,
    proposal_status TEXT, indexed BIGINT NOT NULL, created_at TEXT NOT NULL)`,
  `CREATE INDEX feedback_by_app ON feedback (app_id, created_at, id)`,
  `CREATE INDEX feedback_by_status ON feedback (app_id, status, created_at, id)`,
  `CREATE INDEX feedback_by_category ON feedback (app_id, category, created_at, id)`,
  `CREATE INDEX feedback_by_dedupe_key ON feedback (app_id, dedupe_key) WHERE dedupe_key IS NOT NULL`,
  `CREATE TABLE messages (
    id TEXT PRIMARY KEY, feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
    direction TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL)`,
  `CREATE INDEX messages_by_feedback ON messages (feedback_id, created_at, id)`,
  `CREATE TABLE runs (
    id TEXT PRIMARY KEY, feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
    status TEXT NOT NULL, summary TEXT NOT NULL, plan TEXT NOT NULL, decision_note TEXT,
    decided_at TEXT, decided_by TEXT, replaced_by TEXT, created_at TEXT NOT NULL)`,
  `CREATE INDEX runs_by_feedback ON runs (feedback_id, created_at, id)`,
  `CREATE UNIQUE INDEX one_awaiting_run ON runs (feedback_id) WHERE status = 'awaiting_approval'`,
  `CREATE TABLE uploads (
    name TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    feedback_id TEXT REFERENCES feedback (id) ON DELETE CASCADE,
    sha256 TEXT NOT NULL, media_type TEXT NOT NULL, size BIGINT NOT NULL, file_name TEXT,
    created_at TEXT NOT NULL)`,
  `CREATE INDEX uploads_by_sha256 ON uploads (sha256)`,
  `CREATE INDEX uploads_by_feedback ON uploads (feedback_id)`,
];

const content = [
  `CREATE TABLE faqs (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    question TEXT NOT NULL, answer TEXT NOT NULL, sort_order BIGINT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
  `CREATE INDEX faqs_in_order ON faqs (app_id, sort_order, created_at, id)`,
  `CREATE TABLE changelog_entries (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    title TEXT NOT NULL, version TEXT NOT NULL, versions TEXT NOT NULL, release_type TEXT NOT NULL,
    body_format TEXT NOT NULL, body TEXT NOT NULL, items TEXT NOT NULL, published_at TEXT,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
  `CREATE INDEX changelog_by_publication ON changelog_entries (app_id, published_at, created_at, id)`,
  `CREATE TABLE outbox (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    kind TEXT NOT NULL, subject_id TEXT NOT NULL, target TEXT NOT NULL, payload TEXT NOT NULL,
    status TEXT NOT NULL, attempts BIGINT NOT NULL, due_at TEXT NOT NULL, last_error TEXT,
    created_at TEXT NOT NULL, sent_at TEXT)`,
  `CREATE INDEX outbox_due ON outbox (status, due_at)`,
  `CREATE INDEX outbox_by_subject ON outbox (subject_id)`,
  `CREATE TABLE audit (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, owner_id TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    app_id TEXT, target TEXT, address TEXT)`,
  `CREATE INDEX audit_by_owner ON audit (owner_id, at, id)`,
];

const searchInSqlite = [
  `CREATE INDEX feedback_to_index ON feedback (seq) WHERE indexed = 0`,
  `CREATE VIRTUAL TABLE feedback_search USING fts5 (text, content = '', contentless_delete = 1)`,
];

// Its parser takes an address or a path for one word; with spaces in place of punctuation each part is found.
const punctuation = '!"#$%&()*+,-./:;<=>?@[]^_{|}~';

/** The texts of a thread that a search in PostgreSQL looks through. */
export const searchedTextInPostgres = `translate(
  subject || ' ' || message || ' ' || coalesce(sender_name, '') || ' ' || coalesce(sender_email, '') || ' ' ||
  coalesce(source, ''), '${punctuation}', '${" ".repeat(punctuation.length)}')`;

/** What a search in PostgreSQL looks through: the same expression, so that the index serves it. */
export const searchedInPostgres = `to_tsvector('simple', ${searchedTextInPostgres})`;

const searchInPostgres = [`CREATE INDEX feedback_search ON feedback USING gin (${searchedInPostgres})`];

export const feedbackAndContent = {
  number: 1,
  name: "feedback-and-content",
  statements: {
    sqlite: [...accounts, ...feedback("INTEGER PRIMARY KEY"), ...content, ...searchInSqlite],
    postgres: [
      ...accounts,
      ...feedback("BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY"),
      ...content,
      ...searchInPostgres,
    ],
  },
};
