/** The passkeys of accounts that have a second factor. Keys and ids are in base64url, `transports` is a JSON array. */
export const passkeys = {
  number: 33,
  name: "passkeys",
  statements: [
    `CREATE TABLE passkeys (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name TEXT NOT NULL,
      credential_id TEXT NOT NULL UNIQUE, public_key TEXT NOT NULL, counter BIGINT NOT NULL, transports TEXT NOT NULL,
      created_at TEXT NOT NULL, last_used_at TEXT)`,
    `CREATE INDEX passkeys_by_user ON passkeys (user_id)`,
  ],
};
