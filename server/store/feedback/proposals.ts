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

export const proposals = {
  find: (reader: Reader, id: string, viewer: Viewer) =>
    reader.get<ProposalRow>(
      `SELECT ${columns} FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id
       WHERE r.id = ? AND a.owner_id = ? AND f.app_id = coalesce(?, f.app_id)`,
      id,
      viewer.userId,
      viewer.appId,
    ),

  /** A run and whose it is. */
  findOwned: (reader: Reader, id: string) =>
    reader.get<OwnedProposal>(
      `SELECT ${columns}, a.owner_id AS "ownerId"
       FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id WHERE r.id = ?`,
      id,
    ),

  /** The newest run of a thread, and when it was made. */
  newest: (tx: Transaction, feedbackId: string) =>
    tx.get<{ id: string; at: string }>(
      "SELECT id, created_at AS at FROM runs WHERE feedback_id = ? ORDER BY created_at DESC, id DESC LIMIT 1",
      feedbackId,
    ),

  insert: (tx: Transaction, run: NewProposalRow) =>
    tx.insert("runs", {
      id: run.id,
      feedback_id: run.feedbackId,
      status: "awaiting_approval",
      summary: run.summary,
      plan: run.plan,
      created_at: run.createdAt,
    }),

  /** Ends what still awaits approval on a thread, because a newer run takes its place. Gives the ids of the ended. */
  replace: (tx: Transaction, feedbackId: string, newer: { id: string; note: string; at: string }) =>
    tx.all<{ id: string }>(
      `UPDATE runs SET status = 'rejected', decision_note = ?, decided_at = ?, replaced_by = ?
       WHERE feedback_id = ? AND status = 'awaiting_approval' RETURNING id`,
      newer.note,
      newer.at,
      newer.id,
      feedbackId,
    ),

  /** Decides a run that still awaits approval; undefined where it no longer does, whoever was first. */
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
