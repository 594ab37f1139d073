import { reportTexts } from "../../../src/contract/report-texts.ts";
import type { RunStatus } from "../../../src/contract/runs.ts";
import { emailOf, nameOf } from "../../access/members/authors.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/feedback.ts";
import { corrections, repeatsOf } from "../../database/schema/statistics.ts";
import { columnOf, erasuresTopic, proposalTopic, threadTopic } from "../../database/transaction.ts";
import { mails } from "../../mail/outgoing/store.ts";
import { reports } from "../../mail/sender-page/store.ts";
import { notices } from "../../notices/waiting/store.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import type { NewMessage } from "../messages/store.ts";
import {
  type DividedReports,
  type MergeStep,
  placesOfMail,
  type Reopened,
  type SharedReply,
  type ThreadState,
} from "./rules.ts";

/** A thread that was merged into another thread. `status` and `tags` are from before the merge. */
export interface MergeRow extends MergeStep {
  readonly threadNumber: number | null;
  readonly status: string;
  /** A JSON list of tag ids. */
  readonly tags: string;
  readonly mergedAt: string;
  readonly mergedBy: string | null;
  readonly mergedByName: string | null;
  readonly erased: number;
  /**
   * The values of the thread `intoId` before and after the merge (`Reopened`) as JSON; null if nothing changed.
   */
  readonly reopened: string | null;
  /** The subject of the merged thread; null if its report was erased. */
  readonly subject: string | null;
}

export interface MergeableRow {
  readonly id: string;
  readonly appId: string;
  readonly number: number | null;
  readonly status: string;
  readonly snoozedUntil: string | null;
  readonly dedupeKey: string | null;
  readonly mergedInto: string | null;
}

interface RunRow {
  readonly status: RunStatus;
  readonly expiresAt: string | null;
  readonly outcomeStatus: string | null;
}

/** The columns of a report that exist both in threads and in messages. */
const reportColumns = [
  ...["category", ...reportTexts.map(({ name }) => columnOf(tables.messages, name))],
  ...["sender_name", "sender_email", "metadata", "metadata_dropped", "files", "link_counter", "created_at"],
];

const noFiles = JSON.stringify({ images: [], videos: [], attachments: [] });

const emptied = reportTexts.map(({ name }) => `${columnOf(tables.feedback, name)} = NULL`).join(", ");

/** Sets `answered` to 1 if the last message to or from a sender is a reply; otherwise to 0. */
const answeredAgain = `UPDATE feedback SET answered = coalesce((
    SELECT CASE m.direction WHEN 'outbound' THEN 1 ELSE 0 END FROM messages m
    WHERE m.feedback_id = feedback.id AND m.direction IN ('inbound', 'outbound')
    ORDER BY m.created_at DESC, m.id DESC LIMIT 1), 0) WHERE id = ?`;

const unfinished = (status: string): string => `${status} IN ('open', 'in_progress')`;

/** The messages of a thread to and from senders. `origin_id` is the merged thread in which a message was written. */
const written = `FROM messages m WHERE m.feedback_id = feedback.id AND m.direction IN ('inbound', 'outbound')`;

/**
 * Sets `answered` of a thread with merged threads to 0 if one of these threads still waits for a reply. (rule
 * F77)
 */
const stillWaits = `UPDATE feedback SET answered = 0 WHERE id = ? AND answered = 1
  AND EXISTS (SELECT 1 FROM feedback k WHERE k.merged_into = feedback.id)
  AND (coalesce((SELECT m.direction ${written} AND m.origin_id IS NULL ORDER BY m.created_at DESC, m.id DESC LIMIT 1), 'inbound') = 'inbound'
    OR EXISTS (
      SELECT 1 FROM (
        SELECT m.direction, m.origin_id, row_number() OVER (
          PARTITION BY m.origin_id ORDER BY m.created_at DESC, m.id DESC) AS place ${written}) AS newest
      JOIN thread_merges g ON g.feedback_id = newest.origin_id
      WHERE newest.place = 1 AND newest.direction = 'inbound' AND ${unfinished("g.status")} AND NOT EXISTS (
        SELECT 1 ${written} AND m.direction = 'outbound' AND m.created_at >= g.merged_at)))`;

/**
 * Locks the rows of threads on PostgreSQL. Call it before changes of notices: another order can cause a
 * deadlock.
 */
