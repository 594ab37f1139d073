import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/mail.ts";
import { insert, threadTopic } from "../../database/transaction.ts";

const noteConfirmed = insert(
  tables.mailAddresses,
  "ON CONFLICT (app_id, recipient) DO UPDATE SET confirmed_at = excluded.confirmed_at",
);

/** A report as its sender wrote it: the first report of a thread, or a repeat. */
export interface ReportRow {
  readonly id: string;
  /** The id of the thread that has the report now, after all merges. */
  readonly feedbackId: string;
  /** The id of the thread to which the report belonged before all merges. */
  readonly home: string;
  readonly appId: string;
  readonly appName: string;
  readonly feedbackEnabled: number;
  readonly senderPages: number;
  readonly status: string;
  readonly category: string;
  /** Null for a repeat without a subject. Members may have edited the subject of a thread's first report. */
  readonly subject: string | null;
  readonly message: string;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly linkCounter: number;
  readonly createdAt: string;
  /** The files of the report, as JSON. */
  readonly files: string;
  /** 1 for a repeated report that is hidden because its sender is blocked; 0 otherwise. */
  readonly isHidden: number;
}

/** The fields of a report that say who gets a reply. */
export interface ReceivingReport {
  readonly id: string;
  readonly createdAt: string;
  readonly email: string | null;
  /** The id of the thread to which the report belonged before all merges. */
  readonly home: string;
}

/** A message that the sender of a report may read. */
export interface SharedMessage {
  readonly id: string;
  readonly direction: "inbound" | "outbound";
  readonly body: string;
  readonly createdAt: string;
  /** The files of the message, as JSON; null if it has none. */
  readonly files: string | null;
}

const ofApp = `a.id AS "appId", a.name AS "appName", a.feedback_enabled AS "feedbackEnabled",
  a.sender_pages AS "senderPages", CASE f.status WHEN 'blocked' THEN 'open' ELSE f.status END AS status`;

const firstReports = `SELECT f.id, f.id AS "feedbackId", f.id AS home, ${ofApp}, f.category, f.subject, f.message, f.sender_name AS "senderName", f.sender_email AS "senderEmail",
    f.link_counter AS "linkCounter", f.created_at AS "createdAt", f.files, 0 AS "isHidden"
  FROM feedback f JOIN apps a ON a.id = f.app_id`;

// Only messages that are repeated reports have a category.
const repeats = `SELECT m.id, f.id AS "feedbackId", coalesce(m.origin_id, f.id) AS home, ${ofApp}, m.category, m.subject, m.body AS message, m.sender_name AS "senderName", m.sender_email AS "senderEmail",
    m.link_counter AS "linkCounter", m.created_at AS "createdAt", m.files,
    CASE m.direction WHEN 'blocked' THEN 1 ELSE 0 END AS "isHidden"
  FROM messages m JOIN feedback f ON f.id = m.feedback_id JOIN apps a ON a.id = f.app_id
  WHERE m.category IS NOT NULL`;

const mostMessages = 200;

const mostReports = 1_000;

