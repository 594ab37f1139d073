import type { Reader } from "../../database/database.ts";

/** The state of the message about a proposal to the app's chat channel. */
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
  /** The deliveries for all proposals of a thread, oldest first. */
  list: (reader: Reader, feedbackId: string) =>
    reader.all<DeliveryRow>(
      `SELECT o.subject_id AS "proposalId", o.status, o.attempts, o.last_error AS "lastError",
              o.created_at AS "createdAt", o.sent_at AS "sentAt"
       FROM runs r JOIN outbox o ON o.subject_id = r.id
       WHERE r.feedback_id = ? AND o.kind = 'chat' ORDER BY o.created_at, o.id`,
      feedbackId,
    ),
};
