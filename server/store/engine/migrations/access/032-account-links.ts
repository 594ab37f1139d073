/** Links of mails that make an account or set a new password, as hashes. Each works once. */
export const accountLinks = {
  number: 32,
  name: "account-links",
  statements: [
    `CREATE TABLE account_links (
      token_hash TEXT PRIMARY KEY, kind TEXT NOT NULL, user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
      email TEXT NOT NULL, expires_at TEXT NOT NULL)`,
    `CREATE INDEX account_links_by_email ON account_links (email)`,
    `CREATE INDEX account_links_by_user ON account_links (user_id)`,
    `CREATE INDEX account_links_by_end ON account_links (expires_at)`,
  ],
};
