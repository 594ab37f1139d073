import { type NoticeKind, type NoticeWay, noticeWays, type OwnWay } from "../../../src/contract/notices.ts";
import type { Database, Reader, Transaction, Value } from "../../database/database.ts";
import * as tables from "../../database/schema/notices.ts";
import { noticesTopic, plannedEachTime } from "../../database/transaction.ts";
import type { StoredChat } from "../../feedback/chat/store.ts";
import { noticePushes } from "../browsers/store.ts";

/** The texts and states that a notice needs. They are read when the text of the notice is written. */
export const noticeFacts = {
  /** Returns the name and the chat of an app. */
  app: (reader: Reader, id: string) =>
    reader.get<StoredChat & { readonly name: string }>(
      `SELECT name, chat_webhook_url AS "chatWebhookUrl", chat_format AS "chatFormat" FROM apps WHERE id = ?`,
      id,
    ),

  appName: async (reader: Reader, id: string): Promise<string | undefined> =>
    (await reader.get<{ name: string }>("SELECT name FROM apps WHERE id = ?", id))?.name,

  /**
   * Locks the threads of these notices until the mail is stored. The erasure of a thread waits meanwhile.
   * (rule P4)
   */
  async lockThreads(tx: Transaction, rows: readonly Pick<NoticeRow, "feedbackId">[]): Promise<void> {
    const ids = [...new Set(rows.flatMap(({ feedbackId }) => feedbackId ?? []))].sort();
    // SQLite has only one writer and needs no lock.
    if (tx.engine === "sqlite" || ids.length === 0) return;
    await lockInPostgres(tx, ids);
  },

  /** Returns the subject of a thread, how often it was reported, and its assignee; undefined for a hidden thread. */
  thread: (reader: Reader, id: string) =>
    reader.get<{ subject: string; occurrences: number; assigneeId: string | null }>(
      `SELECT subject, occurrences, assignee_id AS "assigneeId" FROM feedback WHERE id = ? AND status <> 'blocked'`,
      id,
    ),

  /**
   * Returns the state of a proposal and the outcome of its last claim; undefined if the proposal was deleted.
   */
  run: (reader: Reader, id: string) =>
    reader.get<{ status: string; outcome: string | null }>(
      `SELECT r.status, (SELECT c.outcome_status FROM run_claims c WHERE c.run_id = r.id
         ORDER BY c.released_at IS NOT NULL, c.claimed_at DESC, c.id DESC LIMIT 1) AS outcome
       FROM runs r WHERE r.id = ?`,
      id,
    ),
};

const lockInPostgres = (tx: Transaction, ids: readonly string[]) =>
  tx.all<{ id: string }>(
    plannedEachTime(
      `SELECT id FROM feedback WHERE id IN (${ids.map(() => "?").join(", ")}) ORDER BY id FOR SHARE`,
    ),
    ...ids,
  );

/** A notice that a member gets either in a mail, in the daily mail, in the chat or in browsers. */
export interface NoticeRow {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly subjectId: string;
  readonly feedbackId: string | null;
  readonly createdAt: string;
  /** The number of notices that this row stands for; null if the row is one notice about one object. */
  readonly further: number | null;
}

/** A notice that is not sent yet. */
export interface WaitingNotice extends NoticeRow {
  readonly dueAt: string;
  /** The mail that contained this notice and is now written again; null if no mail contained the notice. */
  readonly mailId: string | null;
}

