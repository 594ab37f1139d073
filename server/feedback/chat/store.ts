import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";

interface NewDelivery {
  readonly id: string;
  readonly appId: string;
  readonly kind: "chat";
  /** The id of the proposal that the message is about. */
  readonly subjectId: string;
  readonly target: string;
  readonly payload: string;
  readonly createdAt: string;
}

export interface Delivery {
  readonly id: string;
  readonly appId: string;
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

/** Selects due deliveries to the chat of an app: at most how many, and until when they are reserved. */
interface OutboxClaim {
  readonly now: string;
  readonly until: string;
  readonly most: number;
}

/**
 * Outgoing messages. A message is stored in the same transaction as the change that it reports. It is sent after the
 * commit.
 */
export const outbox = {
  insert: (tx: Transaction, delivery: NewDelivery) =>
    tx.insert(tables.outbox, { ...delivery, status: "pending", attempts: 0, dueAt: delivery.createdAt }),

  /**
   * Returns the apps with due deliveries to their chats that are not in `busy`. The apps whose deliveries have waited
   * longest come first.
   */
  dueApps: (reader: Reader, now: string, busy: readonly string[], most: number) =>
    reader.all<{ appId: string }>(
      `SELECT app_id AS "appId" FROM outbox WHERE status = 'pending' AND kind = 'chat' AND due_at <= ?
         ${busy.length === 0 ? "" : `AND app_id NOT IN (${busy.map(() => "?").join(", ")})`}
       GROUP BY app_id ORDER BY min(due_at) LIMIT ?`,
      ...[now, ...busy, most],
    ),

  /** Returns due deliveries of an app and reserves them until `until`, so that no other server sends them too. */
  claimDue: (tx: Transaction, appId: string, { now, until, most }: OutboxClaim) =>
    tx.all<Delivery>(
      `UPDATE outbox SET due_at = ?, attempts = attempts + 1
       WHERE status = 'pending' AND due_at <= ? AND id IN (
         SELECT id FROM outbox WHERE status = 'pending' AND kind = 'chat' AND app_id = ? AND due_at <= ?
         ORDER BY due_at LIMIT ?)
       RETURNING id, app_id AS "appId", kind, target, payload, attempts, created_at AS "createdAt"`,
      ...[until, now, appId, now, most],
    ),

  /**
   * Marks all pending deliveries as sent but does not send them. The development server uses this. Returns their
   * number.
   */
  capture: (tx: Transaction, at: string) =>
    tx.run(
      "UPDATE outbox SET status = 'sent', sent_at = ?, attempts = attempts + 1 WHERE status = 'pending'",
      at,
    ),

  /** Returns the newest deliveries, newest first. */
  latest: (reader: Reader, most: number) =>
    reader.all<LatestMessage>(
      `SELECT id, app_id AS "appId", kind, subject_id AS "subjectId", target, payload, status,
              created_at AS "createdAt", sent_at AS "sentAt"
       FROM outbox ORDER BY created_at DESC, id DESC LIMIT ?`,
      most,
    ),

  markSent: (tx: Transaction, id: string, at: string) =>
    tx.run("UPDATE outbox SET status = 'sent', sent_at = ?, last_error = NULL WHERE id = ?", at, id),

  postpone: (
    tx: Transaction,
    id: string,
    { dueAt, error }: { readonly dueAt: string; readonly error: string },
  ) => tx.run("UPDATE outbox SET due_at = ?, last_error = ? WHERE id = ?", dueAt, error, id),

  giveUp: (tx: Transaction, id: string, error: string) =>
    tx.run("UPDATE outbox SET status = 'failed', last_error = ? WHERE id = ?", error, id),

  /** Deletes deliveries that were sent or given up before a time, at most `most`. Returns their number. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM outbox WHERE id IN (
         SELECT id FROM outbox WHERE status IN ('sent', 'failed') AND due_at < ? LIMIT ?)`,
      before,
      most,
    ),

  /** Returns when the next pending delivery of an app that is not in `busy` is due. */
  nextDue: (reader: Reader, busy: readonly string[]) =>
    reader.get<{ dueAt: string }>(
      `SELECT due_at AS "dueAt" FROM outbox WHERE status = 'pending' AND kind = 'chat'
         ${busy.length === 0 ? "" : `AND app_id NOT IN (${busy.map(() => "?").join(", ")})`}
       ORDER BY due_at LIMIT 1`,
      ...busy,
    ),
};

/** The state of the delivery of a proposal's message to the app's chat channel. */
export interface DeliveryRow {
  readonly proposalId: string;
  readonly status: "pending" | "sent" | "failed";
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

/** The deliveries of messages to chat channels. */
export const deliveries = {
  /** Returns the deliveries for all proposals of a thread, oldest first. */
  list: (reader: Reader, feedbackId: string) =>
    reader.all<DeliveryRow>(
      `SELECT o.subject_id AS "proposalId", o.status, o.attempts, o.last_error AS "lastError",
              o.created_at AS "createdAt", o.sent_at AS "sentAt"
       FROM runs r JOIN outbox o ON o.subject_id = r.id
       WHERE r.feedback_id = ? AND o.kind = 'chat' ORDER BY o.created_at, o.id`,
      feedbackId,
    ),
};
