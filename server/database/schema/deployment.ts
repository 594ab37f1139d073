import type { Statement } from "./statement.ts";

/** What a deployment keeps about itself, its requests and its long works. */
export const deploymentSchema: readonly Statement[] = [
  `CREATE TABLE deployment (name TEXT PRIMARY KEY, value TEXT NOT NULL)`,
  // The time that a server has last stored. A server doubts its clock if it differs much from this at the start.
  `CREATE TABLE last_times (name TEXT PRIMARY KEY, at TEXT NOT NULL)`,
  // The times of the last uses of each limited key.
  `CREATE TABLE rate_limits (key TEXT PRIMARY KEY, times TEXT NOT NULL, stale_hour BIGINT NOT NULL)`,
  `CREATE INDEX rate_limits_by_stale_hour ON rate_limits (stale_hour)`,
  // How many bytes each key sent in each minute.
  `CREATE TABLE byte_uses (
    key_id TEXT NOT NULL, minute BIGINT NOT NULL, bytes BIGINT NOT NULL, PRIMARY KEY (key_id, minute))`,
  `CREATE INDEX byte_uses_by_minute ON byte_uses (minute)`,
  // The answers that are kept for repeats. They name their app, because a person who is no longer a member must not get them.
  `CREATE TABLE idempotency (
    scope TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, status BIGINT, body TEXT,
    expires_at TEXT NOT NULL, app_id TEXT, PRIMARY KEY (scope, key))`,
  `CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)`,
  // While an import runs, its app has a row here and no member, so nobody sees it. `alive_at`: when it last stored something.
  `CREATE TABLE imports (app_id TEXT PRIMARY KEY REFERENCES apps (id) ON DELETE CASCADE, alive_at TEXT NOT NULL)`,
  // The people that imported records name: names, not accounts. `slots.imported_tester` is one of them.
  `CREATE TABLE imported_people (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, email TEXT NOT NULL)`,
  `CREATE INDEX imported_people_by_app ON imported_people (app_id, id)`,
  // Erasures of people, which are also their receipts. `person_hash` is a keyed hash of the address, `email_sealed` the address
  // while the work runs. `place` is how far it is, `files` are those still to be deleted, both JSON. `owner_id` is null for the
  // whole deployment.
  `CREATE TABLE erasures (
    id TEXT PRIMARY KEY, owner_id TEXT, person_hash TEXT NOT NULL, email_sealed TEXT, status TEXT NOT NULL,
    place TEXT NOT NULL, files TEXT NOT NULL, counts TEXT NOT NULL, created_at TEXT NOT NULL, finished_at TEXT,
    backups_until TEXT)`,
  `CREATE INDEX erasures_by_owner ON erasures (owner_id, created_at, id)`,
  `CREATE INDEX erasures_at_work ON erasures (created_at, id) WHERE status = 'running'`,
  `CREATE UNIQUE INDEX one_erasure_at_work ON erasures (owner_id, person_hash) WHERE status = 'running'`,
];
