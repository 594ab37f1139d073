import type { MessageAuthor } from "../../../src/contract/agent.ts";
import { limits } from "../../../src/contract/limits.ts";
import { eachReportText, type ReportTexts } from "../../../src/contract/report-texts.ts";
import { emailOf } from "../../access/members/authors.ts";
import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { answeringTopic, select } from "../../database/transaction.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import type { NotedAnswering } from "./rules.ts";

export interface NewMessage {
  readonly id: string;
  readonly feedbackId: string;
  /** `blocked` is a hidden message from a blocked sender. */
  readonly direction: "inbound" | "outbound" | "note" | "blocked";
  /** The id of the entry in the list of blocked senders that hides the message. */
  readonly blockedBy?: string | undefined;
  /** The default is `sender` for inbound and blocked messages, and `team` for all others. */
  readonly author?: MessageAuthor;
  /** The account of the member who wrote the message. */
  readonly authorId?: string | null;
  readonly body: string;
  readonly createdAt: string;
  /** The id of the report whose sender gets this reply, or has written this answer. */
  readonly reportId?: string | null;
  /** 1 if a reply is for the senders of all reports on the thread; 0 otherwise. */
  readonly everyone?: number;
  /** The address from which an answer was mailed, if it is not the address of the report's sender. */
  readonly foreignFrom?: string | null;
  /** The files as JSON. Only answers and repeated reports can have files. */
  readonly files?: string | null;
  /**
   * The id of the merged thread to which the message belongs; null if the message belongs to `feedbackId`
   * itself.
   */
  readonly originId?: string | null;
}

/** A repeated report, which is stored as a message. `metadata`, `metadataDropped` and `files` are JSON. */
export interface RepeatedReport extends ReportTexts {
  readonly category: string;
  /** The subject that the sender wrote; null if there was none. */
  readonly subject: string | null;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly metadata: string;
  readonly metadataDropped?: string | null | undefined;
  readonly files: string;
}

/** The author and the time of a message of a thread. */
export interface MessageRow extends Pick<NewMessage, "id" | "direction" | "createdAt"> {
  readonly author: string;
  readonly authorId: string | null;
  /** The mail address of the member who wrote the message; null for a deleted account, a sender or an agent. */
  readonly email: string | null;
  /** 1 if the message is a further report of the same thread; 0 otherwise. */
  readonly isRepeat: number;
  /** The first characters of the text. */
  readonly beginning: string;
}

const written = { inbound: "answer", outbound: "reply", note: undefined } as const;

/** Queries for the messages of threads. */
export const messages = {
  /** Locks a thread until the transaction ends. Call it before you change the thread or add a message. */
  lock: (tx: Transaction, feedbackId: string) => tx.lock(feedbackId),

  async insert(tx: Transaction, message: NewMessage): Promise<void> {
    await messages.lock(tx, message.feedbackId);
    await tx.insert(tables.messages, rowOf(message));
    if (message.direction !== "blocked")
      await noteActivity(tx, message.feedbackId, {
        at: message.createdAt,
        by: message.authorId,
        wrote: written[message.direction],
      });
  },

  async insertRepeat(tx: Transaction, message: NewMessage, report: RepeatedReport): Promise<void> {
    const { category, subject, senderName, senderEmail, metadata, metadataDropped, files } = report;
    const texts = eachReportText((name) => report[name]);
    const ofReport = {
      category,
      subject,
      ...texts,
      senderName,
      senderEmail,
      metadata,
      metadataDropped,
      files,
    };
    await tx.insert(tables.messages, { ...rowOf(message), ...ofReport });
    if (message.direction !== "blocked")
      await noteActivity(tx, message.feedbackId, { at: message.createdAt, wrote: "repeat" });
  },

  /** Returns the newest messages of a thread in the order of their times. Hidden messages are left out. */
  list: async (reader: Reader, feedbackId: string): Promise<MessageRow[]> => {
    const newest = await reader.all<MessageRow>(
      `SELECT id, direction, author, author_id AS "authorId", ${emailOf("m.author_id")} AS email,
         created_at AS "createdAt", CASE WHEN category IS NULL THEN 0 ELSE 1 END AS "isRepeat",
         SUBSTR(body, 1, 40) AS beginning
       FROM messages m WHERE feedback_id = ? AND direction <> 'blocked' ORDER BY created_at DESC, id DESC LIMIT ?`,
      feedbackId,
      limits.threadMessages,
    );
    return newest.reverse();
  },

  /** Returns the message that follows the message `messageId` in its thread. Hidden messages are left out. */
  after: (reader: Reader, feedbackId: string, messageId: string) =>
    reader.get<Pick<NewMessage, "id">>(
      `SELECT m.id FROM messages b JOIN messages m ON m.feedback_id = b.feedback_id AND m.direction <> 'blocked'
         AND (m.created_at, m.id) > (b.created_at, b.id)
       WHERE b.id = ? AND b.feedback_id = ? AND b.direction <> 'blocked' ORDER BY m.created_at, m.id LIMIT 1`,
      messageId,
      feedbackId,
    ),
};

