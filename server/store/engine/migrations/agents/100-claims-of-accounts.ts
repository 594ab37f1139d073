/**
 * Claims belong to the account of a token, not to the token: `run_claims.user_id`. `resumed_as` is the claim that took the
 * place of one. A worker may claim a proposal again after a release, so its name is no longer unique.
 */
export const claimsOfAccounts = {
  number: 100,
  name: "claims-of-accounts",
  statements: [
    `ALTER TABLE run_claims ADD COLUMN user_id TEXT`,
    `ALTER TABLE run_claims ADD COLUMN resumed_as TEXT`,
    `UPDATE run_claims SET user_id = coalesce(
       (SELECT t.user_id FROM tokens t WHERE t.id = run_claims.token_id),
       (SELECT a.owner_id FROM runs r JOIN apps a ON a.id = r.app_id WHERE r.id = run_claims.run_id))`,
    `DROP INDEX one_claim_of_worker`,
    `CREATE INDEX run_claims_by_run ON run_claims (run_id)`,
  ],
};
