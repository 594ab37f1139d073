import type { AuditActionName } from "../../../src/contract/audit.ts";
import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";
import { audit } from "../../access/audit/store.ts";
import { emailOf } from "../../access/members/authors.ts";
import { oneForViewer, ownersOf, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { plannedEachTime, proposalTopic } from "../../database/transaction.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { isNewer, newestFirst } from "../threads/store/threads.ts";
import { noteActivity } from "../unread/store/read-marks.ts";

/** Queries for expired approvals. */
export const expiredApprovals = {
  /** Returns at most `most` approvals of all apps that have expired but are not stored as expired yet. */
  list: (reader: Reader, now: Date, most: number) =>
    reader.all<{ id: string }>(
      "SELECT id FROM runs WHERE status = 'approved' AND expires_at <= ? ORDER BY expires_at LIMIT ?",
      now.toISOString(),
      most,
    ),

  /** Stores the expiry of an approval, with audit entry and event. Returns false if it has not expired. (rule A23) */
  async store(
    tx: Transaction,
    run: Pick<OwnedProposal, "id" | "appId" | "feedbackId" | "accountId">,
    { now, newId }: Recording,
  ): Promise<boolean> {
    if (!(await proposals.expire(tx, run.id, now.toISOString()))) return false;
    await recordServerStep(tx, run, { action: "run.expire", decision: "expired", now, newId });
    return true;
  },
};

export interface Recording {
  readonly now: Date;
  readonly newId: () => string;
}

/**
 * Records a step of the server in the audit log and the thread's activity. A decision also gets an event.
 * (rules A26, A27)
 */
export async function recordServerStep(
  tx: Transaction,
  run: Pick<OwnedProposal, "id" | "appId" | "feedbackId" | "accountId">,
  step: { readonly action: AuditActionName; readonly decision?: RunDecision } & Recording,
): Promise<void> {
  const { action, decision, newId } = step;
  const at = step.now.toISOString();
  await noteActivity(tx, run.feedbackId, { at, ofProposal: true });
  const { accountId: ownerId, appId, feedbackId, id: target } = run;
  const entry = { id: newId(), at, ownerId, actor: "server", action, appId, target };
  await audit.insert(tx, { ...entry, address: null });
  tx.signal(proposalTopic(target));
  if (decision === undefined) return;
  const facts = { feedbackId, decision };
  await recordEvent({ newId }, tx, { appId, type: "run.decided", subjectId: target, facts, at });
}

/** A proposal with its claim that is not released. If all claims are released, the row contains the last claim. */
export interface ProposalRow extends ClaimColumns {
  readonly id: string;
  readonly feedbackId: string;
  readonly appId: string;
  readonly summary: string;
  readonly plan: string;
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly replacedBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** The time at which an agent first read the approval. */
  readonly firstReadAt: string | null;
  /** The number of hours for which an approval is valid in this app; null for no limit. */
  readonly approvalHours: number | null;
  /** The account ids of the app's owners, separated by spaces. */
  readonly owners: string;
}

/** The columns of a claim. All are null if nobody has claimed the proposal. */
interface ClaimColumns {
  readonly claimId: string | null;
  readonly worker: string | null;
  readonly claimedAt: string | null;
  readonly releasedAt: string | null;
  readonly progressCount: number | null;
  readonly progressText: string | null;
  readonly progressAt: string | null;
  readonly outcomeStatus: "succeeded" | "failed" | null;
  readonly outcomeSummary: string | null;
  /** A JSON array of the links that the worker reported. */
  readonly outcomeLinks: string | null;
  readonly outcomeAt: string | null;
}

export interface OwnedProposal extends ProposalRow {
  /** The account whose audit log contains the steps that the server makes in this app. */
  readonly accountId: string;
}

export interface NewProposalRow {
  readonly id: string;
  readonly feedbackId: string;
  readonly summary: string;
  readonly plan: string;
  readonly createdAt: string;
}

interface DecidedProposal {
  readonly status: "approved" | "rejected";
  readonly decision: RunDecision;
  readonly note: string | null;
  readonly at: string;
  /** The account of the person who decides; null if the server decides. */
  readonly by: string | null;
  readonly expiresAt: string | null;
  /** The token of an agent that waits for the decision and will read it immediately. */
  readonly readBy?: string | null;
}

type FirstRead = Pick<ProposalRow, "firstReadAt">;

/** SQL: the agent's token exists, and its account is still an owner of the app. */
const mayStillRead = `EXISTS (SELECT 1 FROM tokens t JOIN app_members o ON o.user_id = t.user_id AND o.role = 'owner'
  WHERE t.id = ? AND t.kind = 'agent' AND o.app_id = runs.app_id)`;

const proposalColumns = `r.id, r.feedback_id AS "feedbackId", f.app_id AS "appId", r.summary, r.plan, r.status, r.decision,
  r.decision_note AS "decisionNote", r.decided_at AS "decidedAt", r.replaced_by AS "replacedBy",
  r.created_at AS "createdAt", r.expires_at AS "expiresAt", r.first_read_at AS "firstReadAt",
  a.approval_hours AS "approvalHours", c.id AS "claimId", c.worker, c.claimed_at AS "claimedAt",
  c.released_at AS "releasedAt", c.progress_count AS "progressCount", c.progress_text AS "progressText",
  c.progress_at AS "progressAt", c.outcome_status AS "outcomeStatus", c.outcome_summary AS "outcomeSummary",
  c.outcome_links AS "outcomeLinks", c.outcome_at AS "outcomeAt", ${ownersOf("a.id")} AS owners`;

const proposalTables = `FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id
  LEFT JOIN run_claims c ON c.id = (
    SELECT id FROM run_claims WHERE run_id = r.id ORDER BY released_at IS NOT NULL, claimed_at DESC, id DESC LIMIT 1)`;

const proposalOf = oneForViewer<ProposalRow>({
  columns: proposalColumns,
  from: proposalTables,
  app: "f.app_id",
  where: "r.id = ?",
});

/** Queries for the proposals of agents, which are in the table `runs`. (rule A15) */
export const proposals = {
  find: (reader: Reader, id: string, viewer: Viewer) => proposalOf(reader, viewer, id),

  /** Returns a proposal with the account of its app. Does not check who may read the proposal. */
  findOwned: (reader: Reader, id: string) =>
    reader.get<OwnedProposal>(
      `SELECT ${proposalColumns}, a.owner_id AS "accountId" ${proposalTables} WHERE r.id = ?`,
      id,
    ),

  /** Returns the id of a thread's newest proposal, and the time at which it was created. */
  newest: (tx: Transaction, feedbackId: string) =>
    tx.get<{ id: string; at: string }>(
      `SELECT r.id, r.created_at AS at FROM runs r WHERE r.feedback_id = ? ORDER BY ${newestFirst("r")} LIMIT 1`,
      feedbackId,
    ),

  insert: (tx: Transaction, proposal: NewProposalRow) =>
    tx.run(
      `INSERT INTO runs (id, feedback_id, app_id, status, summary, plan, created_at)
       SELECT ?, id, app_id, 'awaiting_approval', ?, ?, ? FROM feedback WHERE id = ?`,
      proposal.id,
      proposal.summary,
      proposal.plan,
      proposal.createdAt,
      proposal.feedbackId,
    ),

  /** Rejects the proposals of a thread that await approval, because a newer proposal replaces them. (rule A3) */
  replace: (tx: Transaction, feedbackId: string, newer: { id: string; note: string; at: string }) =>
    tx.all<{ id: string }>(
      `UPDATE runs SET status = 'rejected', decision = 'replaced', decision_note = ?, decided_at = ?, replaced_by = ?
       WHERE feedback_id = ? AND status = 'awaiting_approval' RETURNING id`,
      newer.note,
      newer.at,
      newer.id,
      feedbackId,
    ),

  /**
   * Stores a decision. Returns the time of the first read; undefined if the proposal no longer awaits approval.
   * (rule A4)
   */
  async decide(tx: Transaction, id: string, decided: DecidedProposal): Promise<FirstRead | undefined> {
    const { status, decision, note, at, by, expiresAt, readBy = null } = decided;
    // The approval has its own columns, because a later recall or expiry overwrites the columns of the decision.
    const approval = status === "approved" ? [by, at, note, readBy, at] : [null, null, null, null, null];
    return tx.get<FirstRead>(
      `UPDATE runs SET status = ?, decision = ?, decision_note = ?, decided_at = ?, decided_by = ?, expires_at = ?,
         approved_by = ?, approved_at = ?, approval_note = ?, first_read_at = CASE WHEN ${mayStillRead} THEN CAST(? AS TEXT) END
       WHERE id = ? AND status = 'awaiting_approval' RETURNING first_read_at AS "firstReadAt"`,
      ...[status, decision, note, at, by, expiresAt],
      ...approval,
      id,
    );
  },

  recall: (tx: Transaction, id: string, { note, at, by }: Pick<DecidedProposal, "note" | "at" | "by">) =>
    tx.run(
      `UPDATE runs SET status = 'rejected', decision = 'recalled', decision_note = ?, decided_at = ?, decided_by = ?,
         expires_at = NULL
       WHERE id = ? AND status = 'approved'`,
      note,
      at,
      by,
      id,
    ),

  /** Stores that an approval has expired, if its validity ended at `now` or earlier. Returns whether it has expired. */
  expire: async (tx: Transaction, id: string, now: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE runs SET status = 'rejected', decision = 'expired', decided_at = expires_at
       WHERE id = ? AND status = 'approved' AND expires_at <= ?`,
      id,
      now,
    )) > 0,

  /** Sets the time at which an approval expires. Does nothing if the proposal is not approved. */
  setExpiry: (tx: Transaction, id: string, expiresAt: string | null) =>
    tx.run("UPDATE runs SET expires_at = ? WHERE id = ? AND status = 'approved'", expiresAt, id),

  /** Stores `at` as the time of the first read of a valid approval. Returns false if nothing was stored. */
  markRead: async (tx: Transaction, id: string, at: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE runs SET first_read_at = ? WHERE id = ? AND status = 'approved' AND first_read_at IS NULL
         AND (expires_at IS NULL OR expires_at > ?)`,
      at,
      id,
      at,
    )) > 0,

  /** Returns the newest proposal of the same thread that is newer than `run` and is or was approved. */
  newerApproval: (tx: Transaction, run: Pick<ProposalRow, "id" | "feedbackId" | "createdAt">) =>
    tx.get<{ id: string }>(
      `SELECT id FROM runs WHERE feedback_id = ? AND (created_at, id) > (?, ?) AND origin_id IS NULL
         AND decision IN ('approve', 'recalled', 'expired')
       ORDER BY created_at DESC, id DESC LIMIT 1`,
      run.feedbackId,
      run.createdAt,
      run.id,
    ),
};

