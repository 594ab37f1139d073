import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";
import { emailOf } from "../../access/members/authors.ts";
import type { Reader } from "../../database/database.ts";
import { plannedEachTime } from "../../database/planned-each-time.ts";

/** What people and agents did with a proposal, beyond its decision. */
export interface LifeRow {
  readonly runId: string;
  /** The account that made the last decision. */
  readonly decidedBy: string | null;
  readonly expiresAt: string | null;
  readonly firstReadAt: string | null;
  /** The account that approved, also if the approval was recalled or expired since. */
  readonly approvedBy: string | null;
  readonly approvedAt: string | null;
  readonly approvalNote: string | null;
}

/** How far the newest proposal of a thread is. */
export interface NewestRunRow {
  readonly feedbackId: string;
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decidedAt: string | null;
  readonly expiresAt: string | null;
  /** Whether a worker holds the claim. */
  readonly claimId: string | null;
  readonly outcomeStatus: "succeeded" | "failed" | null;
}

/** The claim of a worker on a proposal. */
export interface LifeClaimRow {
  readonly id: string;
  readonly runId: string;
  readonly worker: string;
  readonly tokenLabel: string | null;
  readonly claimedAt: string;
  readonly releasedAt: string | null;
  readonly releasedBy: string | null;
  readonly resumedAs: string | null;
  readonly progressCount: number;
  readonly outcomeStatus: "succeeded" | "failed" | null;
  readonly outcomeSummary: string | null;
  /** A JSON array. */
  readonly outcomeLinks: string | null;
  readonly outcomeAt: string | null;
}

export interface LifeProgressRow {
  readonly id: string;
  readonly claimId: string;
  readonly text: string;
  readonly createdAt: string;
}

/** What happened to the proposals of one thread. */
export const runLives = {
  list: (reader: Reader, feedbackId: string) =>
    reader.all<LifeRow>(
      `SELECT r.id AS "runId", ${emailOf("r.decided_by")} AS "decidedBy", r.expires_at AS "expiresAt", r.first_read_at AS "firstReadAt",
              ${emailOf("r.approved_by")} AS "approvedBy", r.approved_at AS "approvedAt", r.approval_note AS "approvalNote"
       FROM runs r
       WHERE r.feedback_id = ?`,
      feedbackId,
    ),

  /** The newest proposal of each of these threads that has one. */
  newest: (reader: Reader, feedbackIds: readonly string[]) =>
    reader.all<NewestRunRow>(
      plannedEachTime(`SELECT r.feedback_id AS "feedbackId", r.status, r.decision, r.decided_at AS "decidedAt",
              r.expires_at AS "expiresAt", c.id AS "claimId", c.outcome_status AS "outcomeStatus"
       FROM runs r LEFT JOIN run_claims c ON c.run_id = r.id AND c.released_at IS NULL
       WHERE r.feedback_id IN (${feedbackIds.map(() => "?").join(", ")})
         AND NOT EXISTS (SELECT 1 FROM runs n
           WHERE n.feedback_id = r.feedback_id AND (n.created_at, n.id) > (r.created_at, r.id))`),
      ...feedbackIds,
    ),

  /** The newest claims, those that are held first. */
  claims: (reader: Reader, feedbackId: string, most: number) =>
    reader.all<LifeClaimRow>(
      `SELECT c.id, c.run_id AS "runId", c.worker, t.label AS "tokenLabel", c.claimed_at AS "claimedAt",
              c.released_at AS "releasedAt", ${emailOf("c.released_by")} AS "releasedBy", c.resumed_as AS "resumedAs", c.progress_count AS "progressCount",
              c.outcome_status AS "outcomeStatus", c.outcome_summary AS "outcomeSummary",
              c.outcome_links AS "outcomeLinks", c.outcome_at AS "outcomeAt"
       FROM runs r JOIN run_claims c ON c.run_id = r.id
       LEFT JOIN tokens t ON t.id = c.token_id
       WHERE r.feedback_id = ? ORDER BY c.released_at IS NOT NULL, c.claimed_at DESC, c.id DESC LIMIT ?`,
      feedbackId,
      most,
    ),

  /** The newest steps of progress. */
  progress: (reader: Reader, feedbackId: string, most: number) =>
    reader.all<LifeProgressRow>(
      `SELECT p.id, p.claim_id AS "claimId", p.text, p.created_at AS "createdAt"
       FROM runs r JOIN run_claims c ON c.run_id = r.id JOIN run_progress p ON p.claim_id = c.id
       WHERE r.feedback_id = ? ORDER BY p.created_at DESC, p.id DESC LIMIT ?`,
      feedbackId,
      most,
    ),
};
