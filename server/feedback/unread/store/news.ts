import { limits } from "../../../../src/contract/limits.ts";
import { nameOf } from "../../../access/members/authors.ts";
import { membershipOf } from "../../../access/members/visibility.ts";
import type { Reader } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/transaction.ts";
import { activeAt, isUnread, type MemberOf, readUntil } from "./read-marks.ts";

/** The kinds of events that are counted. */
const changeKinds = [
  ...(["report", "repeat", "answer", "note", "reply"] as const),
  ...(["proposal", "decision", "outcome", "edit"] as const),
];

type ChangeKind = (typeof changeKinds)[number];

/** The number of events of each kind. Each number is at most `mostCounted`. */
export interface ChangeCounts {
  readonly counts: Readonly<Record<ChangeKind, number>>;
  /** Whether more than `mostThreads` threads have new events. In this case, each number may be too small. */
  readonly isPartial: boolean;
}

/** The maximum number of threads that are read. The threads with the latest activity are read first. */
const mostThreads = 200;

interface Since extends MemberOf {
  readonly since: string;
}

/**
 * Counts what other people and agents did in an app after `since`, up to the limits of threads and events. (rule F53)
 */
export async function changesSince(reader: Reader, { appId, userId, since }: Since): Promise<ChangeCounts> {
  const active = await reader.all<{ id: string }>(
    plannedEachTime(`SELECT f.id FROM feedback f WHERE f.app_id = ? AND f.status <> 'blocked' AND ${activeAt} > ?
       ORDER BY ${activeAt} DESC, f.id DESC LIMIT ?`),
    ...[appId, since, mostThreads + 1],
  );
  const ids = active.slice(0, mostThreads).map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await countKinds(reader, { appId, userId, since }, ids);
  const found = new Map(rows.map(({ kind, count }) => [kind, count]));
  const counts = Object.fromEntries(changeKinds.map((kind) => [kind, found.get(kind) ?? 0]));
  return { counts: { ...noChanges, ...counts }, isPartial: active.length > mostThreads };
}

/** The maximum number of audit entries of an app that are read, newest first. */
const mostEdits = 500;

/** Whether another person changed fields of a thread after `since`. */
export async function wasEdited(
  reader: Reader,
  { appId, userId, since, feedbackId }: Since & { readonly feedbackId: string },
): Promise<boolean> {
  const row = await reader.get(
    `SELECT 1 AS one FROM (SELECT e.target, e.owner_id FROM audit e
       WHERE coalesce(e.app_id, e.owner_id) = ? AND e.action = 'thread.update' AND e.at > ?
       ORDER BY e.at DESC, e.id DESC LIMIT ${mostEdits}) AS newest
     WHERE target = ? AND owner_id <> ? LIMIT 1`,
    ...[appId, since, feedbackId, userId],
  );
  return row !== undefined;
}

const noChanges = {
  ...{ report: 0, repeat: 0, answer: 0, note: 0, reply: 0 },
  ...{ proposal: 0, decision: 0, outcome: 0, edit: 0 },
};

/** SQL for the events of each kind. `#ids` is replaced with placeholders for the ids of the threads. */
const kinds: readonly (readonly [kind: ChangeKind, from: string, values: (asked: Since) => string[]])[] = [
  [
    "report",
    "feedback f WHERE f.app_id = ? AND f.created_at > ? AND f.status <> 'blocked'",
    ({ appId, since }) => [appId, since],
  ],
  [
    "repeat",
    "messages m WHERE m.feedback_id IN (#ids) AND m.created_at > ? AND m.category IS NOT NULL AND m.direction <> 'blocked'",
    at,
  ],
  [
    "answer",
    "messages m WHERE m.feedback_id IN (#ids) AND m.created_at > ? AND m.direction = 'inbound' AND m.category IS NULL",
    at,
  ],
  [
    "note",
    "messages m WHERE m.feedback_id IN (#ids) AND m.created_at > ? AND m.direction = 'note' AND m.author = 'team' AND coalesce(m.author_id, '') <> ?",
    byOthers,
  ],
  [
    "reply",
    "messages m WHERE m.feedback_id IN (#ids) AND m.created_at > ? AND m.direction = 'outbound' AND coalesce(m.author_id, '') <> ?",
    byOthers,
  ],
  ["proposal", "runs r WHERE r.feedback_id IN (#ids) AND r.created_at > ?", at],
  [
    "decision",
    `runs r WHERE r.feedback_id IN (#ids) AND r.decided_at > ?
       AND r.decision IN ('approve', 'reject', 'request_changes', 'recalled') AND coalesce(r.decided_by, '') <> ?`,
    byOthers,
  ],
  [
    "outcome",
    "runs r JOIN run_claims c ON c.run_id = r.id WHERE r.feedback_id IN (#ids) AND c.outcome_at > ?",
    at,
  ],
  [
    "edit",
    "audit e WHERE coalesce(e.app_id, e.owner_id) = ? AND e.action = 'thread.update' AND e.at > ? AND e.owner_id <> ?",
    ({ appId, since, userId }) => [appId, since, userId],
  ],
];

function at({ since }: Since): string[] {
  return [since];
}

function byOthers({ since, userId }: Since): string[] {
  return [since, userId];
}

