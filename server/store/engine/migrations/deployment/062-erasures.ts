/**
 * Erasures of people, which are also their receipts. `person_hash` is a keyed hash of the address, `email_sealed` the address
 * while the work runs. `place` is how far it is, `files` are the SHA-256 of files that are still to be deleted, both JSON.
 * `owner_id` is the account in whose apps the person is erased; null for the whole deployment.
 */
export const erasures = {
  number: 62,
  name: "erasures",
  statements: [
    `CREATE TABLE erasures (
      id TEXT PRIMARY KEY, owner_id TEXT, person_hash TEXT NOT NULL, email_sealed TEXT, status TEXT NOT NULL,
      place TEXT NOT NULL, files TEXT NOT NULL, counts TEXT NOT NULL,
      created_at TEXT NOT NULL, finished_at TEXT, backups_until TEXT)`,
    `CREATE INDEX erasures_by_owner ON erasures (owner_id, created_at, id)`,
    `CREATE INDEX erasures_at_work ON erasures (created_at, id) WHERE status = 'running'`,
    `CREATE UNIQUE INDEX one_erasure_at_work ON erasures (owner_id, person_hash) WHERE status = 'running'`,
  ],
};
