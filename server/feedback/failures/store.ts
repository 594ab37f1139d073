import { limits } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { insert } from "../../database/transaction.ts";

export interface FailureReport {
  readonly feedbackId: string;
  readonly appId: string;
  /** Where the tests ran, such as a workflow with a job and a branch; `""` without a scope. */
  readonly scope: string;
  readonly run: string;
  /**
   * The tests that the report summarizes. Each test is given as the beginning of the dedupe keys of its
   * failures.
   */
  readonly parts?: readonly string[] | undefined;
  readonly reportedAt: string;
}

export interface Failure {
  /** The id of the thread to which the failure belongs now. */
  readonly id: string;
  /** The id of the thread that was created for the failure. It differs from `id` after a merge. */
  readonly failureId: string;
  readonly dedupeKey: string;
  /** Whether a report of this failure summarizes many tests. */
  readonly isSummary: boolean;
}

/** A successful run in one scope. */
export interface GreenScope {
  readonly scope: string;
  readonly run: string;
  /** The time at which the run started. The run resolves only reports from before this time, and its own reports. */
  readonly startedAt: string;
}

export interface PassedScope extends GreenScope {
  readonly feedbackId: string;
  readonly passedAt: string;
}

// `k` is the thread created for the failure. `f` is the thread that contains `k` after merges, or `k` itself.
const joinedThreads = `JOIN feedback k ON k.id = r.feedback_id
  JOIN feedback f ON f.id = coalesce(k.merged_into, k.id)`;

const isOfOpenThread = `EXISTS (SELECT 1 FROM feedback k JOIN feedback f ON f.id = coalesce(k.merged_into, k.id)
           WHERE k.id = feedback_id AND f.status IN ('open', 'in_progress'))`;

const insertRun = insert(tables.failureRuns, "ON CONFLICT DO NOTHING");

