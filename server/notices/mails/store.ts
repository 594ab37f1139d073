import { type NoticeKind, type NoticeWay, noticeWays, type OwnWay } from "../../../src/contract/notices.ts";
import type { Reader, Transaction, Value } from "../../database/database.ts";
import * as tables from "../../database/schema/notices.ts";
import { noticesTopic } from "../../database/signals.ts";
import { noticePushes } from "../browsers/store.ts";

/** A notice of a member that is sent in one way. */
export interface NoticeRow {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly subjectId: string;
  readonly feedbackId: string | null;
  readonly createdAt: string;
}

interface NewNotice extends NoticeRow {
  readonly userId: string;
  readonly appId: string;
  readonly way: NoticeWay;
  readonly dueAt: string;
  /** When it was sent, if it does not wait. */
  readonly queuedAt?: string;
}

/** The notices of one app that a member gets in the same mail, or at the same time in browsers. */
export interface Batch {
  readonly userId: string;
  readonly appId: string;
  readonly way: OwnWay;
}

interface Member {
  readonly userId: string;
  readonly appId: string;
}

const waits = "queued_at IS NULL";

/** The notices of members, until their mails were sent. (rules N2, N3) */
export const notices = {
  async insert(tx: Transaction, notice: NewNotice): Promise<void> {
    await tx.insert(tables.notices, notice);
    tx.signal(noticesTopic);
  },

  /** Returns when the mail is due that a further notice can join; undefined if none waits. */
  async waitingUntil(reader: Reader, { userId, appId, way }: Batch): Promise<string | undefined> {
    const row = await reader.get<{ dueAt: string | null }>(
      `SELECT min(due_at) AS "dueAt" FROM notices WHERE user_id = ? AND app_id = ? AND way = ? AND ${waits}`,
      ...[userId, appId, way],
    );
    return row?.dueAt ?? undefined;
  },

  /** Returns when notices were last sent to a member in a way; undefined if none were. */
  async lastQueued(reader: Reader, { userId, appId, way }: Batch): Promise<string | undefined> {
    const row = await reader.get<{ queuedAt: string | null }>(
      `SELECT max(queued_at) AS "queuedAt" FROM notices WHERE user_id = ? AND app_id = ? AND way = ?`,
      ...[userId, appId, way],
    );
    return row?.queuedAt ?? undefined;
  },

  /** Whether a member got a notice about an object after a time. */
  wasNotified: async (
    reader: Reader,
    {
      userId,
      way,
      kind,
      subjectId,
      since,
    }: {
      readonly userId: string;
      readonly way: NoticeWay;
      readonly kind: NoticeKind;
      readonly subjectId: string;
      readonly since: string;
    },
  ): Promise<boolean> =>
    (await reader.get(
      `SELECT 1 AS one FROM notices
       WHERE subject_id = ? AND kind = ? AND user_id = ? AND created_at > ? AND way = ? LIMIT 1`,
      ...[subjectId, kind, userId, since, way],
    )) !== undefined,

  /** Returns what is due in a way, at most `most`. */
  due: (reader: Reader, way: NoticeWay, now: string, most: number) =>
    reader.all<Batch>(
      `SELECT DISTINCT user_id AS "userId", app_id AS "appId", way FROM (
         SELECT user_id, app_id, way FROM notices
         WHERE ${waits} AND way = ? AND due_at <= ? ORDER BY due_at LIMIT 1000) AS due LIMIT ?`,
      ...[way, now, most],
    ),

  /** Returns when the next notice is due in a way. */
  async nextDue(reader: Reader, way: NoticeWay): Promise<string | undefined> {
    const row = await reader.get<{ dueAt: string | null }>(
      `SELECT min(due_at) AS "dueAt" FROM notices WHERE ${waits} AND way = ?`,
      way,
    );
    return row?.dueAt ?? undefined;
  },

  /** Returns the notices of a mail, oldest first. No other server may send them at the same time. */
  async take(tx: Transaction, { userId, appId, way }: Batch): Promise<NoticeRow[]> {
    await tx.lock(`notices:${userId}:${appId}`);
    return tx.all<NoticeRow>(
      `SELECT id, kind, subject_id AS "subjectId", feedback_id AS "feedbackId", created_at AS "createdAt"
       FROM notices WHERE user_id = ? AND app_id = ? AND way = ? AND ${waits} ORDER BY created_at, id`,
      ...[userId, appId, way],
    );
  },

  /** Marks the waiting notices of a batch as queued. `mailId` is null if no mail has them. */
  queued: (tx: Transaction, { userId, appId, way }: Batch, at: string, mailId: string | null) =>
    tx.run(
      `UPDATE notices SET queued_at = ?, mail_id = ? WHERE user_id = ? AND app_id = ? AND way = ? AND ${waits}`,
      ...[at, mailId, userId, appId, way],
    ),

  postpone: (tx: Transaction, { userId, appId, way }: Batch, dueAt: string) =>
    tx.run(
      `UPDATE notices SET due_at = ? WHERE user_id = ? AND app_id = ? AND way = ? AND ${waits}`,
      ...[dueAt, userId, appId, way],
    ),

  /** Counts the mails with notices of an app that a person got since a time. */
  async countMails(
    reader: Reader,
    {
      appId,
      recipient,
      since,
    }: { readonly appId: string; readonly recipient: string; readonly since: string },
  ): Promise<number> {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM mails
       WHERE recipient = ? AND created_at > ? AND kind = 'notice' AND app_id = ?`,
      ...[recipient, since, appId],
    );
    return Number(row?.count ?? 0);
  },

  /** Returns what waits for a person, each with the time of its first notice. */
  waitingOf: (reader: Reader, userId: string) =>
    reader.all<Batch & { readonly firstAt: string }>(
      `SELECT user_id AS "userId", app_id AS "appId", way, min(created_at) AS "firstAt" FROM notices
       WHERE user_id = ? AND ${waits} GROUP BY user_id, app_id, way`,
      userId,
    ),

  /**
   * Deletes the waiting notices of a member in these ways, also those that are in mails or queues of browsers already.
   * (rules N2, N6)
   */
  async drop(
    tx: Transaction,
    { userId, appId }: Member,
    ways: readonly NoticeWay[] = noticeWays,
  ): Promise<void> {
    const chosen = `user_id = ? AND app_id = ? AND way IN (${ways.map(() => "?").join(", ")})`;
    const values = [userId, appId, ...ways];
    await tx.run(
      `DELETE FROM mails WHERE status = 'waiting' AND id IN (SELECT mail_id FROM notices WHERE ${chosen})`,
      ...values,
    );
    await tx.run(`DELETE FROM notices WHERE ${chosen}`, ...values);
    if (ways.includes("browser")) await noticePushes.removeOfMember(tx, { userId, appId });
  },

  /**
   * Withdraws the mails about threads that are not sent yet, because words of the threads are erased. The mails are
   * written again. `threads` is a list or a query of ids. (rule P4)
   */
  async recall(tx: Transaction, threads: string, ...values: Value[]): Promise<void> {
    const mailsOf = `SELECT n.mail_id FROM notices n JOIN mails m ON m.id = n.mail_id
      WHERE n.feedback_id IN ${threads} AND m.status = 'waiting'`;
    const recalled = await tx.all<{ mailId: string }>(
      `UPDATE notices SET queued_at = NULL WHERE mail_id IN (${mailsOf}) RETURNING mail_id AS "mailId"`,
      ...values,
    );
    for (const id of new Set(recalled.map(({ mailId }) => mailId)))
      await tx.run("DELETE FROM mails WHERE id = ?", id);
    if (recalled.length > 0) tx.signal(noticesTopic);
  },

  /** Deletes notices that were put into mails before a time, at most `most`. Returns their number. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM notices WHERE id IN (
         SELECT n.id FROM notices n LEFT JOIN mails m ON m.id = n.mail_id
         WHERE n.queued_at < ? AND (m.id IS NULL OR m.status <> 'waiting') LIMIT ?)`,
      ...[before, most],
    ),
};

