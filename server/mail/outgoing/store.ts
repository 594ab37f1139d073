import type { Reader, Transaction, Value } from "../../database/database.ts";
import * as tables from "../../database/schema/mail.ts";
import { insert, listed, mailTopic, plannedEachTime } from "../../database/transaction.ts";
import { type ReportRow, reports } from "../sender-page/store.ts";
import { type MailQueue, mostCounted, queueOf, type WaitingMails } from "./rules.ts";

interface NewMail {
  readonly id: string;
  readonly appId: string | null;
  readonly kind: string;
  readonly lane: MailQueue;
  /** The id of the object that the mail is about. */
  readonly subjectId: string | null;
  /** The id of the report that the mail answers. */
  readonly reportId: string | null;
  readonly recipient: string;
  /** The content of the mail, encrypted. */
  readonly content: string;
  readonly createdAt: string;
  /** The time after which the mail is useless. */
  readonly sendBefore: string;
}

/** A waiting mail that this server has reserved and sends now. */
export interface WaitingMail {
  readonly id: string;
  readonly content: string | null;
  readonly attempts: number;
  readonly sendBefore: string;
}

/** `bounced` means that the address does not exist, or that the mail came back. (rules M7, M13) */
type MailStatus = "waiting" | "sent" | "bounced" | "failed";

export interface MailRow {
  readonly id: string;
  readonly appId: string | null;
  readonly kind: string;
  readonly subjectId: string | null;
  readonly recipient: string;
  readonly content: string | null;
  readonly status: MailStatus;
  readonly lastError: string | null;
  readonly createdAt: string;
  readonly settledAt: string | null;
}

/** The state of a mail that contains a reply. */
export interface ReplyMail {
  readonly messageId: string;
  readonly to: string;
  readonly status: MailStatus;
  readonly reason: string | null;
  readonly settledAt: string | null;
}

/** A mail that contains a reply, and the report whose sender receives it. */
export interface MailOfReply {
  readonly id: string;
  readonly reportId: string | null;
  readonly recipient: string;
}

type WaitingRow = Omit<WaitingMails, "sentSince"> & { readonly sentSince: number };

const mostReplies = 2_000;

const fields = [
  ...["id", "appId", "kind", "subjectId", "recipient", "content", "status"],
  ...["lastError", "createdAt", "settledAt"],
] as const;

const columns = listed(tables.mails, fields);

/** Returns a query for why a queue waits. The conditions must be those of the index `mails_faults`. */
const faultWhere = (condition: string) => `SELECT q.last_error FROM mails q
  WHERE q.status = 'waiting' AND q.attempts = 0 AND q.last_error IS NOT NULL${condition}
  ORDER BY q.due_at DESC LIMIT 1`;

/** SQL for why the queue of replies waits. Without `|| ''`, the database uses a slower index. */
const queueFault = faultWhere(` AND q.lane || '' = '${queueOf("reply")}'`);

/** SQL for a reason why at least one queue waits. */
const anyFault = faultWhere("");

const ownedApps = "SELECT v.app_id FROM app_members v WHERE v.user_id = ? AND v.role = 'owner'";

/**
 * Returns SQL for waiting mails of `apps`. `m.status || ''`, ARRAY and ORDER BY force the database to use the
 * index by app.
 */
const waitingIn = ({ engine }: Pick<Reader, "engine">, apps: string) => `WITH own AS (
    SELECT m.created_at, m.due_at, m.last_error FROM mails m
    WHERE m.status || '' = 'waiting' AND m.content IS NOT NULL AND m.app_id ${engine === "postgres" ? `= ANY (ARRAY(${apps}))` : `IN (${apps})`}
    ORDER BY m.app_id LIMIT ${mostCounted + 1})
  SELECT count(*) AS count, min(created_at) AS since,
    (SELECT last_error FROM own WHERE last_error IS NOT NULL ORDER BY due_at DESC LIMIT 1) AS error,
    (${anyFault}) AS fault,
    (SELECT count(*) FROM (SELECT 1 AS one FROM mails s WHERE s.status = 'sent'
      AND s.settled_at > (SELECT min(created_at) FROM own) LIMIT 1) AS newest) AS "sentSince"
  FROM own`;

