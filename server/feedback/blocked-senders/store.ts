import { oneForViewer } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { insert, threadsTopic, threadTopic } from "../../database/transaction.ts";
import { mailOriginals } from "../../mail/incoming/store.ts";
import { noteActivity } from "../unread/store/read-marks.ts";
import { blockedDomainOf, senderKeysOf } from "./rules.ts";

type BlockKind = "address" | "domain";

interface BlockedSenderRow {
  readonly id: string;
  readonly kind: BlockKind;
  readonly sender: string;
  readonly blockedBy: string | null;
  readonly blockedByName: string | null;
  readonly createdAt: string;
}

const columns = `b.id, b.kind, b.sender, b.created_at AS "createdAt",
  (SELECT email FROM users WHERE id = b.created_by) AS "blockedBy",
  (SELECT name FROM users WHERE id = b.created_by) AS "blockedByName"`;

const insertBlock = insert(tables.blockedSenders, "ON CONFLICT (app_id, sender, kind) DO NOTHING");

/** Queries for the blocked senders of apps. (rule F34) */
export const blockedSenders = {
  /** Returns the stored form of a typed address or domain; undefined for an invalid domain. */
  storedFormOf: (kind: BlockKind, given: string): string | undefined =>
    kind === "address" ? senderKeysOf(given).address : blockedDomainOf(given),

  list: (reader: Reader, appId: string) =>
    reader.all<BlockedSenderRow>(
      `SELECT ${columns} FROM blocked_senders b WHERE b.app_id = ? ORDER BY b.created_at DESC, b.id DESC`,
      appId,
    ),

  find: oneForViewer<BlockedSenderRow & { readonly appId: string }>({
    columns: `${columns}, b.app_id AS "appId"`,
    from: "FROM blocked_senders b",
    app: "b.app_id",
    where: "b.id = ?",
  }),

  /** Blocks a sender. Returns false if the sender is already blocked. */
  insert: (
    tx: Transaction,
    {
      by,
      ...block
    }: {
      readonly id: string;
      readonly appId: string;
      readonly kind: BlockKind;
      readonly sender: string;
      readonly by: string;
      readonly createdAt: string;
    },
  ) => insertBlock(tx, { ...block, createdBy: by }),

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM blocked_senders WHERE id = ?", id),

  /** Returns the id of a blocked sender that matches an address in `contacts`; undefined if there is none. */
  async blocking(reader: Reader, appId: string, contacts: readonly (string | null | undefined)[]) {
    const keys = contacts.flatMap((contact) => (contact ? [senderKeysOf(contact)] : []));
    if (keys.length === 0) return undefined;
    const addresses = keys.map(({ address }) => address);
    const domains = keys.flatMap((key) => key.domains);
    const placesFor = (values: readonly string[]) => values.map(() => "?").join(", ");
    const byDomain = domains.length === 0 ? "" : `OR (kind = 'domain' AND sender IN (${placesFor(domains)}))`;
    const row = await reader.get<{ id: string }>(
      `SELECT id FROM blocked_senders WHERE app_id = ?
         AND ((kind = 'address' AND sender IN (${placesFor(addresses)})) ${byDomain}) LIMIT 1`,
      ...[appId, ...addresses, ...domains],
    );
    return row?.id;
  },
};

/** A hidden report of a blocked sender, or a hidden message that the sender added to a thread. */
interface HiddenRow {
  readonly id: string;
  readonly threadId: string;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  /** The first 300 characters of the text. */
  readonly text: string;
  readonly createdAt: string;
}

const reports = {
  columns: `f.id, f.id AS "threadId", f.sender_name AS "senderName", f.sender_email AS "senderEmail",
    substr(f.message, 1, 300) AS text, f.created_at AS "createdAt"`,
  from: "FROM feedback f",
  app: "f.app_id",
};

const answers = {
  columns: `m.id, m.feedback_id AS "threadId", coalesce(m.sender_name, f.sender_name) AS "senderName",
    coalesce(m.foreign_from, m.sender_email, f.sender_email) AS "senderEmail",
    substr(m.body, 1, 300) AS text, m.created_at AS "createdAt"`,
  // CROSS JOIN makes SQLite begin with the hidden answers, which are few. Otherwise SQLite would read all threads
  // first.
  from: "FROM messages m CROSS JOIN feedback f",
  app: "f.app_id",
};

type HiddenInApp = HiddenRow & { readonly appId: string };

const where = {
  reports: "f.status = 'blocked' AND f.merged_into IS NULL",
  answers: "m.direction = 'blocked' AND f.id = m.feedback_id",
};

const findReport = oneForViewer<HiddenInApp>({
  ...reports,
  columns: `${reports.columns}, f.app_id AS "appId"`,
  where: `f.id = ? AND ${where.reports}`,
});

const findAnswer = oneForViewer<HiddenInApp>({
  ...answers,
  columns: `${answers.columns}, f.app_id AS "appId"`,
  where: `m.id = ? AND ${where.answers}`,
});