/** The texts and states for a mail with notices. They are read when the mail is written. */
export const noticeFacts = {
  /** Returns the name and the chat of an app. */
  app: (reader: Reader, id: string) =>
    reader.get<{ name: string; chatWebhookUrl: string | null; chatFormat: string }>(
      `SELECT name, chat_webhook_url AS "chatWebhookUrl", chat_format AS "chatFormat" FROM apps WHERE id = ?`,
      id,
    ),

  appName: async (reader: Reader, id: string): Promise<string | undefined> =>
    (await reader.get<{ name: string }>("SELECT name FROM apps WHERE id = ?", id))?.name,

  /** Returns the subject of a thread, how often it was reported, and its assignee; undefined for a hidden thread. */
  thread: (reader: Reader, id: string) =>
    reader.get<{ subject: string; occurrences: number; assigneeId: string | null }>(
      `SELECT subject, occurrences, assignee_id AS "assigneeId" FROM feedback WHERE id = ? AND status <> 'blocked'`,
      id,
    ),

  /** Returns the state of a proposal and the outcome of its last claim; undefined if it was deleted. */
  run: (reader: Reader, id: string) =>
    reader.get<{ status: string; outcome: string | null }>(
      `SELECT r.status, (SELECT c.outcome_status FROM run_claims c WHERE c.run_id = r.id
         ORDER BY c.released_at IS NOT NULL, c.claimed_at DESC, c.id DESC LIMIT 1) AS outcome
       FROM runs r WHERE r.id = ?`,
      id,
    ),
};
