import { limits } from "../../../../src/contract/limits.ts";
import { type ReportTexts, reportTexts } from "../../../../src/contract/report-texts.ts";
import type { Assignee } from "../../../../src/contract/threads.ts";
import { emailOf, nameOf, nameOfActor } from "../../../access/members/authors.ts";
import {
  eachForViewer,
  oneForViewer,
  type Seen,
  type Viewer,
  type WantedRow,
  wantedId,
  wantedRows,
} from "../../../access/members/visibility.ts";
import type { Database, Engine, Inserter, Reader, Transaction } from "../../../database/database.ts";
import type { Condition } from "../../../database/lists.ts";
import { readTogether } from "../../../database/read-together.ts";
import * as tables from "../../../database/schema/feedback.ts";
import { columnOf, listed, threadTopic } from "../../../database/transaction.ts";
import type { StoredChat } from "../../chat/store.ts";
import type { AuditedChange, DecidedRun, NamingRelease } from "../rules.ts";

/** The stored form of a thread. `metadata`, `metadataDropped` and `files` are JSON. */
export interface NewThread extends ReportTexts {
  readonly id: string;
  readonly appId: string;
  readonly subject: string;
  readonly message: string;
  readonly category: string;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  readonly metadata: string;
  /** The entries of the metadata that were not stored. */
  readonly metadataDropped?: string | null | undefined;
  readonly files: string;
  readonly dedupeKey: string | null;
  readonly createdAt: string;
  /** The id of the entry in the list of blocked senders because of which the report is hidden. */
  readonly blockedBy?: string | undefined;
}

export interface ThreadRow extends Omit<NewThread, "blockedBy">, AssigneeRow {
  readonly appName: string;
  readonly senderPages: number;
  /** The number of the thread, or null until the threads of the app are numbered. */
  readonly number: number | null;
  readonly status: string;
  readonly occurrences: number;
  readonly githubIssueUrl: string | null;
  readonly snoozedUntil: string | null;
  /**
   * A JSON list of messages, oldest first. It contains the newest messages, or the newest messages before
   * `before`.
   */
  readonly messages: string;
  /** A JSON list of proposals, oldest first. */
  readonly proposals: string;
  /** The number of all messages of the thread, or only of those that are older than `before`. */
  readonly messageCount: number;
}

/** The id of a thread, and the id of the message before which its messages are read. */
interface OlderPart {
  readonly id: string;
  readonly before: string;
}