/** The reports of senders, and the messages between a sender and the team. */
export const reports = {
  find: (reader: Reader, id: string) =>
    reader.get<ReportRow>(
      // If thread A was merged into thread B, the report that began A is stored as a message of B.
      `${firstReports} WHERE f.id = ? AND f.merged_into IS NULL UNION ALL ${repeats} AND m.id = ?`,
      id,
      id,
    ),

  /** Returns the reports of a thread, newest first. The last item is the report that began the thread. */
  list: async (reader: Reader, feedbackId: string): Promise<ReportRow[]> => [
    ...(await reader.all<ReportRow>(
      `${repeats} AND m.direction <> 'blocked' AND m.feedback_id = ? ORDER BY m.created_at DESC, m.id DESC LIMIT ?`,
      feedbackId,
      mostReports,
    )),
    ...(await reader.all<ReportRow>(`${firstReports} WHERE f.id = ?`, feedbackId)),
  ],

  /**
   * Returns the reports of `list` without texts and files, because a thread can have very many large reports.
   */
  listReceivers: (reader: Reader, feedbackId: string) =>
    reader.all<ReceivingReport>(
      `SELECT id, created_at AS "createdAt", email, home FROM (
         SELECT m.id, m.created_at, m.sender_email AS email, coalesce(m.origin_id, m.feedback_id) AS home
         FROM messages m WHERE m.category IS NOT NULL AND m.direction <> 'blocked' AND m.feedback_id = ?
         ORDER BY m.created_at DESC, m.id DESC LIMIT ?) AS repeated
       UNION ALL SELECT f.id, f.created_at, f.sender_email, f.id FROM feedback f WHERE f.id = ?`,
      ...[feedbackId, mostReports, feedbackId],
    ),

  /**
   * Returns the newest messages, oldest first. A stranger whose `report` has a guessed dedupe key must not see
   * earlier replies. (rule M9)
   */
  async conversation(reader: Reader, report: ReportRow): Promise<SharedMessage[]> {
    // This statement and `reaches` in `feedback/merge/rules.ts` decide in the same way which replies a sender
    // got.
    const newest = await reader.all<SharedMessage>(
      `WITH RECURSIVE homes (id, since) AS (
         SELECT CAST(? AS TEXT), CAST(0 AS BIGINT)
         UNION ALL SELECT g.into_id, g.number FROM homes h
         JOIN thread_merges g ON g.feedback_id = h.id AND g.number > h.since)
       SELECT id, CASE direction WHEN 'blocked' THEN 'inbound' ELSE direction END AS direction, body,
         created_at AS "createdAt", files FROM messages m
       WHERE feedback_id = ? AND category IS NULL AND direction IN ('inbound', 'outbound', 'blocked')
         AND (report_id = ? OR (CAST(? AS INTEGER) = 0 AND direction = 'outbound' AND everyone = 1 AND created_at >= ? AND EXISTS (
           SELECT 1 FROM homes h WHERE h.id = coalesce(m.origin_id, m.feedback_id)
             AND (m.before_merge IS NULL OR m.before_merge > h.since))))
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      report.home,
      report.feedbackId,
      report.id,
      report.isHidden,
      report.createdAt,
      mostMessages,
    );
    return newest.reverse();
  },

  /**
   * Locks the current thread of a report. Returns the report, which may have moved; undefined if it was
   * deleted.
   */
  async locked(tx: Transaction, { id, feedbackId }: Pick<ReportRow, "id" | "feedbackId">) {
    await tx.lock(feedbackId);
    let report = await reports.find(tx, id);
    for (
      let locked = feedbackId;
      report && report.feedbackId !== locked;
      report = await reports.find(tx, id)
    ) {
      locked = report.feedbackId;
      await tx.lock(locked);
    }
    return report;
  },

  /** Returns how many answers the sender of a report has written since a time. */
  async countAnswers(reader: Reader, { feedbackId, id }: ReportRow, since: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM messages
       WHERE feedback_id = ? AND report_id = ? AND direction IN ('inbound', 'blocked') AND created_at > ?`,
      feedbackId,
      id,
      since,
    );
    return Number(row?.count ?? 0);
  },

  /** Returns the first subject change of a report, as the JSON of an audit entry; undefined if there is none. */
  async firstSubjectChange(reader: Reader, id: string): Promise<string | undefined> {
    const row = await reader.get<{ changes: string }>(
      `SELECT changes FROM audit WHERE target = ? AND action = 'thread.update'
         AND changes IS NOT NULL AND changes LIKE '%"field":"subject"%'
       ORDER BY at, id LIMIT 1`,
      id,
    );
    return row?.changes;
  },

  hasMessage: async (reader: Reader, id: string): Promise<boolean> =>
    (await reader.get("SELECT 1 AS one FROM messages WHERE id = ?", id)) !== undefined,

  /** Reopens a resolved thread. Returns the id of the app's owner; undefined if the thread was not resolved. */
  async reopen(tx: Transaction, feedbackId: string): Promise<string | undefined> {
    const reopened = await tx.get<{ ownerId: string }>(
      `UPDATE feedback SET status = 'open' WHERE id = ? AND status = 'resolved'
       RETURNING (SELECT a.owner_id FROM apps a WHERE a.id = feedback.app_id) AS "ownerId"`,
      feedbackId,
    );
    tx.signal(threadTopic(feedbackId));
    return reopened?.ownerId;
  },

  /** Invalidates all earlier links to the sender's page of a report. */
  async renewLink(tx: Transaction, { id, feedbackId }: ReportRow): Promise<void> {
    const table = id === feedbackId ? "feedback" : "messages";
    await tx.run(`UPDATE ${table} SET link_counter = link_counter + 1 WHERE id = ?`, id);
  },

  /** Stores that a sender reads the mail of an address. */
  async confirmAddress(
    tx: Transaction,
    { appId, recipient, at }: { readonly appId: string; readonly recipient: string; readonly at: string },
  ): Promise<void> {
    await noteConfirmed(tx, { appId, recipient, confirmedAt: at });
  },
};