interface NewNotice extends Omit<NoticeRow, "further"> {
  readonly userId: string;
  readonly appId: string;
  readonly way: NoticeWay;
  readonly dueAt: string;
  /** When the notice was queued or posted; undefined if it waits. */
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

/** The SQL condition for waiting notices that are in no mail yet. */
const isInNoMail = `${waits} AND mail_id IS NULL`;

/** How many rows one statement changes at most. */
const idsAtOnce = 500;

/** The notices of members: those that wait, and those that were sent recently. (rules N2, N3) */
export const notices = {
  /** Locks the notices of a member about an app. A change of the role must take this lock first. */
  lock,

  async insert(tx: Transaction, notice: NewNotice): Promise<void> {
    await tx.insert(tables.notices, notice);
    tx.signal(noticesTopic);
  },

  /** Stores a waiting notice. If `most` notices of this kind wait, only counts the notice. (rule N3) */
  async insertOrCount(tx: Transaction, notice: NewNotice, most: number): Promise<void> {
    const { userId, appId, way, kind } = notice;
    const values = [userId, appId, way, kind];
    const row = await tx.get<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 AS one FROM notices
         WHERE user_id = ? AND app_id = ? AND way = ? AND kind = ? AND ${isInNoMail} AND further IS NULL LIMIT ?) AS found`,
      ...[...values, most],
    );
    if (Number(row?.count ?? 0) < most) return notices.insert(tx, notice);
    // Without this lock, another server could put the counted notices into a mail at the same time.
    await tx.lock(`notices:${userId}:${appId}`);
    const counted = await tx.run(
      `UPDATE notices SET further = further + 1
       WHERE user_id = ? AND app_id = ? AND way = ? AND kind = ? AND ${isInNoMail} AND further IS NOT NULL`,
      ...values,
    );
    if (counted > 0) return;
    await tx.insert(tables.notices, { ...notice, subjectId: appId, feedbackId: null, further: 1 });
    tx.signal(noticesTopic);
  },

  /** Returns when the waiting notices of a batch are due; undefined if none wait. */
  async waitingUntil(reader: Reader, { userId, appId, way }: Batch): Promise<string | undefined> {
    const row = await reader.get<{ dueAt: string | null }>(
      `SELECT min(due_at) AS "dueAt" FROM notices WHERE user_id = ? AND app_id = ? AND way = ? AND ${isInNoMail}`,
      ...[userId, appId, way],
    );
    return row?.dueAt ?? undefined;
  },

  /** Returns when notices with this member, app and `way` were last queued; undefined if never. */
  async lastQueued(reader: Reader, { userId, appId, way }: Batch, now: string): Promise<string | undefined> {
    // Times after `now` are ignored, because they were stored while the clock was ahead.
    const row = await reader.get<{ queuedAt: string | null }>(
      `SELECT max(queued_at) AS "queuedAt" FROM notices
       WHERE user_id = ? AND app_id = ? AND way = ? AND queued_at <= ?`,
      ...[userId, appId, way, now],
    );
    return row?.queuedAt ?? undefined;
  },

  /**
   * Sets the time `at` for all notices that a wrong clock made due after `after`. Returns whether there were
   * such notices. (rule D12)
   */
  async bringForward(database: Database, { after, at }: { readonly after: string; readonly at: string }) {
    const farAway = `${waits} AND way IN (${noticeWays.map((way) => `'${way}'`).join(", ")}) AND due_at > ?`;
    if (!(await database.get(`SELECT 1 AS one FROM notices WHERE ${farAway} LIMIT 1`, after))) return false;
    await database.write((tx) => tx.run(`UPDATE notices SET due_at = ? WHERE ${farAway}`, at, after));
    return true;
  },

  /** Whether a member got a notice about an object between two times. */
  wasNotified: async (
    reader: Reader,
    {
      userId,
      way,
      kind,
      subjectId,
      since,
      until,
    }: {
      readonly userId: string;
      readonly way: NoticeWay;
      readonly kind: NoticeKind;
      readonly subjectId: string;
      readonly since: string;
      readonly until: string;
    },
  ): Promise<boolean> =>
    (await reader.get(
      `SELECT 1 AS one FROM notices
       WHERE subject_id = ? AND kind = ? AND user_id = ? AND created_at > ? AND created_at <= ? AND way = ? LIMIT 1`,
      ...[subjectId, kind, userId, since, until, way],
    )) !== undefined,

  /** Returns at most `most` due batches with the given `way`. */
  due: (reader: Reader, way: NoticeWay, now: string, most: number) =>
    reader.all<Batch>(
      `SELECT DISTINCT user_id AS "userId", app_id AS "appId", way FROM (
         SELECT user_id, app_id, way FROM notices
         WHERE ${waits} AND way = ? AND due_at <= ? ORDER BY due_at LIMIT 1000) AS due LIMIT ?`,
      ...[way, now, most],
    ),

  /** Returns when the next waiting notice with the given `way` is due; undefined if no notice waits. */
  async nextDue(reader: Reader, way: NoticeWay): Promise<string | undefined> {
    const row = await reader.get<{ dueAt: string | null }>(
      `SELECT min(due_at) AS "dueAt" FROM notices WHERE ${waits} AND way = ?`,
      way,
    );
    return row?.dueAt ?? undefined;
  },

  /**
   * Locks and returns the waiting notices of a batch, oldest first. The caller must change only these notices.
   */
  async take(tx: Transaction, { userId, appId, way }: Batch): Promise<WaitingNotice[]> {
    await lock(tx, { userId, appId });
    return tx.all<WaitingNotice>(
      `SELECT id, kind, subject_id AS "subjectId", feedback_id AS "feedbackId", created_at AS "createdAt",
         due_at AS "dueAt", mail_id AS "mailId", further
       FROM notices WHERE user_id = ? AND app_id = ? AND way = ? AND ${waits} ORDER BY created_at, id`,
      ...[userId, appId, way],
    );
  },

  /** Like `take`, but also locks the threads of the notices. (rule P4) */
  async takeWithThreads(tx: Transaction, batch: Batch): Promise<WaitingNotice[]> {
    const locked = new Set<string | null>([null]);
    // While the transaction waits for a lock, a merge can move notices to another thread.
    for (;;) {
      const rows = await notices.take(tx, batch);
      if (tx.engine === "sqlite" || rows.every(({ feedbackId }) => locked.has(feedbackId))) return rows;
      await noticeFacts.lockThreads(tx, rows);
      for (const { feedbackId } of rows) locked.add(feedbackId);
    }
  },

  /** Marks notices as queued. `mailId` is null if they are not in a mail. */
  async queued(
    tx: Transaction,
    rows: readonly Pick<NoticeRow, "id">[],
    at: string,
    mailId: string | null,
  ): Promise<void> {
    for (const ids of idsIn(rows))
      await tx.run(
        `UPDATE notices SET queued_at = ?, mail_id = ? WHERE id IN (${ids.map(() => "?").join(", ")})`,
        ...[at, mailId, ...ids],
      );
  },

  async postpone(tx: Transaction, rows: readonly Pick<NoticeRow, "id">[], dueAt: string): Promise<void> {
    for (const ids of idsIn(rows))
      await tx.run(
        `UPDATE notices SET due_at = ? WHERE id IN (${ids.map(() => "?").join(", ")})`,
        ...[dueAt, ...ids],
      );
  },

  /** Sets another time for the waiting notices of a batch that are in no mail yet. */
  reschedule: (tx: Transaction, { userId, appId, way }: Batch, dueAt: string) =>
    tx.run(
      `UPDATE notices SET due_at = ? WHERE user_id = ? AND app_id = ? AND way = ? AND ${isInNoMail}`,
      ...[dueAt, userId, appId, way],
    ),

  /** Counts the mails with notices of an app that a person got between two times. */
  async countMails(
    reader: Reader,
    { appId, recipient, since, until }: Record<"appId" | "recipient" | "since" | "until", string>,
  ): Promise<number> {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM mails
       WHERE recipient = ? AND created_at > ? AND created_at <= ? AND kind = 'notice' AND app_id = ?`,
      ...[recipient, since, until, appId],
    );
    return Number(row?.count ?? 0);
  },

  /** Returns the batches that wait for a person, each with the time of its first notice. */
  waitingOf: (reader: Reader, userId: string) =>
    reader.all<Batch & { readonly firstAt: string }>(
      `SELECT user_id AS "userId", app_id AS "appId", way, min(created_at) AS "firstAt" FROM notices
       WHERE user_id = ? AND ${isInNoMail} GROUP BY user_id, app_id, way`,
      userId,
    ),

  /**
   * Deletes a member's notices of the given `ways`, also from waiting mails and from the queues of browsers.
   * (rules N2, N6)
   */
  async drop(
    tx: Transaction,
    { userId, appId }: Member,
    ways: readonly NoticeWay[] = noticeWays,
  ): Promise<void> {
    await lock(tx, { userId, appId });
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
   * Cancels unsent mails about threads. `threads` is SQL for thread ids. Returns the ids of the mails that
   * remain. (rules P4, N3)
   */
  recall: (tx: Transaction, threads: string, ...values: Value[]): Promise<string[]> =>
    takeBack(tx, `n.feedback_id IN ${threads}`, ...values),

  /**
   * Moves the notices about one thread to another. With `about`, moves only the notices about these objects.
   * (rules N2, N5)
   */
  async move(
    tx: Transaction,
    {
      from,
      to,
      about,
    }: { readonly from: string; readonly to: string; readonly about?: readonly string[] | undefined },
  ): Promise<void> {
    const chosen = about === undefined ? "" : ` AND n.subject_id IN (${about.map(() => "?").join(", ")})`;
    const values = [from, ...(about ?? [])];
    // Unsent mails are written again, because they may quote the thread `from`.
    await takeBack(tx, `n.feedback_id = ?${chosen}`, ...values);
    for (const table of ["notice_causes", "notices", "notice_pushes"])
      await tx.run(
        `UPDATE ${table} AS n SET feedback_id = ? WHERE n.feedback_id = ?${chosen}`,
        to,
        ...values,
      );
  },

  /**
   * Cancels unsent mails to a member whose role has changed. Returns the ids of the mails that remain.
   * (rule N2)
   */
  recallOfMember: (tx: Transaction, { userId, appId }: Member): Promise<string[]> =>
    takeBack(tx, "n.user_id = ? AND n.app_id = ?", userId, appId),

  /** Deletes each of these mails that is unsent and has neither content nor notices. */
  async removeEmpty(tx: Transaction, mailIds: readonly string[]): Promise<void> {
    for (const id of mailIds)
      await tx.run(
        `DELETE FROM mails WHERE id = ? AND status = 'waiting' AND content IS NULL
           AND NOT EXISTS (SELECT 1 FROM notices WHERE mail_id = mails.id)`,
        id,
      );
  },

  /**
   * Deletes notices queued before a time, except those of waiting mails. Returns the number of deleted notices.
   */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM notices WHERE id IN (
         SELECT n.id FROM notices n LEFT JOIN mails m ON m.id = n.mail_id
         WHERE n.queued_at < ? AND (m.id IS NULL OR m.status <> 'waiting') LIMIT ?)`,
      ...[before, most],
    ),
};

async function lock(tx: Transaction, { userId, appId }: Member): Promise<void> {
  await tx.lock(`notices:${userId}:${appId}`);
}

/**
 * Cancels the unsent mails with the notices that `where` selects. Returns the ids of the mails that remain.
 * (rule N3)
 */
async function takeBack(tx: Transaction, where: string, ...values: Value[]): Promise<string[]> {
  const mailsOf = `SELECT n.mail_id FROM notices n JOIN mails m ON m.id = n.mail_id
    WHERE ${where} AND m.status = 'waiting'`;
  const taken = await tx.all<{ mailId: string }>(
    `UPDATE notices SET queued_at = NULL WHERE mail_id IN (${mailsOf}) RETURNING mail_id AS "mailId"`,
    ...values,
  );
  const kept: string[] = [];
  for (const id of new Set(taken.map(({ mailId }) => mailId))) {
    const removed = await tx.run(
      "DELETE FROM mails WHERE id = ? AND status = 'waiting' AND attempts = 0",
      id,
    );
    if (removed > 0) continue;
    // After an attempt to send, the mail may have arrived. So its row stays, with the same Message-ID.
    await tx.run("UPDATE mails SET content = NULL WHERE id = ? AND status = 'waiting'", id);
    kept.push(id);
  }
  if (taken.length > 0) tx.signal(noticesTopic);
  return kept;
}

const idsIn = (rows: readonly Pick<NoticeRow, "id">[]): string[][] => {
  const ids = rows.map(({ id }) => id);
  const chunks: string[][] = [];
  for (let at = 0; at < ids.length; at += idsAtOnce) chunks.push(ids.slice(at, at + idsAtOnce));
  return chunks;
};
