/**
 * What happens to a proposal after it was made. `runs.decision` says how it ended, `expires_at` until when its approval can
 * be claimed, `first_read_at` when an agent first read the approval. `run_claims` has a row for each claim of a worker, with
 * the outcome; at most one claim of a run is not released. `events` is what happened in an app, for receivers outside.
 */
export const runLives = {
  number: 23,
  name: "run-lives",
  statements: [
    `ALTER TABLE apps ADD COLUMN approval_hours BIGINT`,
    `ALTER TABLE runs ADD COLUMN decision TEXT`,
    `ALTER TABLE runs ADD COLUMN expires_at TEXT`,
    `ALTER TABLE runs ADD COLUMN first_read_at TEXT`,
    `UPDATE runs SET decision = CASE
       WHEN status = 'approved' THEN 'approve' WHEN replaced_by IS NULL THEN 'reject' ELSE 'replaced' END
     WHERE status <> 'awaiting_approval'`,
    `CREATE INDEX runs_by_expiry ON runs (expires_at) WHERE status = 'approved'`,
    `CREATE TABLE run_claims (
      id TEXT PRIMARY KEY, run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
      token_id TEXT NOT NULL, worker TEXT NOT NULL, claimed_at TEXT NOT NULL,
      released_at TEXT, released_by TEXT,
      progress_count BIGINT NOT NULL DEFAULT 0, progress_text TEXT, progress_at TEXT,
      outcome_status TEXT, outcome_summary TEXT, outcome_links TEXT, outcome_at TEXT)`,
    `CREATE UNIQUE INDEX one_claim_of_run ON run_claims (run_id) WHERE released_at IS NULL`,
    `CREATE UNIQUE INDEX one_claim_of_worker ON run_claims (run_id, token_id, worker)`,
    `CREATE TABLE run_progress (
      id TEXT PRIMARY KEY, claim_id TEXT NOT NULL REFERENCES run_claims (id) ON DELETE CASCADE,
      text TEXT NOT NULL, created_at TEXT NOT NULL)`,
    `CREATE INDEX run_progress_by_claim ON run_progress (claim_id, created_at, id)`,
    `CREATE TABLE events (
      id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      type TEXT NOT NULL, subject_id TEXT NOT NULL, facts TEXT NOT NULL, created_at TEXT NOT NULL)`,
    `CREATE INDEX events_by_app ON events (app_id, created_at, id)`,
    `CREATE INDEX events_by_time ON events (created_at)`,
  ],
};