const rowOf = ({ id, feedbackId, direction, author, body, createdAt, ...more }: NewMessage) => ({
  ...{ id, feedbackId, direction, body, createdAt },
  author: author ?? (direction === "inbound" || direction === "blocked" ? "sender" : "team"),
  ...{ authorId: more.authorId, reportId: more.reportId, everyone: more.everyone, files: more.files },
  ...{ foreignFrom: more.foreignFrom, blockedBy: more.blockedBy, originId: more.originId },
});

interface Writer {
  readonly userId: string;
  readonly feedbackId: string;
}

interface AnsweringRow extends NotedAnswering {
  readonly userId: string;
}

const answeringFields = ["userId", "feedbackId", "notedAt"] as const;
const ofPerson = select(tables.answeringMembers, answeringFields, "WHERE user_id = ?");
const ofThread = select(tables.answeringMembers, answeringFields, "WHERE feedback_id = ?");

/**
 * The members who are writing. A row stays after a member has stopped writing. Check each row with
 * `isAnswering`. (rule F36)
 */
export const answering = {
  /** Returns the last thread in which a member was writing, and the time. */
  find: (reader: Reader, userId: string): Promise<AnsweringRow | undefined> => reader.get(ofPerson, userId),

  /** Returns the members who are writing or were writing in a thread. */
  list: (reader: Reader, feedbackId: string): Promise<AnsweringRow[]> => reader.all(ofThread, feedbackId),

  /** Stores that a member is writing, and signals it. Does nothing if the member may not answer in this thread. */
  async note(tx: Transaction, { userId, feedbackId }: Writer, at: string): Promise<void> {
    const stored = await tx.run(
      `INSERT INTO answering_members (user_id, app_id, feedback_id, noted_at)
       SELECT v.user_id, f.app_id, f.id, ? FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE f.id = ? AND f.status <> 'blocked' AND ${membershipOf("maintainer")}
       ON CONFLICT (user_id) DO UPDATE SET app_id = excluded.app_id, feedback_id = excluded.feedback_id,
         noted_at = excluded.noted_at`,
      ...[at, feedbackId, userId],
    );
    if (stored > 0) tx.signal(answeringTopic(feedbackId));
  },

  /** Stores that a member is no longer writing in a thread, and signals it if the member was writing there. */
  async remove(tx: Transaction, { userId, feedbackId }: Writer): Promise<void> {
    const removed = await tx.run(
      "DELETE FROM answering_members WHERE user_id = ? AND feedback_id = ?",
      ...[userId, feedbackId],
    );
    if (removed > 0) tx.signal(answeringTopic(feedbackId));
  },

  /** Deletes the rows of members who stopped writing before a time. */
  prune: (tx: Transaction, before: string) =>
    tx.run("DELETE FROM answering_members WHERE noted_at < ?", before),
};
