import type { MessageAuthor } from "../../../src/contract/agent.ts";
import { limits } from "../../../src/contract/limits.ts";
import { eachReportText, type ReportTexts } from "../../../src/contract/report-texts.ts";
import { emailOf } from "../../access/members/authors.ts";
import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { answeringTopic } from "../../database/signals.ts";
import { select } from "../../database/statements.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import type { NotedAnswering } from "./rules.ts";

export interface NewMessage {
  readonly id: string;
  readonly feedbackId: string;
  /** `blocked` is a hidden message from a blocked sender. */
  readonly direction: "inbound" | "outbound" | "note" | "blocked";
  /** The id of the block that hides the message. */
  readonly blockedBy?: string | undefined;
  /** The default is the sender for an inbound message and the team for all others. */
  readonly author?: MessageAuthor;
  /** The account of the member who wrote the message. */
  readonly authorId?: string | null;
  readonly body: string;
  readonly createdAt: string;
  /**
   * For a reply: the id of the report whose sender gets it. For an answer: the id of the report whose sender wrote it.
   */
  readonly reportId?: string | null;
  /** 1 if a reply is for the senders of all reports on the thread; 0 otherwise. */
  readonly everyone?: number;
  /** The address from which an answer was mailed, if it is not the address of the report's sender. */
  readonly foreignFrom?: string | null;
  /** JSON. Only answers and repeats have files. */
  readonly files?: string | null;
  /** For a repeat of a failure whose thread was merged into this thread: the id of the merged thread. */
  readonly originId?: string | null;
}

/** The fields that a message stores for a repeated report. `metadata`, `metadataDropped` and `files` are JSON. */
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

/** Who wrote a message on a thread, and when. */
export interface MessageRow extends Pick<NewMessage, "id" | "direction" | "createdAt"> {
  readonly author: string;
  readonly authorId: string | null;
  /**
   * The e-mail address of the member who wrote the message; null if the account was deleted or the author is not a
   * member.
   */
  readonly email: string | null;
  /** 1 if the message is a report that repeats the first report of the thread; 0 otherwise. */
  readonly isRepeat: number;
}

const written = { inbound: "answer", outbound: "reply", note: undefined } as const;

/** The messages of threads. */
export const messages = {
  /**
   * Locks the thread, so that other messages to it wait until this transaction ends. Call it before each change of the
   * thread's row.
   */
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

  /** Returns the newest messages of the thread that are not hidden, oldest first. */
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

const rowOf = ({ id, feedbackId, direction, author, body, createdAt, ...more }: NewMessage) => ({
  ...{ id, feedbackId, direction, body, createdAt },
  author: author ?? (direction === "inbound" || direction === "blocked" ? "sender" : "team"),
  ...{ authorId: more.authorId, reportId: more.reportId, everyone: more.everyone, files: more.files },
  ...{ foreignFrom: more.foreignFrom, blockedBy: more.blockedBy, originId: more.originId },
});

/** A member who is writing an answer in a thread. */
interface Writer {
  readonly userId: string;
  readonly feedbackId: string;
}

/** The stored row of a member who writes. */
interface AnsweringRow extends NotedAnswering {
  readonly userId: string;
}

const answeringFields = ["userId", "feedbackId", "notedAt"] as const;
const ofPerson = select(tables.answeringMembers, answeringFields, "WHERE user_id = ?");
const ofThread = select(tables.answeringMembers, answeringFields, "WHERE feedback_id = ?");

/**
 * The stored members who write answers, each with the thread. Whether a member is still writing depends on the time in
 * the row. (rule F36)
 */
export const answering = {
  /** Returns the thread in which a member was last stored as a writer. */
  find: (reader: Reader, userId: string): Promise<AnsweringRow | undefined> => reader.get(ofPerson, userId),

  /** Returns all stored writers of a thread. */
  list: (reader: Reader, feedbackId: string): Promise<AnsweringRow[]> => reader.all(ofThread, feedbackId),

  /** Stores a writer of a thread. Does nothing if the member may not answer there. */
  async note(tx: Transaction, { userId, feedbackId }: Writer, at: string): Promise<void> {
    await tx.run(
      `INSERT INTO answering_members (user_id, app_id, feedback_id, noted_at)
       SELECT v.user_id, f.app_id, f.id, ? FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE f.id = ? AND f.status <> 'blocked' AND ${membershipOf("maintainer")}
       ON CONFLICT (user_id) DO UPDATE SET app_id = excluded.app_id, feedback_id = excluded.feedback_id,
         noted_at = excluded.noted_at`,
      ...[at, feedbackId, userId],
    );
    tx.signal(answeringTopic(feedbackId));
  },

  /** Removes a writer of a thread. */
  async remove(tx: Transaction, { userId, feedbackId }: Writer): Promise<void> {
    await tx.run("DELETE FROM answering_members WHERE user_id = ? AND feedback_id = ?", userId, feedbackId);
    tx.signal(answeringTopic(feedbackId));
  },

  /** Removes the writers that were stored before a time. Each member has at most one row. */
  prune: (tx: Transaction, before: string) =>
    tx.run("DELETE FROM answering_members WHERE noted_at < ?", before),
};
