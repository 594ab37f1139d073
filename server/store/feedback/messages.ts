import type { MessageAuthor } from "../../../src/contract/agent.ts";
import type { Transaction } from "../engine/database.ts";

export interface NewMessage {
  readonly id: string;
  readonly feedbackId: string;
  readonly direction: "inbound" | "outbound" | "note";
  /** Who wrote it; left out: the sender what is inbound, the team all else. */
  readonly author?: MessageAuthor;
  readonly body: string;
  readonly createdAt: string;
}

/** What a repeat keeps of its own report. `metadata` and `files` are JSON. */
export interface RepeatedReport {
  readonly category: string;
  /** As the sender wrote it; null where there was none. */
  readonly subject: string | null;
  readonly source: string | null;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly metadata: string;
  readonly files: string;
}

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
