/**
 * `failure_runs`: which run of which scope reported a failure, and when that scope passed again. A thread whose reports have
 * a `dedupeKey` has one row for each scope and run. Threads from before count as reported without scope and run.
 */
export const failureRuns = {
  number: 22,
  name: "failure-runs",
  statements: [
    `CREATE TABLE failure_runs (
      feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
      app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
      scope TEXT NOT NULL, run TEXT NOT NULL, reported_at TEXT NOT NULL, passed_at TEXT,
      PRIMARY KEY (feedback_id, scope, run))`,
    `CREATE INDEX failing_scopes ON failure_runs (app_id, scope) WHERE passed_at IS NULL`,
    `INSERT INTO failure_runs (feedback_id, app_id, scope, run, reported_at)
     SELECT id, app_id, '', '', created_at FROM feedback
     WHERE dedupe_key IS NOT NULL AND status IN ('open', 'in_progress')`,
  ],
};
