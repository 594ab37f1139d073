import type { Transaction } from "../engine/database.ts";

export interface FailureReport {
  readonly feedbackId: string;
  readonly appId: string;
  /** What the run covers, such as a workflow, a job and a branch; "" if the report does not say. */
  readonly scope: string;
  readonly run: string;
  readonly reportedAt: string;
}

export interface Failure {
  readonly id: string;
  readonly dedupeKey: string;
}

/** A green run in its scope. */
export interface GreenScope {
  readonly scope: string;
  readonly run: string;
  /** Reports that came later stay failures, except those of the run itself. */
  readonly startedAt: string;
}

export interface PassedScope extends GreenScope {
  readonly feedbackId: string;
  readonly passedAt: string;
}

/** The runs that reported the failure of a thread, and those that passed since. */
export const failures = {
  /** Makes reports and passes of one failure wait for each other. Call it before the failure is read. */
  lock: (tx: Transaction, appId: string, dedupeKey: string) => tx.lock(`dedupe:${appId}:${dedupeKey}`),

  /** Stores the report of a run. Gives false if the same run has reported this failure before and not passed since. */
  async report(
    tx: Transaction,
    { feedbackId, appId, scope, run, reportedAt }: FailureReport,
  ): Promise<boolean> {
    const known = await tx.run(
      `UPDATE failure_runs SET reported_at = ?, passed_at = NULL
       WHERE feedback_id = ? AND scope = ? AND run = ? AND (passed_at IS NOT NULL OR run = '')`,
      ...[reportedAt, feedbackId, scope, run],
    );
    if (known > 0) return true;
    const added = await tx.run(
      `INSERT INTO failure_runs (feedback_id, app_id, scope, run, reported_at) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      ...[feedbackId, appId, scope, run, reportedAt],
    );
    return added > 0;
  },

  /** The failures of an app that a scope can have passed: reported there, and not passed since. */
  failingIn: (tx: Transaction, { appId, scope, run, startedAt }: GreenScope & { readonly appId: string }) =>
    tx.all<Failure>(
      `SELECT DISTINCT f.id, f.dedupe_key AS "dedupeKey"
       FROM failure_runs r JOIN feedback f ON f.id = r.feedback_id
       WHERE r.app_id = ? AND r.scope = ? AND r.passed_at IS NULL AND (r.reported_at <= ? OR r.run = ?)
         AND f.status IN ('open', 'in_progress')`,
      ...[appId, scope, startedAt, run],
    ),

  /** Stores that a scope passed. Gives false if nothing is left that it could have passed. */
  async pass(
    tx: Transaction,
    { feedbackId, scope, run, startedAt, passedAt }: PassedScope,
  ): Promise<boolean> {
    const passed = await tx.run(
      `UPDATE failure_runs SET passed_at = ?
       WHERE feedback_id = ? AND scope = ? AND passed_at IS NULL AND (reported_at <= ? OR run = ?)
         AND EXISTS (SELECT 1 FROM feedback f WHERE f.id = feedback_id AND f.status IN ('open', 'in_progress'))`,
      ...[passedAt, feedbackId, scope, startedAt, run],
    );
    return passed > 0;
  },

  /** The scopes in which a failure has not passed since it was reported there. */
  async failingScopes(tx: Transaction, feedbackId: string): Promise<string[]> {
    const rows = await tx.all<{ scope: string }>(
      "SELECT DISTINCT scope FROM failure_runs WHERE feedback_id = ? AND passed_at IS NULL ORDER BY scope",
      feedbackId,
    );
    return rows.map(({ scope }) => scope);
  },
};
