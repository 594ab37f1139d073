import type { Reader, Transaction, Value } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";

interface NewDelivery {
  readonly id: string;
  readonly appId: string;
  readonly kind: "chat";
  /** The id of the proposal or the thread that the message is about. */
  readonly subjectId: string;
  readonly target: string;
  readonly payload: string;
  readonly createdAt: string;
}

/** The columns of an app that describe its chat. */
export interface StoredChat {
  /** The encrypted address; null if the app has no chat. */
  readonly chatWebhookUrl: string | null;
  /** Can be a format that only a newer release of the server knows. */
  readonly chatFormat: string;
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

/** Selects at most `most` deliveries that are due at `now`, and reserves them until `until`. */
interface OutboxClaim {
  readonly now: string;
  readonly until: string;
  readonly most: number;
}

/** The stored reason for a delivery that is cancelled because the app now has another chat or none. */
export const chatChanged = "The chat of the app was changed";

/** Replaces the body of a delivery that was sent or cancelled. */
const noBody = "{}";

/**
 * Outgoing messages. A message is stored in the transaction of the change that it reports, and sent after the
 * transaction.
 */
export const outbox = {
  insert: (tx: Transaction, delivery: NewDelivery) =>
    tx.insert(tables.outbox, { ...delivery, status: "pending", attempts: 0, dueAt: delivery.createdAt }),

  /** Returns at most `most` apps with due deliveries, except `busy`. The app that has waited longest comes first. */
  dueApps: (reader: Reader, now: string, busy: readonly string[], most: number) =>
    reader.all<{ appId: string }>(
      `SELECT app_id AS "appId" FROM outbox WHERE status = 'pending' AND kind = 'chat' AND due_at <= ?
         ${busy.length === 0 ? "" : `AND app_id NOT IN (${busy.map(() => "?").join(", ")})`}
       GROUP BY app_id ORDER BY min(due_at) LIMIT ?`,
      ...[now, ...busy, most],
    ),

  chatOf: (reader: Reader, appId: string) =>
    reader.get<StoredChat>(
      `SELECT chat_webhook_url AS "chatWebhookUrl", chat_format AS "chatFormat" FROM apps WHERE id = ?`,
      appId,
    ),

  /**
   * Returns due deliveries of an app. Reserves these deliveries until `until`, so that no other server sends
   * them.
   */
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
   * Marks all pending deliveries as sent without sending them, for the development server. Returns their
   * number.
   */
  capture: (tx: Transaction, at: string) =>
    tx.run(
      "UPDATE outbox SET status = 'sent', sent_at = ?, attempts = attempts + 1 WHERE status = 'pending'",
      at,
    ),

  /** Returns at most `most` deliveries, newest first. */
  latest: (reader: Reader, most: number) =>
    reader.all<LatestMessage>(
      `SELECT id, app_id AS "appId", kind, subject_id AS "subjectId", target, payload, status,
              created_at AS "createdAt", sent_at AS "sentAt"
       FROM outbox ORDER BY created_at DESC, id DESC LIMIT ?`,
      most,
    ),

  /** Stores that a delivery was sent, and deletes its body. (rule N8) */
  markSent: (tx: Transaction, id: string, at: string) =>
    tx.run(
      `UPDATE outbox SET status = 'sent', sent_at = ?, last_error = NULL, payload = '${noBody}' WHERE id = ?`,
      at,
      id,
    ),

  postpone: (
    tx: Transaction,
    id: string,
    { dueAt, error }: { readonly dueAt: string; readonly error: string },
  ) =>
    tx.run(
      "UPDATE outbox SET due_at = ?, last_error = ? WHERE id = ? AND status = 'pending'",
      ...[dueAt, error, id],
    ),

  /** Marks a pending delivery as failed, and deletes its body. */
  giveUp: (tx: Transaction, id: string, error: string) => giveUp(tx, "id = ?", error, id),

  /** Marks all pending deliveries of an app as failed, and deletes their bodies. */
  giveUpAll: (tx: Transaction, appId: string, error: string) => giveUp(tx, "app_id = ?", error, appId),

  /**
   * Erases the texts of all deliveries about `id`: a thread, a proposal, or a report in a merged thread.
   * (rules P3, P4, N8)
   */
  async forgetWords(tx: Transaction, id: string): Promise<void> {
    const about = `subject_id IN (
      SELECT CAST(? AS TEXT) UNION ALL SELECT id FROM runs WHERE feedback_id = ?
      UNION ALL SELECT r.id FROM messages m JOIN runs r ON r.feedback_id = m.feedback_id AND r.origin_id = m.id
        WHERE m.id = ?)`;
    const ids = [id, id, id];
    await giveUp(tx, about, "Text in this message was erased", ...ids);
    await tx.run(`UPDATE outbox SET payload = '${noBody}' WHERE ${about} AND status <> 'pending'`, ...ids);
  },

  /**
   * Deletes at most `most` deliveries that were sent or have failed, and were due before `before`. Returns
   * their number.
   */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM outbox WHERE id IN (
         SELECT id FROM outbox WHERE status IN ('sent', 'failed') AND due_at < ? LIMIT ?)`,
      before,
      most,
    ),

  /** Returns the time at which the next pending delivery is due. Apps in `busy` are left out. */
  nextDue: (reader: Reader, busy: readonly string[]) =>
    reader.get<{ dueAt: string }>(
      `SELECT due_at AS "dueAt" FROM outbox WHERE status = 'pending' AND kind = 'chat'
         ${busy.length === 0 ? "" : `AND app_id NOT IN (${busy.map(() => "?").join(", ")})`}
       ORDER BY due_at LIMIT 1`,
      ...busy,
    ),
};

const giveUp = (tx: Transaction, where: string, error: string, ...values: Value[]) =>
  tx.run(
    `UPDATE outbox SET status = 'failed', last_error = ?, payload = '${noBody}' WHERE ${where} AND status = 'pending'`,
    ...[error, ...values],
  );

/** The delivery of a message about a proposal. */
export interface DeliveryRow {
  readonly proposalId: string;
  readonly status: "pending" | "sent" | "failed";
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly sentAt: string | null;
}

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