export interface LifeRow {
  readonly runId: string;
  /** The mail address of the person who decided last. */
  readonly decidedBy: string | null;
  readonly expiresAt: string | null;
  readonly firstReadAt: string | null;
  /** The mail address of the person who approved. The address is kept if the approval is recalled or expires. */
  readonly approvedBy: string | null;
  readonly approvedAt: string | null;
  readonly approvalNote: string | null;
}

export interface NewestRunRow {
  readonly feedbackId: string;
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly decidedAt: string | null;
  readonly expiresAt: string | null;
  /** The claim that is not released; null if there is none. */
  readonly claimId: string | null;
  readonly outcomeStatus: "succeeded" | "failed" | null;
}

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
  /** A JSON array of the links that the worker reported. */
  readonly outcomeLinks: string | null;
  readonly outcomeAt: string | null;
}

export interface LifeProgressRow {
  readonly id: string;
  readonly claimId: string;
  readonly text: string;
  readonly createdAt: string;
}

/** Queries for the decisions, claims and progress reports of the proposals of a thread. */
export const runLives = {
  list: (reader: Reader, feedbackId: string) =>
    reader.all<LifeRow>(
      `SELECT r.id AS "runId", ${emailOf("r.decided_by")} AS "decidedBy", r.expires_at AS "expiresAt", r.first_read_at AS "firstReadAt",
              ${emailOf("r.approved_by")} AS "approvedBy", r.approved_at AS "approvedAt", r.approval_note AS "approvalNote"
       FROM runs r
       WHERE r.feedback_id = ?`,
      feedbackId,
    ),

  /** Returns the newest proposal of each of these threads. */
  newest: (reader: Reader, feedbackIds: readonly string[]) =>
    reader.all<NewestRunRow>(
      plannedEachTime(`SELECT r.feedback_id AS "feedbackId", r.status, r.decision, r.decided_at AS "decidedAt",
              r.expires_at AS "expiresAt", c.id AS "claimId", c.outcome_status AS "outcomeStatus"
       FROM runs r LEFT JOIN run_claims c ON c.run_id = r.id AND c.released_at IS NULL
       WHERE r.feedback_id IN (${feedbackIds.map(() => "?").join(", ")})
         AND NOT EXISTS (SELECT 1 FROM runs n
           WHERE n.feedback_id = r.feedback_id AND ${isNewer("n", "r")})`),
      ...feedbackIds,
    ),

  /** Returns at most `most` claims. Claims that are not released come first, then the newest. */
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

  /** Returns at most `most` progress reports, newest first. */
  progress: (reader: Reader, feedbackId: string, most: number) =>
    reader.all<LifeProgressRow>(
      `SELECT p.id, p.claim_id AS "claimId", p.text, p.created_at AS "createdAt"
       FROM runs r JOIN run_claims c ON c.run_id = r.id JOIN run_progress p ON p.claim_id = c.id
       WHERE r.feedback_id = ? ORDER BY p.created_at DESC, p.id DESC LIMIT ?`,
      feedbackId,
      most,
    ),
};