const countKinds = (reader: Reader, asked: Since, ids: readonly string[]) =>
  reader.all<{ kind: ChangeKind; count: number }>(
    plannedEachTime(
      kinds
        .map(([kind, from]) => {
          const rows = from.replace("#ids", ids.map(() => "?").join(", "));
          return `SELECT '${kind}' AS kind, (SELECT count(*) FROM (SELECT 1 AS one FROM ${rows} LIMIT ${mostCounted}) AS counted) AS count`;
        })
        .join(" UNION ALL "),
    ),
    ...kinds.flatMap(([, from, values]) =>
      from.includes("#ids") ? [...ids, ...values(asked)] : values(asked),
    ),
  );

/** Counting stops at this number, because each row takes time. Pages show it as `99+`. */
const mostCounted = limits.mostCounted + 1;

/** Counts for a person in an app. Each number is at most `mostCounted`. */
interface CountRow {
  readonly appId: string;
  readonly unread: number;
  /** The number of proposals on which this person may decide. */
  readonly waiting: number;
}

const counted = (sql: string): string =>
  `(SELECT count(*) FROM (SELECT 1 AS one ${sql} LIMIT ${mostCounted}) AS counted)`;

/** SQL for the apps of a person. `seen` counts the read threads with activity after `read_until`. */
const mine = `SELECT v.app_id, v.user_id, v.role, ${readUntil} AS until,
    (SELECT count(*) FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id AND l.seen_count >= 0
      AND l.active_at > ${readUntil}) AS seen
  FROM app_members v WHERE ${membershipOf("viewer")}`;

/** SQL for the number of threads to read in each app to find `mostCounted` unread threads. */
const enough = `SELECT coalesce(max(seen), 0) + ${mostCounted} AS threads FROM mine`;

// The number of unread threads with activity after `read_until`: all threads with such activity, minus the read
// ones (`seen`).
const unreadLater = `((SELECT count(*) FROM (SELECT 1 AS one FROM feedback f WHERE f.app_id = v.app_id AND f.status <> 'blocked'
    AND ${activeAt} > v.until ORDER BY ${activeAt} DESC LIMIT (SELECT threads FROM enough)) AS active) - v.seen)`;

const markedUnread = counted(`FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id
  AND l.seen_count = -1 AND l.active_at <= v.until`);

const waitingForApproval = counted("FROM feedback f WHERE f.app_id = v.app_id AND f.waiting = 'approval'");

/** Returns the numbers of unread threads and waiting proposals in each app of a person. */
export async function unreadCounts(reader: Reader, userId: string): Promise<CountRow[]> {
  const rows = await reader.all<CountRow>(
    plannedEachTime(`WITH mine AS MATERIALIZED (${mine}), enough AS MATERIALIZED (${enough})
     SELECT v.app_id AS "appId", ${unreadLater} + ${markedUnread} AS unread,
       CASE WHEN v.role = 'viewer' THEN 0 ELSE ${waitingForApproval} END AS waiting
     FROM mine v`),
    userId,
  );
  return rows.map((row) => ({ ...row, unread: Math.min(row.unread, mostCounted) }));
}

/** The last message of a thread, or its report if there is no message. */
export interface NewsRow {
  readonly id: string;
  /** 1 if the thread is unread, 0 otherwise. */
  readonly unread: number;
  readonly direction: string;
  readonly author: string;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  /** The mail address of the member who wrote the message; null if the author is not a member. */
  readonly writtenBy: string | null;
  readonly writtenByName: string | null;
  /** The first 300 characters of the text. */
  readonly text: string;
  readonly createdAt: string;
}

const newsText = 300;

// CROSS JOIN is necessary, because SQLite without statistics would read all threads of the member.
const newsOfThreads = (ids: readonly string[]) =>
  plannedEachTime(`SELECT f.id, CASE WHEN ${isUnread} THEN 1 ELSE 0 END AS unread,
    coalesce(m.direction, 'inbound') AS direction, coalesce(m.author, 'sender') AS author,
    CASE WHEN w.id IS NULL THEN f.sender_name ELSE w.sender_name END AS "senderName",
    CASE WHEN w.id IS NULL THEN f.sender_email ELSE w.sender_email END AS "senderEmail",
    u.email AS "writtenBy", ${nameOf("m.author_id", "f.app_id")} AS "writtenByName", substr(coalesce(m.body, f.message), 1, ${newsText}) AS text,
    coalesce(m.created_at, f.created_at) AS "createdAt"
  FROM (SELECT id, app_id, sender_name, sender_email, message, active_at, created_at, activity_count,
      (SELECT n.id FROM messages n WHERE n.feedback_id = feedback.id AND n.direction <> 'blocked' ORDER BY n.created_at DESC, n.id DESC LIMIT 1) AS last
    FROM feedback WHERE id IN (${ids.map(() => "?").join(", ")})) AS f
  CROSS JOIN app_members v
  LEFT JOIN messages m ON m.id = f.last
  LEFT JOIN messages w ON w.id = CASE WHEN m.category IS NULL THEN m.report_id ELSE m.id END
  LEFT JOIN users u ON u.id = m.author_id
  WHERE v.app_id = f.app_id AND v.user_id = ?`);

/** Returns the last message of each of these threads, and whether the thread is unread for this person. */
export const threadNews = async (
  reader: Reader,
  userId: string,
  ids: readonly string[],
): Promise<NewsRow[]> => (ids.length === 0 ? [] : reader.all<NewsRow>(newsOfThreads(ids), ...ids, userId));
