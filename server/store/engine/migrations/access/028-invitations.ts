/** Invitations of people to apps. The row goes when the invitation is accepted or withdrawn: its link works once. */
export const invitations = {
  number: 28,
  name: "invitations",
  statements: [
    `CREATE TABLE invitations (
      id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      email TEXT NOT NULL, role TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
      invited_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
      created_at TEXT NOT NULL, expires_at TEXT NOT NULL,
      UNIQUE (app_id, email))`,
    `CREATE INDEX invitations_by_expiry ON invitations (expires_at)`,
  ],
};
