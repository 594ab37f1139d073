import type { Reader, Transaction } from "../engine/database.ts";
import type { Viewer } from "./feedback.ts";

export interface ProposalRow {
  readonly id: string;
  readonly feedbackId: string;
  readonly appId: string;
  readonly summary: string;
  readonly plan: string;
  readonly status: "awaiting_approval" | "approved" | "rejected";
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly replacedBy: string | null;
}

export interface OwnedProposal extends ProposalRow {
  readonly ownerId: string;
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
  readonly note: string | null;
  readonly at: string;
  readonly by: string;
}

const columns = `r.id, r.feedback_id AS "feedbackId", f.app_id AS "appId", r.summary, r.plan, r.status, r.decision_note AS "decisionNote",
  r.decided_at AS "decidedAt", r.replaced_by AS "replacedBy"`;

/** The proposals of agents, which are rows of the table `runs`. */
export const proposals = {
  find: (reader: Reader, id: string, viewer: Viewer) =>
    reader.get<ProposalRow>(
      `SELECT ${columns} FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id
       WHERE r.id = ? AND a.owner_id = ? AND f.app_id = coalesce(?, f.app_id)`,
      id,
      viewer.userId,
      viewer.appId,
    ),

  /** A proposal and the owner of its app. */
  findOwned: (reader: Reader, id: string) =>
    reader.get<OwnedProposal>(
      `SELECT ${columns}, a.owner_id AS "ownerId"
       FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id WHERE r.id = ?`,
      id,
    ),

  /** The newest proposal of a thread, and when it was created. */
  newest: (tx: Transaction, feedbackId: string) =>
    tx.get<{ id: string; at: string }>(
      "SELECT id, created_at AS at FROM runs WHERE feedback_id = ? ORDER BY created_at DESC, id DESC LIMIT 1",
      feedbackId,
    ),

  insert: (tx: Transaction, proposal: NewProposalRow) =>
    tx.insert("runs", {
      id: proposal.id,
      feedback_id: proposal.feedbackId,
      status: "awaiting_approval",
      summary: proposal.summary,
      plan: proposal.plan,
      created_at: proposal.createdAt,
    }),

  /** Rejects the waiting proposals of a thread, because a newer one replaces them. Gives their ids. */
  replace: (tx: Transaction, feedbackId: string, newer: { id: string; note: string; at: string }) =>
    tx.all<{ id: string }>(
      `UPDATE runs SET status = 'rejected', decision_note = ?, decided_at = ?, replaced_by = ?
       WHERE feedback_id = ? AND status = 'awaiting_approval' RETURNING id`,
      newer.note,
      newer.at,
      newer.id,
      feedbackId,
    ),

  /** Decides a proposal that still awaits approval; undefined if it no longer does. */
  decide: (tx: Transaction, id: string, decided: DecidedProposal) =>
    tx.get<{ id: string }>(
      `UPDATE runs SET status = ?, decision_note = ?, decided_at = ?, decided_by = ?
       WHERE id = ? AND status = 'awaiting_approval' RETURNING id`,
      decided.status,
      decided.note,
      decided.at,
      decided.by,
      id,
    ),
};