async function lockRows(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (tx.engine === "postgres")
    await tx.run(
      `SELECT id FROM feedback WHERE id IN (${listed(ids)}) ORDER BY id FOR NO KEY UPDATE`,
      ...ids,
    );
}

const listed = (ids: Iterable<string>): string => [...ids].map(() => "?").join(", ");

/** Queries for merges of threads. (rule F46) */
export const merges = {
  find: (reader: Reader, id: string): Promise<MergeableRow | undefined> =>
    reader.get<MergeableRow>(
      `SELECT id, app_id AS "appId", number, status, snoozed_until AS "snoozedUntil", dedupe_key AS "dedupeKey", merged_into AS "mergedInto"
       FROM feedback WHERE id = ?`,
      id,
    ),

  /** Returns the merges into a thread, directly or through other threads, in the order in which they were made. */
  into: (reader: Reader, threadId: string): Promise<MergeRow[]> =>
    reader.all<MergeRow>(
      `SELECT g.feedback_id AS id, g.into_id AS "intoId", g.number, f.number AS "threadNumber", g.status, g.tags,
         g.merged_at AS "mergedAt", ${emailOf("g.merged_by")} AS "mergedBy", ${nameOf("g.merged_by", "f.app_id")} AS "mergedByName",
         g.erased, g.reopened, m.subject
       FROM feedback f JOIN thread_merges g ON g.feedback_id = f.id LEFT JOIN messages m ON m.id = f.id
       WHERE f.merged_into = ? ORDER BY g.number, g.feedback_id`,
      threadId,
    ),

  /** Returns the keys of the failures that belong to these threads, directly or through merged threads. */
  async keysOf(reader: Reader, ids: readonly string[]): Promise<string[]> {
    const rows = await reader.all<{ key: string }>(
      `SELECT DISTINCT dedupe_key AS key FROM feedback
       WHERE (id IN (${listed(ids)}) OR merged_into IN (${listed(ids)})) AND dedupe_key IS NOT NULL`,
      ...ids,
      ...ids,
    );
    return rows.map(({ key }) => key);
  },

  runs: (reader: Reader, feedbackId: string): Promise<RunRow[]> =>
    reader.all<RunRow>(
      `SELECT r.status, r.expires_at AS "expiresAt", c.outcome_status AS "outcomeStatus"
       FROM runs r LEFT JOIN run_claims c ON c.run_id = r.id AND c.released_at IS NULL WHERE r.feedback_id = ?`,
      feedbackId,
    ),

  /** Counts the messages of a thread, but at most `most`. */
  async countMessages(reader: Reader, feedbackId: string, most: number): Promise<number> {
    const row = await reader.get<{ count: number }>(
      "SELECT count(*) AS count FROM (SELECT 1 AS one FROM messages WHERE feedback_id = ? LIMIT ?) AS counted",
      ...[feedbackId, most],
    );
    return Number(row?.count ?? 0);
  },

  /** Counts the threads that were merged into these threads, directly or through other threads, but at most `most`. */
  async countThreads(reader: Reader, ids: readonly string[], most: number): Promise<number> {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 AS one FROM feedback WHERE merged_into IN (${listed(ids)}) LIMIT ?) AS counted`,
      ...[...ids, most],
    );
    return Number(row?.count ?? 0);
  },

  /** Returns the ids and numbers of the merges into a thread, directly or through other threads. */
  steps: (reader: Reader, threadId: string): Promise<MergeStep[]> =>
    reader.all<MergeStep>(
      `SELECT g.feedback_id AS id, g.into_id AS "intoId", g.number
       FROM feedback f JOIN thread_merges g ON g.feedback_id = f.id WHERE f.merged_into = ?`,
      threadId,
    ),

  /**
   * Returns the highest number of a merge into these threads; 0 without a merge. `before_merge` keeps the
   * numbers of undone merges.
   */
  async lastNumber(reader: Reader, ids: readonly string[]): Promise<number> {
    const row = await reader.get<{ last: number | null }>(
      `SELECT max(number) AS last FROM (
         SELECT max(g.number) AS number FROM feedback f JOIN thread_merges g ON g.feedback_id = f.id
         WHERE f.merged_into IN (${listed(ids)})
         UNION ALL SELECT max(before_merge) FROM messages
         WHERE feedback_id IN (${listed(ids)}) AND everyone = 1) AS numbers`,
      ...ids,
      ...ids,
    );
    return Number(row?.last ?? 0);
  },

  /** Hides a thread, and moves everything in it to the thread `intoId`. */
  async merge(
    tx: Transaction,
    {
      id,
      intoId,
      number,
      appId,
      at,
      by,
    }: MergeStep & { readonly appId: string; readonly at: string; readonly by: string },
  ): Promise<void> {
    await lockRows(tx, [id, intoId]);
    const waits = await tx.get(
      `SELECT 1 AS one FROM feedback WHERE id IN (?, ?) AND answered = 0 AND ${unfinished("status")} LIMIT 1`,
      ...[id, intoId],
    );
    await tx.run(
      `UPDATE messages SET before_merge = ? WHERE feedback_id IN (?, ?) AND everyone = 1 AND before_merge IS NULL`,
      ...[number, id, intoId],
    );
    await tx.run(
      `INSERT INTO thread_merges (feedback_id, app_id, into_id, number, status, tags, merged_at, merged_by)
       SELECT id, app_id, CAST(? AS TEXT), CAST(? AS BIGINT), status, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)
       FROM feedback WHERE id = ?`,
      ...[intoId, number, JSON.stringify(await takeTags(tx, id)), at, by, id],
    );
    await tx.run(
      "UPDATE messages SET feedback_id = ?, origin_id = coalesce(origin_id, ?) WHERE feedback_id = ?",
      ...[intoId, id, id],
    );
    await tx.run(
      `INSERT INTO messages (id, feedback_id, origin_id, direction, author, body, subject, ${reportColumns.join(", ")})
       SELECT id, CAST(? AS TEXT), id, 'inbound', 'sender', message, subject, ${reportColumns.join(", ")} FROM feedback WHERE id = ?`,
      ...[intoId, id],
    );
    for (const table of ["uploads", "mail_originals"])
      await tx.run(`UPDATE ${table} SET feedback_id = ? WHERE feedback_id = ?`, intoId, id);
    await notices.move(tx, { from: id, to: intoId });
    const runs = await tx.all<{ id: string }>(
      "UPDATE runs SET feedback_id = ?, origin_id = coalesce(origin_id, ?) WHERE feedback_id = ? RETURNING id",
      ...[intoId, id, id],
    );
    for (const run of runs) tx.signal(proposalTopic(run.id));
    const counted = "SELECT span, at, count FROM repeat_counts WHERE feedback_id = ?";
    await addCounts(tx, { to: intoId, appId }, { sql: counted, values: [id] });
    await tx.run("DELETE FROM repeat_counts WHERE feedback_id = ?", id);
    await tx.run("UPDATE feedback SET merged_into = ? WHERE merged_into = ?", intoId, id);
    // A merged thread is neither read nor unread, so the rows about who has read the thread are deleted.
    await tx.run("DELETE FROM thread_looks WHERE feedback_id = ?", id);
    await tx.run(
      `UPDATE feedback SET occurrences = occurrences + (SELECT g.occurrences FROM feedback g WHERE g.id = ?) WHERE id = ?`,
      ...[id, intoId],
    );
    await tx.run(
      `UPDATE feedback SET status = 'blocked', merged_into = ?, subject = '', message = '', ${emptied},
         sender_name = NULL, sender_email = NULL, metadata = '{}', metadata_dropped = NULL, files = ?, waiting = NULL, proposal_status = NULL
       WHERE id = ?`,
      ...[intoId, noFiles, id],
    );
    // If one of the two threads waited for the team, `intoId` waits for the team now. (rule F77)
    if (waits) await tx.run("UPDATE feedback SET answered = 0 WHERE id = ?", intoId);
    else await tx.run(answeredAgain, intoId);
    for (const thread of [id, intoId]) tx.signal(threadTopic(thread));
  },

  /**
   * Undoes the merge of `row`. Moves back the messages from before the merge, and later messages about the
   * reports of `row`.
   */
  async unmerge(
    tx: Transaction,
    { row, from, appId, inside, reaches, newId }: Unmerge & { readonly newId: () => string },
  ): Promise<void> {
    const { id } = row;
    await lockRows(tx, [id, from]);
    const firstReply = await firstReplyOf(tx, id);
    const place = { id, from, appId };
    await inParts(
      [...inside].filter((one) => one !== id),
      async (part) => {
        await tx.run(`UPDATE feedback SET merged_into = ? WHERE id IN (${listed(part)})`, id, ...part);
        return [];
      },
    );
    const reports = await reportsOf(tx, place);
    const moved = await messagesOf(tx, place, reports);
    const shared = (await repliesToAll(tx, from)).filter(reaches);
    await moveMessages(tx, place, [...moved.keys()]);
    await moveFiles(tx, place, { moved: [...moved.values()], reports });
    const runs = await tx.all<{ id: string }>(
      `UPDATE runs SET feedback_id = ?, ${innerOrigin} WHERE feedback_id = ? AND ${isInside} RETURNING id`,
      ...[id, id, from, id, id],
    );
    for (const run of runs) tx.signal(proposalTopic(run.id));
    await inParts([...inside, ...runs.map((run) => run.id)], async (about) => {
      await notices.move(tx, { from, to: id, about });
      return [];
    });
    const count = [...moved.values()].filter(isReport).length;
    await tx.run(
      `UPDATE feedback SET occurrences = CASE WHEN occurrences > ? THEN occurrences - ? ELSE 1 END WHERE id = ?`,
      ...[count, count, from],
    );
    const columns = reportColumns.filter((column) => column !== "category" && column !== "created_at");
    // If the sender has answered since the merge, the snooze ends.
    await tx.run(
      `UPDATE feedback SET status = ?, merged_into = NULL, subject = m.subject, message = m.body, occurrences = ?,
         ${columns.map((column) => `${column} = m.${column}`).join(", ")},
         snoozed_until = CASE WHEN NOT EXISTS (
           SELECT 1 FROM messages n WHERE n.feedback_id = feedback.id AND n.direction = 'inbound'
             AND n.category IS NULL AND n.created_at >= ?) THEN snoozed_until END
       FROM messages m WHERE feedback.id = ? AND m.id = feedback.id`,
      ...[row.status, Math.max(1, count), row.mergedAt, id],
    );
    await tx.run("DELETE FROM messages WHERE id = ?", id);
    const divided =
      shared.length === 0
        ? { inside: [], outside: [] }
        : { inside: await addressedReports(tx, id), outside: await addressedReports(tx, from) };
    for (const { id: original, author, authorId, body, createdAt } of shared) {
      const copy = { id: newId(), feedbackId: id, direction: "outbound", everyone: 1 } as const;
      await tx.insert(tables.messages, { ...copy, author, authorId, body, createdAt });
      await tx.run(corrections.copiedReply(tx.engine), copy.id);
      await divideMails(tx, { original, copy: copy.id, createdAt, divided, newId });
    }
    await restoreFirstReply(tx, id, firstReply);
    await correctFirstReplies(tx, from, id);
    await giveTags(tx, id, JSON.parse(row.tags));
    await tx.run("DELETE FROM thread_merges WHERE feedback_id = ?", id);
    for (const thread of [id, from]) {
      await tx.run(answeredAgain, thread);
      await tx.run(stillWaits, thread);
      tx.signal(threadTopic(thread));
    }
  },

  /**
   * Whether an erasure of personal data is running. Takes a lock, so that none begins during this
   * transaction.
   */
  async isErasing(tx: Transaction): Promise<boolean> {
    await tx.lock(erasuresTopic);
    return (await tx.get("SELECT 1 AS one FROM erasures WHERE status = 'running' LIMIT 1")) !== undefined;
  },

  /** Stores that data was erased in the thread of `reportId`. Merges into that thread cannot be undone. */
  noteErased: (tx: Transaction, reportId: string) =>
    tx.run(
      `UPDATE thread_merges SET erased = 1 WHERE feedback_id IN (
         SELECT g.id FROM feedback g WHERE g.merged_into = ?
         UNION SELECT g.id FROM feedback g WHERE g.merged_into = (SELECT m.feedback_id FROM messages m WHERE m.id = ?))`,
      ...[reportId, reportId],
    ),
};

interface Unmerge {
  readonly row: MergeRow;
  /** The id of the thread from which the messages move. */
  readonly from: string;
  readonly appId: string;
  /** The ids of the thread whose merge is undone, and of the threads that were merged into it earlier. */
  readonly inside: ReadonlySet<string>;
  /** Whether a reply to everyone also went to the senders of the thread whose merge is undone. */
  readonly reaches: (reply: SharedReply) => boolean;
}

interface MovedRow {
  readonly id: string;
  readonly direction: string;
  readonly files: string | null;
  readonly category: string | null;
}

/** Whether a message is a report. Hidden reports of blocked senders do not count. */
const isReport = ({ direction, category }: MovedRow): boolean => category !== null && direction === "inbound";

interface SharedRow extends Pick<NewMessage, "id" | "body" | "createdAt">, SharedReply {
  readonly author: string;
  readonly authorId: string | null;
}

/** The two threads of an unmerge. Messages move from the thread `from` to the thread `id`. */
interface Place {
  readonly id: string;
  readonly from: string;
  readonly appId: string;
}

const ofInner = "origin_id IN (SELECT f.id FROM feedback f WHERE f.merged_into = ?)";

/** SQL for rows that come from a thread or its merged threads. Both parameters are the id of the thread. */
const isInside = `(origin_id = ? OR ${ofInner})`;

/** SQL that sets `origin_id` to NULL, except if `origin_id` is a thread that was merged into the thread `?`. */
const innerOrigin = `origin_id = CASE WHEN ${ofInner} THEN origin_id END`;

const movedColumns = "id, direction, files, category";

/** Returns the reports that an unmerge moves from the thread `from` to the thread `id`. */
const reportsOf = (tx: Transaction, { id, from }: Place): Promise<MovedRow[]> =>
  tx.all<MovedRow>(
    `SELECT ${movedColumns} FROM messages WHERE feedback_id = ? AND category IS NOT NULL AND ${isInside}`,
    ...[from, id, id],
  );

/**
 * Returns the messages that an unmerge moves: `reports`, earlier messages of the thread, and later messages
 * about `reports`.
 */
async function messagesOf(
  tx: Transaction,
  { id, from }: Place,
  reports: readonly MovedRow[],
): Promise<ReadonlyMap<string, MovedRow>> {
  const written = await tx.all<MovedRow>(
    `SELECT ${movedColumns} FROM messages WHERE feedback_id = ? AND category IS NULL AND ${isInside}`,
    ...[from, id, id],
  );
  const later = await inParts(idsOf(reports), (part) =>
    tx.all<MovedRow>(
      `SELECT ${movedColumns} FROM messages WHERE feedback_id = ? AND report_id IN (${listed(part)})`,
      from,
      ...part,
    ),
  );
  return new Map([...reports, ...written, ...later].map((message) => [message.id, message]));
}

const idsOf = (rows: readonly MovedRow[]): string[] => rows.map(({ id }) => id);

const repliesToAll = (tx: Transaction, from: string): Promise<SharedRow[]> =>
  tx.all<SharedRow>(
    `SELECT id, author, author_id AS "authorId", body, created_at AS "createdAt",
       coalesce(origin_id, feedback_id) AS home, before_merge AS "beforeMerge"
     FROM messages WHERE feedback_id = ? AND direction = 'outbound' AND everyone = 1
     ORDER BY created_at, id`,
    from,
  );

async function addressedReports(tx: Transaction, threadId: string): Promise<DividedReports["inside"]> {
  const found = await reports.list(tx, threadId);
  return found.map(({ id, senderEmail, createdAt }) => ({
    id,
    email: normaliseEmail(senderEmail ?? ""),
    createdAt,
  }));
}

/** After an unmerge, divides the mails of a reply between `original` and `copy`. A mail may belong to both. */
async function divideMails(
  tx: Transaction,
  {
    original,
    copy,
    createdAt,
    divided,
    newId,
  }: {
    readonly original: string;
    readonly copy: string;
    readonly createdAt: string;
    readonly divided: DividedReports;
    readonly newId: () => string;
  },
): Promise<void> {
  for (const mail of await mails.lockOfReply(tx, original)) {
    const { isInside, isInBoth } = placesOfMail(mail, divided, createdAt);
    if (isInside) await mails.moveToReply(tx, mail.id, copy);
    if (isInBoth)
      await mails.copyToReply(tx, mail.id, { id: newId(), messageId: isInside ? original : copy });
  }
}

async function moveMessages(
  tx: Transaction,
  { id, from, appId }: Place,
  ids: readonly string[],
): Promise<void> {
  await inParts(ids, async (part) => {
    const these = `m.id IN (${listed(part)})`;
    await addCounts(tx, { to: from, appId, sign: "-" }, { sql: repeatsOf(tx.engine, these), values: part });
    // The first report of the thread `id` is not a repeat in this thread.
    const repeats = repeatsOf(tx.engine, `${these} AND m.id <> ?`);
    await addCounts(tx, { to: id, appId }, { sql: repeats, values: [...part, id] });
    await tx.run(
      `UPDATE messages SET feedback_id = ?, ${innerOrigin} WHERE id IN (${listed(part)})`,
      ...[id, id, ...part],
    );
    return [];
  });
  await tx.run("DELETE FROM repeat_counts WHERE feedback_id = ? AND count <= 0", from);
}

/** Moves the files of the moved messages, and the original mails that belong to the reports. */
async function moveFiles(
  tx: Transaction,
  { id, from }: Place,
  { moved, reports }: { readonly moved: readonly MovedRow[]; readonly reports: readonly MovedRow[] },
): Promise<void> {
  const names = moved.flatMap(({ files }) => uploadsIn(files));
  await inParts(names, async (part) => {
    await tx.run(`UPDATE uploads SET feedback_id = ? WHERE name IN (${listed(part)})`, id, ...part);
    return [];
  });
  await inParts(idsOf(reports), async (part) => {
    const ofThese = `feedback_id = ? AND report_id IN (${listed(part)})`;
    await tx.run(
      `UPDATE uploads SET feedback_id = ? WHERE name IN (SELECT upload FROM mail_originals WHERE ${ofThese})`,
      ...[id, from, ...part],
    );
    await tx.run(`UPDATE mail_originals SET feedback_id = ? WHERE ${ofThese}`, ...[id, from, ...part]);
    return [];
  });
}

const idsAtOnce = 200;

/** Calls `one` for groups of up to `idsAtOnce` values. Returns the results of all calls in one list. */
async function inParts<Value, Result>(
  values: readonly Value[],
  one: (part: readonly Value[]) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < values.length; at += idsAtOnce)
    results.push(...(await one(values.slice(at, at + idsAtOnce))));
  return results;
}

/** Adds the counts in `counted` to the repeat counts of the thread `to`. With `sign` `-`, subtracts them. */
const addCounts = (
  tx: Transaction,
  { to, appId, sign = "" }: { readonly to: string; readonly appId: string; readonly sign?: "-" | "" },
  counted: { readonly sql: string; readonly values: readonly string[] },
) =>
  tx.run(
    `INSERT INTO repeat_counts (feedback_id, span, at, app_id, count)
     SELECT CAST(? AS TEXT), c.span, c.at, CAST(? AS TEXT), ${sign}c.count FROM (${counted.sql}) AS c WHERE true
     ON CONFLICT (feedback_id, span, at) DO UPDATE SET count = repeat_counts.count + excluded.count`,
    ...[to, appId, ...counted.values],
  );

async function takeTags(tx: Transaction, feedbackId: string): Promise<string[]> {
  const taken = await tx.all<{ id: string }>(
    "DELETE FROM thread_tags WHERE feedback_id = ? RETURNING tag_id AS id",
    feedbackId,
  );
  return taken.map(({ id }) => id).sort();
}

async function giveTags(tx: Transaction, feedbackId: string, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await tx.run(
      `INSERT INTO thread_tags (feedback_id, tag_id, created_at, active_at, status, assignee_id)
       SELECT f.id, t.id, f.created_at, coalesce(f.active_at, f.created_at), f.status, f.assignee_id
       FROM feedback f JOIN tags t ON t.app_id = f.app_id WHERE f.id = ? AND t.id = ?
       ON CONFLICT (feedback_id, tag_id) DO NOTHING`,
      ...[feedbackId, id],
    );
}

function uploadsIn(files: string | null): string[] {
  if (files === null) return [];
  const lists: Record<string, readonly { readonly upload: string }[]> = JSON.parse(files);
  return Object.values(lists).flatMap((list) => list.map(({ upload }) => upload));
}

/** Returns the stored time of the first reply in a thread; null if there is none. */
async function firstReplyOf(tx: Transaction, threadId: string): Promise<string | null> {
  const row = await tx.get<{ at: string | null }>(
    "SELECT first_reply_at AS at FROM thread_times WHERE feedback_id = ?",
    threadId,
  );
  return row?.at ?? null;
}

/**
 * After an unmerge, sets the time of the first reply to `before`. Without `before`, the thread's own first
 * reply counts. (rule F60)
 */
const restoreFirstReply = (tx: Transaction, threadId: string, before: string | null): Promise<void> =>
  corrected(tx, threadId, () =>
    tx.run(
      `INSERT INTO thread_times (feedback_id, first_reply_at)
       SELECT f.id, coalesce(CAST(? AS TEXT), (SELECT min(m.created_at) FROM messages m
         WHERE m.feedback_id = f.id AND m.direction = 'outbound' AND m.origin_id IS NULL))
       FROM feedback f WHERE f.id = ?
       ON CONFLICT (feedback_id) DO UPDATE SET first_reply_at = excluded.first_reply_at`,
      ...[before, threadId],
    ),
  );

/**
 * Corrects the times of the first replies in `from` and its merged threads, after messages have moved to `id`.
 * (rule F60)
 */
const correctFirstReplies = (tx: Transaction, from: string, id: string): Promise<void> =>
  corrected(tx, from, () => {
    const isFirst = "m.direction = 'outbound' AND m.created_at = thread_times.first_reply_at";
    const writtenThere =
      "m.feedback_id = ? AND coalesce(m.origin_id, m.feedback_id) = thread_times.feedback_id";
    return tx.run(
      `UPDATE thread_times SET first_reply_at = (
         SELECT min(m.created_at) FROM messages m WHERE m.direction = 'outbound' AND ${writtenThere})
       WHERE feedback_id IN (SELECT f.id FROM feedback f WHERE f.id = ? OR f.merged_into = ?)
         AND EXISTS (SELECT 1 FROM messages m WHERE m.feedback_id = ? AND ${isFirst})
         AND NOT EXISTS (SELECT 1 FROM messages m WHERE ${writtenThere} AND ${isFirst})`,
      ...[from, from, from, id, from],
    );
  });

/**
 * Runs `change`, which changes a thread's first reply. Corrects the statistics for the old and the new time.
 */
async function corrected(tx: Transaction, threadId: string, change: () => Promise<unknown>): Promise<void> {
  await tx.run(corrections.firstReply(tx.engine, "-1"), threadId);
  await change();
  await tx.run(corrections.firstReply(tx.engine, "1"), threadId);
}

type StateRow = Omit<ThreadState, "tagIds">;

/** Returns the current values of a thread that members can change; undefined if there is no such thread. */
export async function threadState(reader: Reader, id: string): Promise<ThreadState | undefined> {
  const row = await reader.get<StateRow>(
    `SELECT status, assignee_id AS "assigneeId", snoozed_until AS "snoozedUntil", activity_count AS activity
     FROM feedback WHERE id = ?`,
    id,
  );
  const tags = await reader.all<{ id: string }>(
    "SELECT tag_id AS id FROM thread_tags WHERE feedback_id = ?",
    id,
  );
  return row && { ...row, activity: Number(row.activity), tagIds: tags.map((tag) => tag.id).sort() };
}

/** Returns the time at which a thread was resolved; null if it was not resolved. */
export async function resolutionOf(reader: Reader, id: string): Promise<string | null> {
  const row = await reader.get<{ at: string | null }>(
    "SELECT resolved_at AS at FROM thread_times WHERE feedback_id = ?",
    id,
  );
  return row?.at ?? null;
}

/** Stores how the merge of the thread `id` reopened the thread into which `id` was merged. */
export const noteReopened = (tx: Transaction, id: string, reopened: Reopened) =>
  tx.run("UPDATE thread_merges SET reopened = ? WHERE feedback_id = ?", JSON.stringify(reopened), id);

/** Restores the time at which a thread was resolved earlier, and corrects the statistics. (rule F60) */
export async function restoreResolution(
  tx: Transaction,
  id: string,
  resolvedAt: string | null,
): Promise<void> {
  await tx.run(corrections.resolution(tx.engine, "-1"), id);
  await tx.run("UPDATE thread_times SET resolved_at = ? WHERE feedback_id = ?", resolvedAt, id);
  await tx.run(corrections.resolution(tx.engine, "1"), id);
}
