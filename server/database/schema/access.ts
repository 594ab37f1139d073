import { beforeToken, personOf, tokenOf, withEach } from "./expressions.ts";
import type { Statement } from "./statement.ts";

/** Accounts and their ways to sign in, apps with their members and credentials, and the audit. */
export const accessSchema: readonly Statement[] = [
  // `email_verified_at`: when the person has shown that they read the mail of this address; null if they have not.
  `CREATE TABLE users (
    id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, password_hash TEXT NOT NULL, created_at TEXT NOT NULL,
    timezone TEXT NOT NULL DEFAULT 'UTC', email_verified_at TEXT)`,
  // Of a console session a person sees the id, the browser in words, and the hour of its last use.
  `CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL, expires_at TEXT NOT NULL, id TEXT, browser TEXT, last_used_at TEXT)`,
  `CREATE INDEX sessions_by_user ON sessions (user_id)`,
  `CREATE UNIQUE INDEX sessions_by_id ON sessions (id)`,
  // `id` is that of the account. `secret_sealed`: what the authenticator app has; null after the secret of the deployment was
  // lost. `last_step`: the newest time step of which a code was used. It counts once `confirmed_at` is set.
  `CREATE TABLE second_factors (
    id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE, secret_sealed TEXT, last_step BIGINT NOT NULL,
    created_at TEXT NOT NULL, confirmed_at TEXT)`,
  `CREATE TABLE recovery_codes (
    code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, used_at TEXT)`,
  `CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id)`,
  // Keys and ids are in base64url, `transports` is a JSON array.
  `CREATE TABLE passkeys (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name TEXT NOT NULL,
    credential_id TEXT NOT NULL UNIQUE, public_key TEXT NOT NULL, counter BIGINT NOT NULL, transports TEXT NOT NULL,
    created_at TEXT NOT NULL, last_used_at TEXT)`,
  `CREATE INDEX passkeys_by_user ON passkeys (user_id)`,
  // Links of mails that make an account or set a new password, as hashes. Each works once.
  `CREATE TABLE account_links (
    token_hash TEXT PRIMARY KEY, kind TEXT NOT NULL, user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    email TEXT NOT NULL, expires_at TEXT NOT NULL)`,
  `CREATE INDEX account_links_by_email ON account_links (email)`,
  `CREATE INDEX account_links_by_user ON account_links (user_id)`,
  `CREATE INDEX account_links_by_end ON account_links (expires_at)`,
  // Text that a person has typed into a form of the console and not sent. `content` is sealed. `writer` is the opened page in
  // which it was typed: two open pages keep two texts of one field.
  `CREATE TABLE drafts (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, page TEXT NOT NULL,
    form TEXT NOT NULL, field TEXT NOT NULL, writer TEXT NOT NULL, content TEXT NOT NULL, updated_at TEXT NOT NULL,
    UNIQUE (user_id, form, field, writer))`,
  `CREATE INDEX drafts_by_user ON drafts (user_id, updated_at)`,
  `CREATE INDEX drafts_by_update ON drafts (updated_at)`,
  `CREATE TABLE identities (
    issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL, PRIMARY KEY (issuer, subject))`,
  `CREATE INDEX identities_by_user ON identities (user_id)`,
  // Live are the codes that are neither used nor replaced. A refusal is a row that was never live.
  `CREATE TABLE sign_in_codes (
    code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, device_id TEXT NOT NULL,
    device_name TEXT NOT NULL, challenge TEXT NOT NULL, code_sealed TEXT, created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL, used_at TEXT, replaced_at TEXT)`,
  `CREATE UNIQUE INDEX one_live_code ON sign_in_codes (device_id) WHERE used_at IS NULL AND replaced_at IS NULL`,
  `CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at)`,
  `CREATE TABLE devices (
    id TEXT PRIMARY KEY, device_id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL, push_token TEXT, scopes TEXT NOT NULL, prefix TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, expires_at TEXT NOT NULL, last_used_at TEXT)`,
  `CREATE INDEX devices_by_user ON devices (user_id, created_at)`,
  // `retention_days`: how long resolved threads are kept after their last activity; null if for ever.
  `CREATE TABLE apps (
    id TEXT PRIMARY KEY, owner_id TEXT NOT NULL REFERENCES users (id), name TEXT NOT NULL,
    feedback_enabled BIGINT NOT NULL, changelog_enabled BIGINT NOT NULL, chat_webhook_url TEXT, github_repository TEXT,
    faqs_version BIGINT NOT NULL DEFAULT 0, changelog_version BIGINT NOT NULL DEFAULT 0, created_at TEXT NOT NULL,
    approval_hours BIGINT, updated_by TEXT, updated_at TEXT, sender_pages BIGINT NOT NULL DEFAULT 1,
    retention_days BIGINT)`,
  `CREATE INDEX apps_by_owner ON apps (owner_id, created_at)`,
  // A member has read everything in an app that happened up to `read_until`, or up to the joining if it is null.
  `CREATE TABLE app_members (
    app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, role TEXT NOT NULL, created_at TEXT NOT NULL,
    read_until TEXT, visited_at TEXT, since_at TEXT, PRIMARY KEY (app_id, user_id))`,
  `CREATE INDEX app_members_by_user ON app_members (user_id, app_id, role)`,
  // Deleted apps whose audit a person may still read.
  `CREATE TABLE former_apps (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, app_id TEXT NOT NULL, PRIMARY KEY (user_id, app_id))`,
  // The row goes when the invitation is accepted or withdrawn: its link works once.
  `CREATE TABLE invitations (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, email TEXT NOT NULL,
    role TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
    invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL, UNIQUE (app_id, email))`,
  `CREATE INDEX invitations_by_expiry ON invitations (expires_at)`,
  `CREATE TABLE app_keys (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, label TEXT NOT NULL,
    kind TEXT NOT NULL, prefix TEXT NOT NULL, key_hash TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL,
    last_used_at TEXT)`,
  `CREATE INDEX app_keys_by_app ON app_keys (app_id, created_at)`,
  // For some minutes after a token was rotated, its secret of before is good, too. Connections over OAuth have the kind `oauth`.
  `CREATE TABLE tokens (
    id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, kind TEXT NOT NULL,
    label TEXT NOT NULL, scopes TEXT NOT NULL, app_id TEXT REFERENCES apps (id) ON DELETE CASCADE, prefix TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE, created_at TEXT NOT NULL, created_by TEXT NOT NULL, last_used_at TEXT,
    expires_at TEXT, old_token_hash TEXT, old_expires_at TEXT)`,
  `CREATE INDEX tokens_by_user ON tokens (user_id, created_at)`,
  `CREATE UNIQUE INDEX tokens_by_old_hash ON tokens (old_token_hash) WHERE old_token_hash IS NOT NULL`,
  // Programs that registered themselves.
  `CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, redirects TEXT NOT NULL, created_at TEXT NOT NULL, used_at TEXT)`,
  `CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL`,
  // What a person allowed, until the program exchanges it.
  `CREATE TABLE oauth_codes (
    code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, client_id TEXT NOT NULL,
    client_name TEXT NOT NULL, redirect TEXT NOT NULL, challenge TEXT NOT NULL,
    app_id TEXT REFERENCES apps (id) ON DELETE CASCADE, scopes TEXT NOT NULL, created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL, connection_id TEXT)`,
  // The access and refresh tokens of connections, as hashes. `successor`: what the use of a refresh token answered, sealed with it.
  `CREATE TABLE oauth_tokens (
    token_hash TEXT PRIMARY KEY, connection_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
    client_id TEXT NOT NULL, kind TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT,
    successor TEXT)`,
  `CREATE INDEX oauth_tokens_by_connection ON oauth_tokens (connection_id)`,
  `CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at)`,
  // `label`: that of a token or key, whose own row is deleted. `changes`: a JSON list of fields with their values before and after.
  `CREATE TABLE audit (
    id TEXT PRIMARY KEY, at TEXT NOT NULL, owner_id TEXT NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
    app_id TEXT, target TEXT, address TEXT, label TEXT, changes TEXT)`,
  `CREATE INDEX audit_labels ON audit (target) WHERE label IS NOT NULL`,
  `CREATE INDEX audit_in_order ON audit (coalesce(app_id, owner_id), at, id)`,
  `CREATE INDEX audit_by_action ON audit (coalesce(app_id, owner_id), action, at, id)`,
  withEach(
    personOf,
    (person) => `CREATE INDEX audit_by_person ON audit (coalesce(app_id, owner_id), (${person}), at, id)`,
  ),
  withEach(
    tokenOf,
    (token) => `CREATE INDEX audit_by_token ON audit (coalesce(app_id, owner_id), (${token}), at, id)
      WHERE actor LIKE '%${beforeToken}%'`,
  ),
  `CREATE INDEX audit_changes ON audit (target) WHERE changes IS NOT NULL`,
];