/** The statements that store and read threads. */
export const feedbackThreads = {
  insert: (into: Inserter, thread: NewThread) =>
    into.insert(tables.feedback, {
      ...thread,
      status: thread.blockedBy === undefined ? "open" : "blocked",
      blockedBy: thread.blockedBy ?? null,
      occurrences: 1,
      indexed: 1,
    }),

  /**
   * Returns the id of the unfinished thread for a repeated report. `failureId` is the id of the thread with
   * `dedupeKey`, even if that thread was merged into another thread. (rule F10)
   */
  findRepeated: (
    tx: Transaction,
    { appId, blockedBy }: Pick<NewThread, "appId" | "blockedBy">,
    dedupeKey: string,
  ) =>
    tx.get<{ id: string; failureId: string }>(
      `SELECT f.id, feedback.id AS "failureId" FROM feedback CROSS JOIN feedback f
       WHERE feedback.app_id = ? AND feedback.dedupe_key = ? AND f.id = coalesce(feedback.merged_into, feedback.id)
         AND f.status IN ('open', 'in_progress'${blockedBy === undefined ? "" : ", 'blocked'"})
       ORDER BY feedback.created_at DESC LIMIT 1`,
      appId,
      dedupeKey,
    ),

  /** Returns the newest resolved thread of the same failure that was created before the given thread. */
  findResolved: (
    reader: Reader,
    { id, appId, createdAt }: Pick<NewThread, "id" | "appId" | "createdAt">,
    dedupeKey: string,
  ) =>
    reader.get<Pick<NewThread, "id" | "subject" | "createdAt">>(
      `SELECT f.id, f.subject, f.created_at AS "createdAt" FROM feedback k CROSS JOIN feedback f
       WHERE k.app_id = ? AND k.dedupe_key = ? AND k.created_at < ? AND f.id = coalesce(k.merged_into, k.id)
         AND f.status = 'resolved' AND f.id <> ?
       ORDER BY k.created_at DESC LIMIT 1`,
      ...[appId, dedupeKey, createdAt, id],
    ),

  async repeat(tx: Transaction, id: string): Promise<void> {
    await tx.run("UPDATE feedback SET occurrences = occurrences + 1 WHERE id = ?", id);
    tx.signal(threadTopic(id));
  },

  /** Reads a thread with its messages and proposals in one statement. */
  findThread: (reader: Reader, id: string, viewer: Viewer) => wholeThread(reader, viewer, id),

  /**
   * Returns the same as `findThread`, but only the newest proposal. Agents see no other proposal, and there may be
   * hundreds.
   */
  findThreadForAgent: (reader: Reader, id: string, viewer: Viewer) => threadForAgent(reader, viewer, id),

  /**
   * Returns a function like `findThreadForAgent`. On SQLite, one statement answers all requests of the same
   * event loop turn.
   */
  createFindThreadForAgent(reader: Reader): (wanted: WantedRow) => Promise<Seen<ThreadRow> | undefined> {
    const one = ({ id, viewer }: WantedRow) => threadForAgent(reader, viewer, id);
    if (reader.engine === "postgres") return one;
    return readTogether({ one, many: (wanted) => threadsForAgents(reader, wanted) });
  },

  /**
   * Returns the same as `findThread`, but with messages before `before`. Returns undefined if there is no such message.
   */
  findOlder: (reader: Reader, { id, before }: OlderPart, viewer: Viewer) =>
    olderThread(reader, viewer, before, id),

  /** Returns the same as `findOlder`, but with only the newest proposal. */
  findOlderForAgent: (reader: Reader, { id, before }: OlderPart, viewer: Viewer) =>
    olderThreadForAgent(reader, viewer, before, id),

  /** Returns basic data of a thread that the viewer may see, or of the thread into which it was merged. */
  findApp: (reader: Reader, id: string, viewer: Viewer) => appOfThread(reader, viewer, id),

  /** Stores the status of the newest proposal, and what it waits for. Lists of threads read these values. */
  setProposalStatus: (tx: Transaction, id: string) =>
    tx.run(`UPDATE feedback SET ${proposalState} WHERE id = ?`, id),
};

/** Returns SQL for the id of the thread into which `id` was merged, or for `id` itself. */
function leadsTo(id: string): string {
  return `(SELECT coalesce(l.merged_into, l.id) FROM feedback l WHERE l.id = ${id})`;
}

const inApp = {
  from: "FROM feedback f JOIN apps a ON a.id = f.app_id",
  app: "f.app_id",
  // A merged thread leads to the thread into which it was merged. (rule F46)
  where: `f.id = ${leadsTo("?")} AND f.status <> 'blocked'`,
};

const appOfThread = oneForViewer<Pick<ThreadRow, "id" | "appId" | "subject" | "appName"> & StoredChat>({
  ...inApp,
  columns: `f.id, f.app_id AS "appId", a.chat_webhook_url AS "chatWebhookUrl", a.chat_format AS "chatFormat", f.subject, a.name AS "appName"`,
});

/** The messages of a thread (table `f`) that a statement reads. */
interface MessagesRead {
  /** The FROM clause of the statement. */
  readonly from: string;
  /** The SQL condition for the messages to read. */
  readonly inPart: string;
  /** The SQL condition for messages that fit into one answer. */
  readonly fits: string;
}

const threadOn = (engine: Engine, mostProposals: number, read: MessagesRead = newestPart) => ({
  ...inApp,
  from: read.from,
  columns: `f.id, f.number, f.app_id AS "appId", a.name AS "appName", a.sender_pages AS "senderPages", f.subject, f.message, f.category, f.status,
                 ${listed(
                   tables.feedback,
                   reportTexts.map(({ name }) => name),
                   "f",
                 )}, f.sender_name AS "senderName", f.sender_email AS "senderEmail", f.metadata,
                 f.metadata_dropped AS "metadataDropped", f.files,
                 f.dedupe_key AS "dedupeKey", f.occurrences, f.github_issue_url AS "githubIssueUrl", f.snoozed_until AS "snoozedUntil",
                 f.created_at AS "createdAt", ${messagesOf(engine, read)} AS messages, ${proposalsOf(engine, mostProposals)} AS proposals,
                 ${assigneeColumns}, (SELECT count(*) FROM messages WHERE ${read.inPart}) AS "messageCount"`,
});

