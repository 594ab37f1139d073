import { limits } from "../../../src/contract/limits.ts";
import type { Engine, Inserter, Reader, Transaction } from "../engine/database.ts";

/** The stored form of a thread. `metadata` and `files` are JSON. */
export interface NewThread {
  readonly id: string;
  readonly appId: string;
  readonly subject: string;
  readonly message: string;
  readonly category: string;
  readonly source: string | null;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly metadata: string;
  readonly files: string;
  readonly dedupeKey: string | null;
  readonly createdAt: string;
}

export interface ThreadRow extends NewThread {
  readonly appName: string;
  readonly status: string;
  readonly occurrences: number;
  readonly githubIssueUrl: string | null;
  /** JSON arrays, oldest first. */
  readonly messages: string;
  readonly proposals: string;
  /** The number of all messages, including those that `messages` leaves out. */
  readonly messageCount: number;
}

/** The owner who asks, and the app to which the credential is limited; null if it is not limited. */
export interface Viewer {
  readonly userId: string;
  readonly appId: string | null;
}

/** The threads of feedback. */
export const feedbackThreads = {
  insert: (into: Inserter, thread: NewThread) =>
    into.insert("feedback", {
      id: thread.id,
      app_id: thread.appId,
      subject: thread.subject,
      message: thread.message,
      category: thread.category,
      status: "open",
      source: thread.source,
      sender_name: thread.senderName,
      sender_email: thread.senderEmail,
      metadata: thread.metadata,
      files: thread.files,
      dedupe_key: thread.dedupeKey,
      occurrences: 1,
      indexed: 0,
      created_at: thread.createdAt,
    }),

  /** The open thread to which a repeated report of the same failure belongs. */
  findRepeated: (tx: Transaction, appId: string, dedupeKey: string) =>
    tx.get<{ id: string }>(
      `SELECT id FROM feedback
       WHERE app_id = ? AND dedupe_key = ? AND status IN ('open', 'in_progress') ORDER BY created_at DESC LIMIT 1`,
      appId,
      dedupeKey,
    ),

  repeat: (tx: Transaction, id: string) =>
    tx.run("UPDATE feedback SET occurrences = occurrences + 1 WHERE id = ?", id),

  /** One thread with its messages and proposals, in one statement. */
  findThread: (reader: Reader, id: string, viewer: Viewer) =>
    reader.get<ThreadRow>(wholeThread[reader.engine], id, viewer.userId, viewer.appId),

  /** The app and the subject of a thread, if the viewer may see it. */
  findApp: (reader: Reader, id: string, viewer: Viewer) =>
    reader.get<{ appId: string; chatWebhookUrl: string | null; subject: string; appName: string }>(
      `SELECT f.app_id AS "appId", a.chat_webhook_url AS "chatWebhookUrl", f.subject, a.name AS "appName"
       FROM feedback f JOIN apps a ON a.id = f.app_id
       WHERE f.id = ? AND a.owner_id = ? AND f.app_id = coalesce(?, f.app_id)`,
      id,
      viewer.userId,
      viewer.appId,
    ),

  setProposalStatus: (tx: Transaction, id: string, status: string) =>
    tx.run("UPDATE feedback SET proposal_status = ? WHERE id = ?", status, id),
};

/** The statement of `findThread`. It is long, so it is built once for each engine. */
const wholeThread = { sqlite: wholeThreadOn("sqlite"), postgres: wholeThreadOn("postgres") };

function wholeThreadOn(engine: Engine): string {
  return `SELECT f.id, f.app_id AS "appId", a.name AS "appName", f.subject, f.message, f.category, f.status, f.source,
                 f.sender_name AS "senderName", f.sender_email AS "senderEmail", f.metadata, f.files,
                 f.dedupe_key AS "dedupeKey", f.occurrences, f.github_issue_url AS "githubIssueUrl",
                 f.created_at AS "createdAt", ${messagesOf(engine)} AS messages, ${proposalsOf(engine)} AS proposals,
                 (SELECT count(*) FROM messages WHERE feedback_id = f.id) AS "messageCount"
          FROM feedback f JOIN apps a ON a.id = f.app_id
          WHERE f.id = ? AND a.owner_id = ? AND f.app_id = coalesce(?, f.app_id)`;
}

function messagesOf(engine: Engine): string {
  return jsonRows(
    engine,
    [
      ...["id", "direction", "author", "body", "created_at"],
      ...["category", "subject", "source", "sender_name", "sender_email", "metadata", "files"],
    ],
    newest("messages", limits.threadMessages),
  );
}

function proposalsOf(engine: Engine): string {
  return jsonRows(
    engine,
    ["id", "status", "summary", "plan", "decision_note", "decided_at", "created_at", "replaced_by"],
    newest("runs", limits.threadProposals),
  );
}

/** The newest rows of a thread, oldest first. The limit keeps a thread readable that is repeated for months. */
function newest(table: string, most: number): string {
  return `FROM (SELECT * FROM ${table} WHERE feedback_id = f.id ORDER BY created_at DESC, id DESC LIMIT ${most}) AS newest
          ORDER BY created_at, id`;
}

/** A subquery that gives rows as one JSON array of objects with camelCase names. */
function jsonRows(engine: Engine, columns: readonly string[], from: string): string {
  const pairs = columns.map((column) => `'${camelCase(column)}', ${column}`).join(", ");
  const rows = `(SELECT ${columns.join(", ")} ${from}) AS part`;
  if (engine === "sqlite") return `(SELECT json_group_array(json_object(${pairs})) FROM ${rows})`;
  return `(SELECT coalesce(json_agg(json_build_object(${pairs})), '[]')::text FROM ${rows})`;
}

function camelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