/** Test runs that reported failures. Each row also says whether the failure has passed after the report. */
export const failures = {
  /** Locks a failure. Lock before reading, because a report and a successful run may arrive at the same time. */
  lock: (tx: Transaction, appId: string, dedupeKey: string) => tx.lock(`dedupe:${appId}:${dedupeKey}`),

  /**
   * Stores a report. Returns false if this run reported the failure before and the failure has not passed
   * since. (rule F23)
   */
  async report(tx: Transaction, report: FailureReport): Promise<boolean> {
    const { feedbackId, appId, scope, run, reportedAt } = report;
    const parts = await allParts(tx, report);
    const known = await tx.run(
      `UPDATE failure_runs SET reported_at = ?, passed_at = NULL, parts = ?
       WHERE feedback_id = ? AND scope = ? AND run = ? AND (passed_at IS NOT NULL OR run = '')`,
      ...[reportedAt, parts, feedbackId, scope, run],
    );
    if (known > 0) return true;
    if (await insertRun(tx, { feedbackId, appId, scope, run, reportedAt, parts })) return true;
    if (report.parts)
      await tx.run(
        "UPDATE failure_runs SET parts = ? WHERE feedback_id = ? AND scope = ? AND run = ?",
        ...[parts, feedbackId, scope, run],
      );
    return false;
  },

  /** Returns the open failures that this scope reported before the run started, or in the run itself. */
  async failingIn(
    tx: Transaction,
    { appId, scope, run, startedAt }: GreenScope & { readonly appId: string },
  ): Promise<Failure[]> {
    const found = await tx.all<FoundFailure>(
      `SELECT f.id, k.id AS "failureId", k.dedupe_key AS "dedupeKey", COUNT(r.parts) AS summaries
       FROM failure_runs r ${joinedThreads}
       WHERE r.app_id = ? AND r.scope = ? AND r.passed_at IS NULL AND (r.reported_at <= ? OR r.run = ?)
         AND f.status IN ('open', 'in_progress')
       GROUP BY f.id, k.id, k.dedupe_key`,
      ...[appId, scope, startedAt, run],
    );
    return found.map(failureOf);
  },

  /** Returns the open failures of an app, one row for each scope in which a failure has not passed. */
  async failingAnywhere(tx: Transaction, appId: string): Promise<(Failure & { readonly scope: string })[]> {
    const found = await tx.all<FoundFailure & { readonly scope: string }>(
      `SELECT f.id, k.id AS "failureId", k.dedupe_key AS "dedupeKey", r.scope, COUNT(r.parts) AS summaries
       FROM failure_runs r ${joinedThreads}
       WHERE r.app_id = ? AND r.passed_at IS NULL AND f.status IN ('open', 'in_progress')
       GROUP BY f.id, k.id, k.dedupe_key, r.scope
       ORDER BY r.scope`,
      appId,
    );
    return found.map((row) => ({ ...failureOf(row), scope: row.scope }));
  },

  /** Stores that a failure passed in a scope. Returns false if there is no report that this run can resolve. */
  async pass(
    tx: Transaction,
    { feedbackId, scope, run, startedAt, passedAt }: PassedScope,
  ): Promise<boolean> {
    const passed = await tx.run(
      `UPDATE failure_runs SET passed_at = ?
       WHERE feedback_id = ? AND scope = ? AND passed_at IS NULL AND (reported_at <= ? OR run = ?)
         AND ${isOfOpenThread}`,
      ...[passedAt, feedbackId, scope, startedAt, run],
    );
    return passed > 0;
  },

  /** Removes the passed tests from the summaries of a failure. Returns whether a summary has changed. */
  async passParts(
    tx: Transaction,
    pass: PassedScope,
    hasPassed: (part: string) => boolean,
  ): Promise<boolean> {
    const { feedbackId, scope, run, startedAt, passedAt } = pass;
    const summaries = await tx.all<{ readonly run: string }>(
      `SELECT run FROM failure_runs
       WHERE feedback_id = ? AND scope = ? AND passed_at IS NULL AND parts IS NOT NULL AND (reported_at <= ? OR run = ?)
         AND ${isOfOpenThread}`,
      ...[feedbackId, scope, startedAt, run],
    );
    let isChanged = false;
    // The tests are read run by run, because the tests of all runs together could need too much memory.
    for (const summary of summaries) {
      const ofRun = [feedbackId, scope, summary.run];
      const found = await tx.get<{ readonly parts: string }>(
        "SELECT parts FROM failure_runs WHERE feedback_id = ? AND scope = ? AND run = ?",
        ...ofRun,
      );
      const parts = listOf(found?.parts ?? "[]");
      const left = parts.filter((part) => !hasPassed(part));
      if (left.length === parts.length) continue;
      isChanged = true;
      await tx.run(
        "UPDATE failure_runs SET parts = ?, passed_at = ? WHERE feedback_id = ? AND scope = ? AND run = ?",
        ...[JSON.stringify(left), left.length === 0 ? passedAt : null, ...ofRun],
      );
    }
    return isChanged;
  },

  /** Returns the thread to which a failure belongs now. */
  async threadOf(tx: Transaction, failureId: string): Promise<string> {
    const found = await tx.get<{ id: string }>(
      "SELECT coalesce(merged_into, id) AS id FROM feedback WHERE id = ?",
      failureId,
    );
    return found?.id ?? failureId;
  },

  /** Returns the scopes in which the thread still fails, including failures of threads that were merged into it. */
  async failingScopes(tx: Transaction, feedbackId: string): Promise<string[]> {
    const rows = await tx.all<{ scope: string }>(
      `SELECT DISTINCT scope FROM failure_runs
       WHERE feedback_id IN (SELECT id FROM feedback WHERE id = ? OR merged_into = ?) AND passed_at IS NULL
       ORDER BY scope`,
      ...[feedbackId, feedbackId],
    );
    return rows.map(({ scope }) => scope);
  },
};

type FoundFailure = Omit<Failure, "isSummary"> & { readonly summaries: number | string };

const failureOf = ({ id, failureId, dedupeKey, summaries }: FoundFailure): Failure => ({
  id,
  failureId,
  dedupeKey,
  isSummary: Number(summaries) > 0,
});

const listOf = (json: string): readonly string[] => {
  const read: unknown = JSON.parse(json);
  return Array.isArray(read) ? read.map(String) : [];
};

/** Returns the tests of all reports of this run as JSON. Null if a report names no tests. (rule F25) */
async function allParts(tx: Transaction, report: FailureReport): Promise<string | null> {
  const { feedbackId, scope, run, parts } = report;
  if (!parts) return null;
  const [before] = await tx.all<{ readonly parts: string | null }>(
    "SELECT parts FROM failure_runs WHERE feedback_id = ? AND scope = ? AND run = ? AND passed_at IS NULL",
    ...[feedbackId, scope, run],
  );
  if (before?.parts === null || before?.parts === tooManyParts) return before.parts;
  const all = new Set([...listOf(before?.parts ?? "[]"), ...parts]);
  return all.size > limits.dedupeParts ? tooManyParts : JSON.stringify([...all]);
}

/** The stored value for a summary that has more tests than the server stores. */
const tooManyParts = "[]";