function messagesOf(engine: Engine, read: MessagesRead): string {
  return jsonRows(
    engine,
    [
      ...["id", "direction", "author", "body", "created_at", "report_id", "everyone", "foreign_from"],
      ...["origin_id", "before_merge"],
      ...["category", "subject", ...reportTexts.map(({ name }) => columnOf(tables.messages, name))],
      ...["sender_name", "sender_email", "metadata", "metadata_dropped", "files"],
    ],
    newestMessages(read)[engine],
  );
}

const bytesOfMessage = ["body", "metadata", "metadata_dropped", "files"]
  .map((column) => `coalesce(octet_length(${column}), 0)`)
  .join(" + ");

const bytesSoFar = "sum(bytes) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS total";

/** The SQL condition that a message and all newer ones fit into one answer. The newest one always fits. */
const fits = `total <= ${limits.threadMessageBytes} OR total = bytes`;

const ofThread = "feedback_id = f.id AND direction <> 'blocked'";

/**
 * The newest messages of the thread. Only reports may be left out, because long reports must not hide other
 * messages.
 */
const newestPart: MessagesRead = {
  from: inApp.from,
  inPart: ofThread,
  fits: `(${fits} OR category IS NULL)`,
};

/** The messages older than the message `b`. Messages that do not fit are in the next answer. */
const olderPart: MessagesRead = {
  from: `${inApp.from} JOIN messages b ON b.feedback_id = f.id AND b.id = ? AND b.direction <> 'blocked'`,
  inPart: `${ofThread} AND (created_at, id) < (b.created_at, b.id)`,
  fits: `(${fits})`,
};

/** Returns SQL for the newest messages, oldest first. Limits keep the answer short. (rule F19) */
const newestMessages = ({ inPart, fits }: MessagesRead): Readonly<Record<Engine, string>> => {
  const newest = `${inPart} ORDER BY created_at DESC, id DESC LIMIT ${limits.threadMessages}`;
  return {
    // The query adds the sizes first and reads the messages afterwards. Otherwise SQLite would copy whole
    // messages for the sums.
    sqlite: `FROM (SELECT place, bytes, ${bytesSoFar}
            FROM (SELECT rowid AS place, created_at, id, ${bytesOfMessage} AS bytes FROM messages WHERE ${newest}) AS newest) AS sums
          CROSS JOIN messages ON messages.rowid = place WHERE ${fits} ORDER BY created_at, id`,
    postgres: `FROM (SELECT *, ${bytesSoFar}
            FROM (SELECT *, ${bytesOfMessage} AS bytes FROM messages WHERE ${newest}) AS newest) AS sums
          WHERE ${fits} ORDER BY created_at, id`,
  };
};

function proposalsOf(engine: Engine, most: number): string {
  return jsonRows(
    engine,
    [
      ...["id", "status", "summary", "plan", "decision_note", "decided_at", "created_at", "replaced_by"],
      ...["decision", "expires_at", "first_read_at"],
    ],
    newestProposals(most),
  );
}

/** Returns SQL for the newest proposals of a thread, oldest first. */
const newestProposals = (most: number): string =>
  `FROM (SELECT * FROM runs WHERE feedback_id = f.id ORDER BY ${newestFirst("runs")} LIMIT ${most}) AS newest
          ORDER BY ${ofOwnThread("newest")}, created_at, id`;

/** Returns a subquery that reads rows as a JSON array of objects with names in camelCase. */
function jsonRows(engine: Engine, columns: readonly string[], from: string): string {
  const pairs = columns.map((column) => `'${camelCase(column)}', ${column}`).join(", ");
  const rows = `(SELECT ${columns.join(", ")} ${from}) AS part`;
  if (engine === "sqlite") return `(SELECT json_group_array(json_object(${pairs})) FROM ${rows})`;
  return `(SELECT coalesce(json_agg(json_build_object(${pairs})), '[]')::text FROM ${rows})`;
}

