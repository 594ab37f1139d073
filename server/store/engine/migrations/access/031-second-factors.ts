/**
 * The second factor of an account. `id` is that of the account. `secret_sealed`: what the authenticator app has; null after
 * the deployment's secret was lost. `last_step`: the newest time step of which a code was used. It counts once
 * `confirmed_at` is set. Recovery codes are kept as hashes.
 */
export const secondFactors = {
  number: 31,
  name: "second-factors",
  statements: [
    `CREATE TABLE second_factors (
      id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE, secret_sealed TEXT, last_step BIGINT NOT NULL,
      created_at TEXT NOT NULL, confirmed_at TEXT)`,
    `CREATE TABLE recovery_codes (
      code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, used_at TEXT)`,
    `CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id)`,
  ],
};
