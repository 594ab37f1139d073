import type { MessageAuthor } from "../../../src/contract/agent.ts";
import { limits } from "../../../src/contract/limits.ts";
import { emailOf } from "../../access/members/authors.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { noteActivity } from "../unread/store/activity.ts";

export interface NewMessage {
  readonly id: string;
  readonly feedbackId: string;
  /** `blocked`: from a blocked sender, and hidden. */
  readonly direction: "inbound" | "outbound" | "note" | "blocked";
  /** The block that hides it. */
  readonly blockedBy?: string | undefined;
  /** The default is the sender for an inbound message and the team for all others. */
  readonly author?: MessageAuthor;
  /** The account of the member who wrote it. */
  readonly authorId?: string | null;
  readonly body: string;
  readonly createdAt: string;
  /** The report that a reply is for, or whose sender answers. */
  readonly reportId?: string | null;
  /** 1 if a reply is for the senders of all reports on the thread. */
  readonly everyone?: number;
  /** The address from which an answer was mailed, if it is not the sender's. */
  readonly foreignFrom?: string | null;
  /** JSON; only of answers and of repeats. */
  readonly files?: string | null;
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

/** Who wrote a message on a thread, and when. */
export interface MessageRow extends Pick<NewMessage, "id" | "direction" | "createdAt"> {
  readonly author: string;
  readonly authorId: string | null;
  /** The e-mail address of the member who wrote it; null for an account that was deleted, and for all others. */
  readonly email: string | null;
  /** 1 if it is a report that repeats the first one. */
  readonly isRepeat: number;
}

/** The messages of threads. */
export const messages = {
  /** Other messages to the thread wait until this transaction ends. Must come before each change of the thread's row. */
  lock: (tx: Transaction, feedbackId: string) => tx.lock(feedbackId),

  async insert(tx: Transaction, message: NewMessage): Promise<void> {
    await messages.lock(tx, message.feedbackId);
    await tx.insert("messages", columnsOf(message));
    if (message.direction !== "blocked")
      await noteActivity(tx, message.feedbackId, { at: message.createdAt, by: message.authorId });
  },

  async insertRepeat(tx: Transaction, message: NewMessage, report: RepeatedReport): Promise<void> {
    await tx.insert("messages", {
      ...columnsOf(message),
      category: report.category,
      subject: report.subject,
      source: report.source,
      sender_name: report.senderName,
      sender_email: report.senderEmail,
      metadata: report.metadata,
      files: report.files,
    });
    if (message.direction !== "blocked")
      await noteActivity(tx, message.feedbackId, { at: message.createdAt });
  },

  /** The newest messages that the thread shows, in their order. */
  list: async (reader: Reader, feedbackId: string): Promise<MessageRow[]> => {
    const newest = await reader.all<MessageRow>(
      `SELECT id, direction, author, author_id AS "authorId", ${emailOf("m.author_id")} AS email,
         created_at AS "createdAt", CASE WHEN category IS NULL THEN 0 ELSE 1 END AS "isRepeat"
       FROM messages m WHERE feedback_id = ? AND direction <> 'blocked' ORDER BY created_at DESC, id DESC LIMIT ?`,
      feedbackId,
      limits.threadMessages,
    );
    return newest.reverse();
  },
};

const columnsOf = ({ id, feedbackId, direction, author, body, createdAt, ...more }: NewMessage) => ({
  id,
  feedback_id: feedbackId,
  direction,
  author: author ?? (direction === "inbound" || direction === "blocked" ? "sender" : "team"),
  author_id: more.authorId ?? null,
  body,
  created_at: createdAt,
  report_id: more.reportId ?? null,
  everyone: more.everyone ?? 0,
  foreign_from: more.foreignFrom ?? null,
  files: more.files ?? null,
  blocked_by: more.blockedBy ?? null,
});