function camelCase(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Creates the statement that finds a thread. Its long text is built once for each engine. */
const threadWith = (mostProposals: number, read: MessagesRead = newestPart) =>
  oneForViewer<ThreadRow>({
    sqlite: threadOn("sqlite", mostProposals, read),
    postgres: threadOn("postgres", mostProposals, read),
  });

/** The columns that describe the assignee of a thread `f`. */
export const assigneeColumns = `f.assignee_id AS "assigneeId",
  (SELECT email FROM users WHERE id = f.assignee_id) AS "assigneeEmail",
  (SELECT name FROM users WHERE id = f.assignee_id) AS "assigneeName"`;

const wholeThread = threadWith(limits.threadProposals);

const threadForAgent = threadWith(1);

const olderThread = threadWith(limits.threadProposals, olderPart);

const olderThreadForAgent = threadWith(1, olderPart);

const threadsForAgents = eachForViewer<ThreadRow>({
  ...threadOn("sqlite", 1),
  // With CROSS JOIN, SQLite keeps this order of the tables.
  from: `FROM ${wantedRows} CROSS JOIN feedback f JOIN apps a ON a.id = f.app_id`,
  where: `f.id = ${leadsTo(wantedId)} AND f.status <> 'blocked'`,
});

/** Returns SQL that sorts the proposals `r` of a thread, newest first. Proposals from merged threads are last. */
export function newestFirst(r: string): string {
  return `${ofOwnThread(r)} DESC, ${r}.created_at DESC, ${r}.id DESC`;
}

/** Returns SQL that is 1 if `r` was created in its current thread, otherwise 0. An index uses this SQL. */
function ofOwnThread(r: string): string {
  return `(CASE WHEN ${r}.origin_id IS NULL THEN 1 ELSE 0 END)`;
}

/** Returns the SQL condition that the proposal `n` of a thread is newer than its proposal `r`. */
export const isNewer = (n: string, r: string): string =>
  `(${ofOwnThread(n)}, ${n}.created_at, ${n}.id) > (${ofOwnThread(r)}, ${r}.created_at, ${r}.id)`;

const newestRun = `FROM runs r LEFT JOIN run_claims c ON c.run_id = r.id AND c.released_at IS NULL
  WHERE r.feedback_id = feedback.id ORDER BY ${newestFirst("r")} LIMIT 1`;

/** SQL for what a proposal waits for: one of `waitingStates`, or null for `none`. (rule A29) */
const waitingOf = `CASE
  WHEN r.status = 'awaiting_approval' THEN 'approval'
  WHEN r.decision = 'request_changes' THEN 'changes'
  WHEN r.status = 'approved' AND c.id IS NULL THEN 'approved'
  WHEN r.status = 'approved' AND c.outcome_status IS NULL THEN 'outcome' END`;

/** SQL assignments for a thread: the status of its newest proposal, and what that proposal waits for. */
export const proposalState = `proposal_status = (SELECT r.status ${newestRun}), waiting = (SELECT ${waitingOf} ${newestRun})`;

/**
 * Numbers the new threads of an app. Call it before reading threads, because reports are stored without a
 * number. (rule F40)
 */
export async function numberThreads(database: Database, appId: string): Promise<void> {
  if (!(await hasUnnumbered(database, appId))) return;
  // Errors are ignored, so that people can still read the threads if the disk is full.
  await numberAll(database, appId).catch(() => undefined);
}

async function numberAll(database: Database, appId: string): Promise<void> {
  for (;;) if ((await database.write((tx) => numberThreadsIn(tx, appId))) < mostAtOnce) return;
}

/** The maximum number of threads that one transaction numbers. An import can add very many threads. */
const mostAtOnce = 2_000;

/** Numbers at most `mostAtOnce` threads, and returns how many it numbered. */
async function numberThreadsIn(tx: Transaction, appId: string): Promise<number> {
  await tx.lock(`thread numbers ${appId}`);
  const last = await tx.get<{ last: number }>(
    `SELECT CASE WHEN last_thread_number < coalesce(f.highest, 0) THEN f.highest ELSE last_thread_number END AS last
     FROM apps, (SELECT max(number) AS highest FROM feedback WHERE app_id = ? AND number IS NOT NULL) AS f
     WHERE id = ?`,
    ...[appId, appId],
  );
  if (last === undefined) return 0;
  const given = await tx.run(
    `UPDATE feedback SET number = numbered.number FROM (
       SELECT seq, ? + row_number() OVER (ORDER BY seq) AS number
       FROM (SELECT seq FROM feedback WHERE app_id = ? AND ${unnumbered}
             ORDER BY seq LIMIT ${mostAtOnce}) AS next) AS numbered
     WHERE numbered.seq = feedback.seq`,
    ...[last.last, appId],
  );
  await tx.run("UPDATE apps SET last_thread_number = ? WHERE id = ?", last.last + given, appId);
  return given;
}

const unnumbered = "number IS NULL AND status <> 'blocked'";

const hasUnnumbered = async (reader: Reader, appId: string): Promise<boolean> =>
  (await reader.get<{ found: number }>(
    `SELECT 1 AS found FROM feedback WHERE app_id = ? AND ${unnumbered} LIMIT 1`,
    appId,
  )) !== undefined;

/**
 * Returns the condition for the thread with `number`. For a merged thread, finds the thread into which it was
 * merged. (rule F46)
 */
export const withNumber = (appIds: readonly string[], number: number): Condition => [
  `f.id IN (SELECT coalesce(k.merged_into, k.id) FROM feedback k
     WHERE k.app_id IN (${appIds.map(() => "?").join(", ")}) AND k.number = ?)`,
  ...[...appIds, number],
];

/** Returns the assignee of a thread, or null if it has none. */
export const assigneeOf = ({ assigneeId, assigneeEmail, assigneeName }: AssigneeRow): Assignee | null =>
  assigneeId === null || assigneeEmail === null
    ? null
    : { userId: assigneeId, email: assigneeEmail, name: assigneeName };

/** The values of `assigneeColumns`. */
export interface AssigneeRow {
  readonly assigneeId: string | null;
  readonly assigneeEmail: string | null;
  readonly assigneeName: string | null;
}

/** The assignees of threads. (rule F31) */
export const assignees = {
  of: (reader: Reader, feedbackId: string) =>
    reader.get<AssigneeRow>(`SELECT ${assigneeColumns} FROM feedback f WHERE f.id = ?`, feedbackId),

  set: (tx: Transaction, feedbackId: string, userId: string | null) =>
    tx.run("UPDATE feedback SET assignee_id = ? WHERE id = ?", userId, feedbackId),

  /** Removes a member as the assignee from all threads of an app. */
  takeAll: (tx: Transaction, appId: string, userId: string) =>
    tx.run("UPDATE feedback SET assignee_id = NULL WHERE assignee_id = ? AND app_id = ?", userId, appId),
};

/** The maximum number of changes that are read for a thread. */
const mostChanges = 500;

const actions = [
  "thread.update",
  "thread.assign",
  "thread.tag",
  "thread.resolve",
  "thread.reopen",
  "thread.snooze",
  "thread.merge",
  "thread.unmerge",
]
  .map((action) => `'${action}'`)
  .join(", ");

/** Returns the newest changes of a thread from the audit log, newest first. */
export const auditedChanges = (reader: Reader, feedbackId: string): Promise<AuditedChange[]> =>
  reader.all<AuditedChange>(
    `SELECT id, at, actor, changes, ${nameOfActor(reader.engine, "audit.app_id")} AS "byName" FROM audit
     WHERE target = ? AND changes IS NOT NULL AND action IN (${actions})
     ORDER BY at DESC, id DESC LIMIT ${mostChanges}`,
    feedbackId,
  );

/** Returns the proposals of a thread that were decided. */
export const decidedRuns = (reader: Reader, feedbackId: string): Promise<DecidedRun[]> =>
  reader.all<DecidedRun>(
    `SELECT r.id, r.decided_at AS at, r.decision, ${emailOf("r.decided_by")} AS by,
       ${nameOf("r.decided_by", "f.app_id")} AS "byName"
     FROM runs r JOIN feedback f ON f.id = r.feedback_id WHERE r.feedback_id = ? AND r.decided_at IS NOT NULL AND r.decision IS NOT NULL`,
    feedbackId,
  );

/** Returns the release notes published by `now` that refer to the thread or to one merged into it. */
export const namingReleases = (reader: Reader, feedbackId: string, now: string): Promise<NamingRelease[]> =>
  reader.all<NamingRelease>(
    `SELECT e.id, e.published_at AS at, e.version, e.title
     FROM changelog_entries e WHERE e.published_at <= ? AND e.id IN (SELECT c.entry_id FROM changelog_feedback c
       WHERE c.feedback_id IN (SELECT k.id FROM feedback k WHERE k.id = ? OR k.merged_into = ?))`,
    ...[now, feedbackId, feedbackId],
  );
