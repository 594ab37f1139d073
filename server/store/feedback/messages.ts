import type { MessageAuthor } from "../../../src/contract/agent.ts";
import type { Transaction } from "../engine/database.ts";

export interface NewMessage {
  readonly id: string;
  readonly feedbackId: string;
  readonly direction: "inbound" | "outbound" | "note";
  /** The default is the sender for an inbound message and the team for all others. */
  readonly author?: MessageAuthor;
  readonly body: string;
  readonly createdAt: string;
}

/** The fields that the message of a repeated report stores. `metadata` and `files` are JSON. */
export interface RepeatedReport {
  readonly category: string;
  /** The subject that the sender wrote; null if there was none. */
  readonly subject: string | null;
  readonly source: string | null;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly metadata: string;
  readonly files: string;
}

/** The messages of threads. */
export const messages = {
  insert: (tx: Transaction, message: NewMessage) => tx.insert("messages", columnsOf(message)),

  insertRepeat: (tx: Transaction, message: NewMessage, report: RepeatedReport) =>
    tx.insert("messages", {
      ...columnsOf(message),
      category: report.category,
      subject: report.subject,
      source: report.source,
      sender_name: report.senderName,
      sender_email: report.senderEmail,
      metadata: report.metadata,
      files: report.files,
    }),
};

const columnsOf = ({ id, feedbackId, direction, author, body, createdAt }: NewMessage) => ({
  id,
  feedback_id: feedbackId,
  direction,
  author: author ?? (direction === "inbound" ? "sender" : "team"),
  body,
  created_at: createdAt,
});
