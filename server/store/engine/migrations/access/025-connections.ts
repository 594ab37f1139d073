/**
 * Connections of agents over OAuth: a connection is a row of `tokens` of the kind `oauth`. `oauth_clients`: programs that
 * registered themselves; `oauth_codes`: what a person allowed, until the program exchanges it; `oauth_tokens`: the access
 * and refresh tokens of connections, all as hashes. `successor`: what the use of a refresh token answered, sealed with it.
 */
export const connections = {
  number: 25,
  name: "connections",
  statements: [
    `CREATE TABLE oauth_clients (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, redirects TEXT NOT NULL, created_at TEXT NOT NULL, used_at TEXT)`,
    `CREATE INDEX oauth_clients_unused ON oauth_clients (created_at) WHERE used_at IS NULL`,
    `CREATE TABLE oauth_codes (
      code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL, client_name TEXT NOT NULL, redirect TEXT NOT NULL, challenge TEXT NOT NULL,
      app_id TEXT REFERENCES apps (id) ON DELETE CASCADE, scopes TEXT NOT NULL,
      created_at TEXT NOT NULL, expires_at TEXT NOT NULL, connection_id TEXT)`,
    `CREATE TABLE oauth_tokens (
      token_hash TEXT PRIMARY KEY, connection_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
      client_id TEXT NOT NULL, kind TEXT NOT NULL, created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
      used_at TEXT, successor TEXT)`,
    `CREATE INDEX oauth_tokens_by_connection ON oauth_tokens (connection_id)`,
    `CREATE INDEX oauth_tokens_by_end ON oauth_tokens (expires_at)`,
  ],
};
