import type { RunDecision, RunStatus } from "../../../src/contract/runs.ts";
import { oneForViewer, ownersOf, type Viewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";

/** A proposal with its claim: the one that is held, or else the last one. */
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
  /** When an agent first read the approval. */
  readonly firstReadAt: string | null;
  /** For how many hours the app lets an approval be good. */
  readonly approvalHours: number | null;
  /** The ids of the app's owners, between spaces. */
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
  /** A JSON array. */
  readonly outcomeLinks: string | null;
  readonly outcomeAt: string | null;
}

export interface OwnedProposal extends ProposalRow {
  /** The account in whose audit the app's own deeds stand. */
  readonly accountId: string;
}

export interface NewProposalRow {
  readonly id: string;
  readonly feedbackId: string;
  readonly summary: string;
  readonly plan: string;
  readonly createdAt: string;
}

export interface DecidedProposal {
  readonly status: "approved" | "rejected";
  readonly decision: RunDecision;
  readonly note: string | null;
  readonly at: string;
  /** Null if the server itself ends it. */
  readonly by: string | null;
  readonly expiresAt: string | null;
  /** The token of an agent that reads the approval at the same instant, because it waits for it. */
  readonly readBy?: string | null;
}

type FirstRead = Pick<ProposalRow, "firstReadAt">;

/** Whether the token of an agent is still good, and its person still an owner of the app. */
const mayStillRead = `EXISTS (SELECT 1 FROM tokens t JOIN app_members o ON o.user_id = t.user_id AND o.role = 'owner'
  WHERE t.id = ? AND t.kind = 'agent' AND o.app_id = runs.app_id)`;

const columns = `r.id, r.feedback_id AS "feedbackId", f.app_id AS "appId", r.summary, r.plan, r.status, r.decision,
  r.decision_note AS "decisionNote", r.decided_at AS "decidedAt", r.replaced_by AS "replacedBy",
  r.created_at AS "createdAt", r.expires_at AS "expiresAt", r.first_read_at AS "firstReadAt",
  a.approval_hours AS "approvalHours", c.id AS "claimId", c.worker, c.claimed_at AS "claimedAt",
  c.released_at AS "releasedAt", c.progress_count AS "progressCount", c.progress_text AS "progressText",
  c.progress_at AS "progressAt", c.outcome_status AS "outcomeStatus", c.outcome_summary AS "outcomeSummary",
  c.outcome_links AS "outcomeLinks", c.outcome_at AS "outcomeAt", ${ownersOf("a.id")} AS owners`;

const from = `FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id
  LEFT JOIN run_claims c ON c.id = (
    SELECT id FROM run_claims WHERE run_id = r.id ORDER BY released_at IS NOT NULL, claimed_at DESC, id DESC LIMIT 1)`;

const proposalOf = oneForViewer<ProposalRow>({ columns, from, app: "f.app_id", where: "r.id = ?" });

/** The proposals of agents, which are rows of the table `runs`. */
export const proposals = {
  find: (reader: Reader, id: string, viewer: Viewer) => proposalOf(reader, viewer, id),

  /** A proposal and the account of its app. */
  findOwned: (reader: Reader, id: string) =>
    reader.get<OwnedProposal>(`SELECT ${columns}, a.owner_id AS "accountId" ${from} WHERE r.id = ?`, id),

  /** The newest proposal of a thread, and when it was created. */
  newest: (tx: Transaction, feedbackId: string) =>
    tx.get<{ id: string; at: string }>(
      "SELECT id, created_at AS at FROM runs WHERE feedback_id = ? ORDER BY created_at DESC, id DESC LIMIT 1",
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

  /** Rejects the waiting proposals of a thread, because a newer one replaces them. Gives their ids. */
  replace: (tx: Transaction, feedbackId: string, newer: { id: string; note: string; at: string }) =>
    tx.all<{ id: string }>(
      `UPDATE runs SET status = 'rejected', decision = 'replaced', decision_note = ?, decided_at = ?, replaced_by = ?
       WHERE feedback_id = ? AND status = 'awaiting_approval' RETURNING id`,
      newer.note,
      newer.at,
      newer.id,
      feedbackId,
    ),

  /** Decides a proposal that still awaits approval, and gives the time of its first read; undefined if it no longer awaits it. */
  async decide(tx: Transaction, id: string, decided: DecidedProposal): Promise<FirstRead | undefined> {
    const { status, decision, note, at, by, expiresAt, readBy = null } = decided;
    // A recall or an expiry overwrites the decision, but not who approved.
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

  /** Takes an approval back. */
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

  /** Stores that an approval is over at `now`. Gives whether it is. */
  expire: async (tx: Transaction, id: string, now: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE runs SET status = 'rejected', decision = 'expired', decided_at = expires_at
       WHERE id = ? AND status = 'approved' AND expires_at <= ?`,
      id,
      now,
    )) > 0,

  /** When the approval expires from now on. */
  setExpiry: (tx: Transaction, id: string, expiresAt: string | null) =>
    tx.run("UPDATE runs SET expires_at = ? WHERE id = ? AND status = 'approved'", expiresAt, id),

  /** Notes when an agent first read the approval, if it is good at that time. Gives whether this was the first time. */
  markRead: async (tx: Transaction, id: string, at: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE runs SET first_read_at = ? WHERE id = ? AND status = 'approved' AND first_read_at IS NULL
         AND (expires_at IS NULL OR expires_at > ?)`,
      at,
      id,
      at,
    )) > 0,

  /** The newest proposal of the thread that is newer than this one and was ever approved. */
  newerApproval: (tx: Transaction, run: Pick<ProposalRow, "id" | "feedbackId" | "createdAt">) =>
    tx.get<{ id: string }>(
      `SELECT id FROM runs WHERE feedback_id = ? AND (created_at, id) > (?, ?)
         AND decision IN ('approve', 'recalled', 'expired')
       ORDER BY created_at DESC, id DESC LIMIT 1`,
      run.feedbackId,
      run.createdAt,
      run.id,
    ),
};
