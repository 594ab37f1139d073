/** A token may have an end. For some minutes after it was rotated, its secret of before is good, too. */
export const endsOfTokens = {
  number: 101,
  name: "ends-of-tokens",
  statements: [
    `ALTER TABLE tokens ADD COLUMN expires_at TEXT`,
    `ALTER TABLE tokens ADD COLUMN old_token_hash TEXT`,
    `ALTER TABLE tokens ADD COLUMN old_expires_at TEXT`,
    `CREATE UNIQUE INDEX tokens_by_old_hash ON tokens (old_token_hash) WHERE old_token_hash IS NOT NULL`,
  ],
};
