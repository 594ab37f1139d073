import type { Reader } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { activeAt, type MemberOf } from "./unread.ts";
import { mostCounted } from "./unread-counts.ts";

/** The kinds of what happens in an app. */
const changeKinds = [
  ...(["report", "repeat", "answer", "note", "reply"] as const),
  ...(["proposal", "decision", "outcome", "edit"] as const),
];
export type ChangeKind = (typeof changeKinds)[number];

/** How often each kind of thing happened; each number at most `mostCounted`. */
export interface ChangeCounts {
  readonly counts: Readonly<Record<ChangeKind, number>>;
  /** Whether there are more threads than were looked at, so that each number may be greater. */
  readonly isPartial: boolean;
}

/** How many threads are looked at, those that were last active. */
const mostThreads = 200;

interface Since extends MemberOf {
  readonly since: string;
}

/**
 * What happened in an app after `since` that this member did not do. At most `mostThreads` threads and `mostCounted` things of
 * each kind are read, however many there are. (rule F53)
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

/** How many changes of fields in the app are looked at, the newest. */
const mostEdits = 500;

/** Whether others changed fields of a thread after `since`, as far as the newest changes in the app show. */
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

/** The kinds, each with its rows. `#ids` stands for the ids of the threads. */
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