// After this statement, lists and searches contain the report again.
const showReports = `UPDATE feedback SET status = 'open', blocked_by = NULL, activity_count = activity_count + 1`;

const showAnswers = `UPDATE messages SET direction = 'inbound', blocked_by = NULL WHERE direction = 'blocked'`;

/** Selects at most `most` hidden rows of a blocked sender that arrived at the time `from` or later. */
interface HiddenPart {
  readonly appId: string;
  readonly blockId: string;
  readonly from: string;
  readonly most: number;
}

const latest = (rows: readonly { readonly createdAt: string }[]): string | undefined =>
  rows.reduce<string | undefined>(
    (last, { createdAt }) => (last === undefined || createdAt > last ? createdAt : last),
    undefined,
  );

/** Queries for hidden feedback. Hidden feedback is deleted after 30 days if no member releases it. (rule F34) */
export const hiddenFeedback = {
  /** Returns the newest hidden reports and messages of an app. */
  list: (reader: Reader, appId: string, most: number) =>
    reader.all<HiddenRow>(
      `SELECT * FROM (
         SELECT * FROM (SELECT ${reports.columns} ${reports.from} WHERE f.app_id = ? AND ${where.reports}
           ORDER BY f.created_at DESC, f.id DESC LIMIT ?) AS reports
         UNION ALL SELECT ${answers.columns} ${answers.from} WHERE f.app_id = ? AND ${where.answers}) AS hidden
       ORDER BY "createdAt" DESC, id DESC LIMIT ?`,
      ...[appId, most, appId, most],
    ),

  findReport,
  findAnswer,

  async releaseReport(tx: Transaction, id: string): Promise<void> {
    await tx.run(
      `${showAnswers} AND feedback_id = ? AND blocked_by = (SELECT blocked_by FROM feedback WHERE id = ?)`,
      ...[id, id],
    );
    await tx.run(`${showReports} WHERE id = ? AND status = 'blocked' AND merged_into IS NULL`, id);
    tx.signal(threadTopic(id));
  },

  releaseAnswer: (tx: Transaction, id: string) => tx.run(`${showAnswers} AND id = ?`, id),

  /**
   * Releases the next hidden reports, oldest first. Returns the newest released report's arrival time;
   * undefined if none was left.
   */
  async releaseReports(
    tx: Transaction,
    { appId, blockId, from, most }: HiddenPart,
  ): Promise<string | undefined> {
    const rows = await tx.all<{ createdAt: string }>(
      `${showReports} WHERE id IN (
         SELECT id FROM feedback WHERE app_id = ? AND status = 'blocked' AND created_at >= ? AND blocked_by = ?
         ORDER BY created_at LIMIT ?) AND status = 'blocked' RETURNING created_at AS "createdAt"`,
      ...[appId, from, blockId, most],
    );
    if (rows.length > 0) tx.signal(threadsTopic);
    return latest(rows);
  },

  /**
   * Does for hidden messages what `releaseReports` does for reports. A released message counts as thread
   * activity at its arrival.
   */
  async releaseAnswers(tx: Transaction, { blockId, from, most }: HiddenPart): Promise<string | undefined> {
    const rows = await tx.all<{ threadId: string; createdAt: string }>(
      `${showAnswers} AND id IN (
         SELECT id FROM messages WHERE direction = 'blocked' AND created_at >= ? AND blocked_by = ?
         ORDER BY created_at LIMIT ?) RETURNING feedback_id AS "threadId", created_at AS "createdAt"`,
      ...[from, blockId, most],
    );
    const threads = new Map<string, string>();
    for (const { threadId, createdAt } of rows)
      if (createdAt > (threads.get(threadId) ?? "")) threads.set(threadId, createdAt);
    for (const [threadId, at] of threads) await noteActivity(tx, threadId, { at });
    if (rows.length > 0) tx.signal(threadsTopic);
    return latest(rows);
  },

  /** Returns at most `most` hidden reports that arrived before a time. */
  oldReports: (reader: Reader, before: string, most: number) =>
    reader.all<{ id: string }>(
      `SELECT id FROM feedback WHERE status = 'blocked' AND merged_into IS NULL AND created_at < ? LIMIT ?`,
      ...[before, most],
    ),

  /** Returns at most `most` hidden messages that arrived before a time. */
  oldAnswers: (reader: Reader, before: string, most: number) =>
    reader.all<{ id: string; files: string | null }>(
      "SELECT id, files FROM messages WHERE direction = 'blocked' AND created_at < ? LIMIT ?",
      ...[before, most],
    ),

  /** Deletes a hidden message, its uploads, and the original of its mail. */
  async removeAnswer(tx: Transaction, { id, files }: { readonly id: string; readonly files: string | null }) {
    const kinds: Record<string, { upload: string }[]> = JSON.parse(files ?? "{}");
    for (const { upload } of Object.values(kinds).flat())
      await tx.run("DELETE FROM uploads WHERE name = ?", upload);
    await mailOriginals.remove(tx, id);
    await tx.run("DELETE FROM messages WHERE id = ? AND direction = 'blocked'", id);
  },
};