/**
 * The SQL condition that `c` copies the mail `o` for the same reply in another thread. Copies are never sent.
 */
const isCopy = `c.kind = 'reply' AND o.kind = 'reply' AND c.id <> o.id AND c.content IS NULL
  AND c.recipient = o.recipient AND c.created_at = o.created_at AND c.report_id = o.report_id`;

/** Updates a mail and its copies. One statement would miss a copy that another transaction has just added. */
async function updateWithCopies(tx: Transaction, id: string, change: Change): Promise<void> {
  const { set, values, status } = change;
  const copies = `SELECT c.id FROM mails o CROSS JOIN mails c WHERE o.id = ? AND ${isCopy}`;
  for (const these of ["?", copies])
    await tx.run(
      `UPDATE mails SET ${set} WHERE id IN (${these}) AND status = '${status}'`,
      ...[...values, id],
    );
}

/** New values of a mail that has the state `status`. */
interface Change {
  /** The SQL of the assignments. */
  readonly set: string;
  readonly values: readonly Value[];
  readonly status: MailStatus;
}

/** Mails to people. A mail is stored with the change that it reports, and sent after the commit. */
export const mails = {
  async insert(tx: Transaction, mail: NewMail): Promise<void> {
    await tx.insert(tables.mails, { ...mail, status: "waiting", attempts: 0, dueAt: mail.createdAt });
    tx.signal(mailTopic);
  },

  /**
   * Returns at most `most` due mails and counts an attempt for each. Reserves the mails until `until`.
   * (rule M6)
   */
  claimDue: (
    tx: Transaction,
    queue: MailQueue,
    { now, until, most }: { readonly now: string; readonly until: string; readonly most: number },
  ) =>
    tx.all<WaitingMail>(
      `UPDATE mails SET due_at = ?, attempts = attempts + 1
       WHERE status = 'waiting' AND due_at <= ? AND id IN (
         SELECT id FROM mails WHERE status = 'waiting' AND lane = ? AND due_at <= ? AND content IS NOT NULL
         ORDER BY due_at LIMIT ?)
       RETURNING id, content, attempts, send_before AS "sendBefore"`,
      until,
      now,
      queue,
      now,
      most,
    ),

  /** Replaces the content of a waiting mail. Returns whether the mail was still waiting. */
  async rewrite(tx: Transaction, id: string, content: string): Promise<boolean> {
    tx.signal(mailTopic);
    return (
      (await tx.run("UPDATE mails SET content = ? WHERE id = ? AND status = 'waiting'", content, id)) > 0
    );
  },

  removeWaiting: (tx: Transaction, id: string) =>
    tx.run("DELETE FROM mails WHERE id = ? AND status = 'waiting'", id),

  /** Stores the final state of a waiting mail and of its copies. Deletes the content of the mail. (rule M7) */
  settle: (
    tx: Transaction,
    id: string,
    {
      status,
      at,
      error,
    }: {
      readonly status: Exclude<MailStatus, "waiting">;
      readonly at: string;
      readonly error: string | null;
    },
  ) =>
    updateWithCopies(tx, id, {
      set: "status = ?, settled_at = ?, last_error = ?, content = NULL",
      values: [status, at, error],
      status: "waiting",
    }),

  postpone: (
    tx: Transaction,
    id: string,
    { dueAt, error }: { readonly dueAt: string; readonly error: string },
  ) =>
    tx.run(
      "UPDATE mails SET due_at = ?, last_error = ? WHERE id = ? AND status = 'waiting'",
      dueAt,
      error,
      id,
    ),

  /** Ends the reservation of a mail after a failure of the mail server. This attempt does not count. */
  release: (
    tx: Transaction,
    id: string,
    { dueAt, error }: { readonly dueAt: string; readonly error: string | null },
  ) =>
    tx.run(
      `UPDATE mails SET due_at = ?, last_error = coalesce(?, last_error), attempts = attempts - 1
       WHERE id = ? AND status = 'waiting'`,
      dueAt,
      error,
      id,
    ),

  /**
   * Marks waiting mails as failed if the time `send_before` is over. A copy fails only together with its mail.
   */
  async expire(tx: Transaction, now: string): Promise<void> {
    await tx.run(
      `UPDATE mails SET status = 'failed', settled_at = ?, content = NULL,
         last_error = coalesce(last_error, 'This server sends no mail')
       WHERE status = 'waiting' AND send_before <= ? AND due_at <= ? AND id NOT IN (
         SELECT c.id FROM mails c CROSS JOIN mails o WHERE c.status = 'waiting' AND c.send_before <= ?
           AND o.status = 'waiting' AND o.content IS NOT NULL AND ${isCopy})`,
      ...[now, now, now, now],
    );
    await tx.run(
      `UPDATE mails AS c SET status = o.status, settled_at = o.settled_at, last_error = o.last_error
       FROM mails o WHERE o.settled_at = ? AND o.status = 'failed' AND c.status = 'waiting' AND ${isCopy}`,
      now,
    );
  },

  /** Returns the mails that contain replies in a thread, oldest first. */
  listReplies: (reader: Reader, feedbackId: string) =>
    reader.all<ReplyMail>(
      `SELECT m.subject_id AS "messageId", m.recipient AS "to", m.status,
              coalesce(m.last_error, CASE m.status WHEN 'waiting' THEN (${queueFault}) END) AS reason,
              m.settled_at AS "settledAt"
       FROM messages r JOIN mails m ON m.subject_id = r.id
       WHERE r.feedback_id = ? AND r.direction = 'outbound' AND m.kind = 'reply' ORDER BY m.created_at, m.id LIMIT ?`,
      feedbackId,
      mostReplies,
    ),

  /** Returns and locks the mails of a reply. Their states must not change while copies are added. */
  lockOfReply: (tx: Transaction, messageId: string) =>
    tx.all<MailOfReply>(
      `SELECT id, report_id AS "reportId", recipient FROM mails WHERE subject_id = ? AND kind = 'reply'
       ${tx.engine === "postgres" ? "FOR UPDATE" : ""}`,
      messageId,
    ),

  /** Assigns a mail to the message `messageId`, which is the same reply in another thread. */
  moveToReply: (tx: Transaction, id: string, messageId: string) =>
    tx.run("UPDATE mails SET subject_id = ? WHERE id = ?", messageId, id),

  /** Adds a copy of the mail `id` to the same reply in another thread. The copy gets the mail's final state. */
  copyToReply: (tx: Transaction, id: string, copy: { readonly id: string; readonly messageId: string }) =>
    tx.run(
      `INSERT INTO mails (id, app_id, kind, lane, subject_id, recipient, content, status, attempts, due_at,
         send_before, last_error, created_at, settled_at, report_id)
       SELECT CAST(? AS TEXT), app_id, kind, lane, CAST(? AS TEXT), recipient, NULL, status, attempts, due_at,
         send_before, CASE WHEN status <> 'waiting' THEN last_error END, created_at, settled_at, report_id
       FROM mails WHERE id = ?`,
      ...[copy.id, copy.messageId, id],
    ),

  /** `threads` is SQL for thread ids. A waiting mail of these threads replaces its copy in another thread. */
  async moveToCopies(tx: Transaction, threads: string, ...values: readonly Value[]): Promise<void> {
    const replies = `(SELECT r.id FROM messages r WHERE r.feedback_id IN ${threads})`;
    const copies = await tx.all<{ id: string; copyId: string; messageId: string }>(
      `SELECT o.id, c.id AS "copyId", c.subject_id AS "messageId" FROM mails o CROSS JOIN mails c
       WHERE ${isCopy} AND o.subject_id IN ${replies} AND o.status = 'waiting' AND o.content IS NOT NULL
         AND c.status = 'waiting' AND c.subject_id NOT IN ${replies}`,
      ...[...values, ...values],
    );
    for (const { id, copyId, messageId } of copies) {
      await mails.moveToReply(tx, id, messageId);
      await tx.run("DELETE FROM mails WHERE id = ?", copyId);
    }
  },

  /** Returns the report and the receiver of a mail with a reply; undefined for other mails. */
  findReply: (reader: Reader, id: string) =>
    reader.get<{ reportId: string | null; recipient: string }>(
      `SELECT report_id AS "reportId", recipient FROM mails WHERE id = ? AND kind = 'reply'`,
      id,
    ),

  /** Stores that a sent mail could not be delivered. Its copies get the same state. */
  bounce: (tx: Transaction, id: string, at: string) =>
    updateWithCopies(tx, id, {
      set: "status = 'bounced', last_error = 'The mail came back', settled_at = ?",
      values: [at],
      status: "sent",
    }),

  /** Returns when the next mail of a queue is due. */
  nextDue: (reader: Reader, queue: MailQueue) =>
    reader.get<{ dueAt: string }>(
      `SELECT due_at AS "dueAt" FROM mails WHERE status = 'waiting' AND lane = ? AND content IS NOT NULL
       ORDER BY due_at LIMIT 1`,
      queue,
    ),

  /**
   * Marks all waiting mails as sent, but keeps their content. Only the development server calls this function.
   */
  capture: (tx: Transaction, at: string) =>
    tx.run(
      "UPDATE mails SET status = 'sent', settled_at = ?, attempts = attempts + 1 WHERE status = 'waiting'",
      at,
    ),

  /** Describes the waiting mails of all apps that a person owns, or only of the app `appId`. */
  async waitingOf(reader: Reader, userId: string, appId?: string): Promise<WaitingMails> {
    const row =
      appId === undefined
        ? await reader.get<WaitingRow>(waitingIn(reader, ownedApps), userId)
        : await reader.get<WaitingRow>(waitingIn(reader, `${ownedApps} AND v.app_id = ?`), userId, appId);
    const { count = 0, since = null, error = null, fault = null, sentSince = 0 } = row ?? {};
    return { count: Number(count), since, error, fault, sentSince: Number(sentSince) > 0 };
  },

  /** Returns the newest mails, newest first. */
  latest: (reader: Reader, most: number) =>
    reader.all<MailRow>(`SELECT ${columns} FROM mails ORDER BY created_at DESC, id DESC LIMIT ?`, most),

  /** Deletes mails that reached their final state before a time, at most `most`. Keeps mails with replies. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      `DELETE FROM mails WHERE id IN (
         SELECT id FROM mails WHERE settled_at < ? AND kind <> 'reply' LIMIT ?)`,
      before,
      most,
    ),
};

/** A published release note whose mails are not queued yet. */
export interface NoteToMail {
  readonly id: string;
  readonly appId: string;
  readonly title: string;
  readonly version: string;
  readonly bodyFormat: "items" | "markdown";
  readonly body: string;
  /** The list of changes as JSON. */
  readonly items: string;
  readonly publishedAt: string;
  /** The translations as JSON; null if there are none. */
  readonly translations: string | null;
}

const noteUnsubscribed = insert(
  tables.mailAddresses,
  "ON CONFLICT (app_id, recipient) DO UPDATE SET unsubscribed_at = excluded.unsubscribed_at",
);

/** Whether an address may get automatic mails. */
interface AddressState {
  readonly isConfirmed: boolean;
  readonly isUnsubscribed: boolean;
}

/** Mails about release notes, and their receivers. */
export const releaseMails = {
  /** Returns the oldest published release notes whose mails are not queued yet. */
  listNotes: (reader: Reader, now: string, most: number) =>
    reader.all<NoteToMail>(
      `SELECT id, app_id AS "appId", title, version, body_format AS "bodyFormat", body, items,
              published_at AS "publishedAt", translations
       FROM changelog_entries
       WHERE told_at IS NULL AND published_at IS NOT NULL AND published_at <= ? ORDER BY published_at LIMIT ?`,
      now,
      most,
    ),

  /**
   * Stores that a note's mails are queued. Returns false if this is already stored, or if the note is
   * unpublished.
   */
  claim: async (tx: Transaction, entryId: string, at: string): Promise<boolean> =>
    (await tx.run(
      "UPDATE changelog_entries SET told_at = ? WHERE id = ? AND told_at IS NULL AND published_at <= ?",
      ...[at, entryId, at],
    )) > 0,

  /** Returns the ids of the threads that a release note names. */
  async threads(reader: Reader, entryId: string): Promise<string[]> {
    const links = await reader.all<{ feedbackId: string }>(
      `SELECT feedback_id AS "feedbackId" FROM changelog_feedback WHERE entry_id = ? ORDER BY feedback_id`,
      entryId,
    );
    return links.map(({ feedbackId }) => feedbackId);
  },

  /** Returns the reports on these threads. The reports of one thread are sorted newest first. */
  async reports(reader: Reader, threadIds: readonly string[]): Promise<ReportRow[]> {
    const found: ReportRow[] = [];
    // A release note may name a thread that was merged into another one. (rule F46)
    const threads = await reader.all<{ id: string }>(
      plannedEachTime(`SELECT DISTINCT coalesce(merged_into, id) AS id FROM feedback
        WHERE id IN (${threadIds.map(() => "?").join(", ") || "NULL"}) ORDER BY 1`),
      ...threadIds,
    );
    for (const { id } of threads) found.push(...(await reports.list(reader, id)));
    return found;
  },

  /**
   * Returns the addresses that senders of an app confirmed or unsubscribed. Each address has an `AddressState`.
   */
  async addresses(reader: Reader, appId: string): Promise<ReadonlyMap<string, AddressState>> {
    const rows = await reader.all<{
      recipient: string;
      confirmedAt: string | null;
      unsubscribedAt: string | null;
    }>(
      `SELECT recipient, confirmed_at AS "confirmedAt", unsubscribed_at AS "unsubscribedAt"
       FROM mail_addresses WHERE app_id = ?`,
      appId,
    );
    return new Map(
      rows.map(({ recipient, confirmedAt, unsubscribedAt }) => [
        recipient,
        { isConfirmed: confirmedAt !== null, isUnsubscribed: unsubscribedAt !== null },
      ]),
    );
  },

  /** Returns the metadata of a report, as JSON. */
  async metadata(reader: Reader, reportId: string): Promise<string> {
    const row = await reader.get<{ metadata: string | null }>(
      "SELECT metadata FROM feedback WHERE id = ? UNION ALL SELECT metadata FROM messages WHERE id = ?",
      reportId,
      reportId,
    );
    return row?.metadata ?? "{}";
  },

  /** Returns the addresses that have a waiting or sent mail about a release note. */
  async mailed(reader: Reader, entryId: string): Promise<ReadonlySet<string>> {
    const rows = await reader.all<{ recipient: string }>(
      "SELECT recipient FROM mails WHERE subject_id = ? AND kind = 'release' AND status IN ('waiting', 'sent')",
      entryId,
    );
    return new Set(rows.map(({ recipient }) => recipient));
  },

  /** Whether the mails of a release note were already queued. If so, no more mails are queued for the note. */
  isTold: async (reader: Reader, entryId: string): Promise<boolean> =>
    (await reader.get(
      "SELECT 1 AS one FROM changelog_entries WHERE id = ? AND told_at IS NOT NULL",
      entryId,
    )) !== undefined,

  /** Deletes the waiting mails about a release note. */
  remove: (tx: Transaction, entryId: string) =>
    tx.run("DELETE FROM mails WHERE subject_id = ? AND kind = 'release' AND status = 'waiting'", entryId),

  /**
   * Deletes the waiting mails about a release note. If mails were queued after `since`, the next publication
   * queues mails again.
   */
  async withdraw(tx: Transaction, entryId: string, since: string): Promise<void> {
    await releaseMails.remove(tx, entryId);
    await tx.run(
      "UPDATE changelog_entries SET told_at = NULL WHERE id = ? AND told_at >= ?",
      ...[entryId, since],
    );
  },

  /** Returns how many mails about release notes were queued for an address since a time. */
  async countAutomatic(reader: Reader, recipient: string, since: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM mails WHERE recipient = ? AND created_at > ? AND kind = 'release'",
      recipient,
      since,
    );
    return Number(row?.count ?? 0);
  },

  /** Stops the mails about release notes of an app to an address. */
  async unsubscribe(
    tx: Transaction,
    { appId, recipient, at }: { readonly appId: string; readonly recipient: string; readonly at: string },
  ): Promise<void> {
    await noteUnsubscribed(tx, { appId, recipient, unsubscribedAt: at });
  },
};
