import type { Reader, Transaction } from "../engine/database.ts";

export interface NewDelivery {
  readonly id: string;
  readonly appId: string;
  readonly kind: "chat";
  /** What it is about: the run. */
  readonly subjectId: string;
  readonly target: string;
  readonly payload: string;
  readonly createdAt: string;
}

export interface Delivery {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
  readonly payload: string;
  readonly attempts: number;
  readonly createdAt: string;
}

export interface LatestMessage extends NewDelivery {
  readonly status: "pending" | "sent" | "failed";
  readonly sentAt: string | null;
}

/** What leaves the house, written with the change that it tells of and sent after that is committed. */
export const outbox = {
  insert: (tx: Transaction, delivery: NewDelivery) =>
    tx.insert("outbox", {
      id: delivery.id,
      app_id: delivery.appId,
      kind: delivery.kind,
      subject_id: delivery.subjectId,
      target: delivery.target,
      payload: delivery.payload,
      status: "pending",
      attempts: 0,
      due_at: delivery.createdAt,
      created_at: delivery.createdAt,
    }),

  /** Takes what is due and holds it until `until`, so that no other server sends it meanwhile. */
  claimDue: (tx: Transaction, now: string, until: string, most: number) =>
    tx.all<Delivery>(
      `UPDATE outbox SET due_at = ?, attempts = attempts + 1
       WHERE status = 'pending' AND due_at <= ? AND id IN (
         SELECT id FROM outbox WHERE status = 'pending' AND due_at <= ? ORDER BY due_at LIMIT ?)
       RETURNING id, kind, target, payload, attempts, created_at AS "createdAt"`,
      until,
      now,
      now,
      most,
    ),

  /** Marks everything as sent without sending it: a development server keeps it in the house. Gives how many there were. */
  capture: (tx: Transaction, at: string) =>
    tx.run(
      "UPDATE outbox SET status = 'sent', sent_at = ?, attempts = attempts + 1 WHERE status = 'pending'",
      at,
    ),

  /** The newest, newest first. */
  latest: (reader: Reader, most: number) =>
    reader.all<LatestMessage>(
      `SELECT id, app_id AS "appId", kind, subject_id AS "subjectId", target, payload, status,
              created_at AS "createdAt", sent_at AS "sentAt"
       FROM outbox ORDER BY created_at DESC, id DESC LIMIT ?`,
      most,
    ),

  markSent: (tx: Transaction, id: string, at: string) =>
    tx.run("UPDATE outbox SET status = 'sent', sent_at = ?, last_error = NULL WHERE id = ?", at, id),

  postpone: (tx: Transaction, id: string, dueAt: string, error: string) =>
    tx.run("UPDATE outbox SET due_at = ?, last_error = ? WHERE id = ?", dueAt, error, id),

  giveUp: (tx: Transaction, id: string, error: string) =>
    tx.run("UPDATE outbox SET status = 'failed', last_error = ? WHERE id = ?", error, id),

  /** Deletes what was settled before that instant, at most `most`. Gives how many there were. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM outbox WHERE id IN (
         SELECT id FROM outbox WHERE status IN ('sent', 'failed') AND due_at < ? LIMIT ?)`,
      before,
      most,
    ),

  /** When the next pending delivery is due. */
  nextDue: (reader: Reader) =>
    reader.get<{ dueAt: string }>(
      `SELECT due_at AS "dueAt" FROM outbox WHERE status = 'pending' ORDER BY due_at LIMIT 1`,
    ),
};
