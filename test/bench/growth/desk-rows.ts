import { appCount, appOf, ownApps, ownerOf } from "./app-rows.ts";
import type { Rows } from "./rows.ts";
import type { Size } from "./size.ts";
import type { Sql } from "./sql.ts";
import { type Asked, timesOf } from "./thread-values.ts";

const day = 86_400_000;
const first = "'00000001-0000-7000-8000-000000000001'";

/** The data of the desk: views, notices, webhooks with their deliveries, and threads that release notes name. */
export function deskRows(sql: Sql, size: Size, desk: Asked): readonly Rows[] {
  return [...viewRows(sql, desk), ...noticeRows(sql, size, desk), ...webhookRows(sql, size, desk)];
}

function viewRows({ id, instant }: Sql, { personId, now }: Asked): readonly Rows[] {
  const queries = [
    { tag: "tag 1" },
    { status: "in_progress", type: "general" },
    { waitingOn: "us", type: "bug", order: "activity" },
    { assignee: "none", unfinished: "true", tag: "tag 7" },
    { snoozed: "true", type: "feature" },
  ];
  const cases = queries.map(
    (query, at) => `WHEN n % ${queries.length} = ${at} THEN '${JSON.stringify(query)}'`,
  );
  return [
    {
      into: "saved_views (id, app_id, user_id, name, query, created_at, updated_at)",
      count: 20,
      select: `${id("20", "n")}, ${first}, CASE WHEN n % 2 = 0 THEN '${personId}' END, 'View ' || CAST(n AS text),
        CASE ${cases.join(" ")} END, ${instant(`${now}`)}, ${instant(`${now}`)}`,
    },
  ];
}

/** Notices of the last hour: a mail with older ones is deleted. One of a hundred waits for its mail, far in the future. */
function noticeRows(sql: Sql, { threads }: Size, { personId, now }: Asked): readonly Rows[] {
  const { id, instant } = sql;
  const thread = "(n * 50)";
  const app = `(${appOf(sql, thread)})`;
  const at = timesOf(sql, threads, now)(thread);
  const waits = "n % 100 = 7";
  return [
    {
      into: `notices (id, user_id, app_id, way, kind, subject_id, feedback_id, created_at, due_at, queued_at)`,
      count: Math.floor(threads / 50),
      select: `${id("21", "n")}, ${ownerOf(sql, app, personId)}, ${id("1", app)},
        CASE WHEN n % 2 = 0 THEN 'daily' ELSE 'mail' END, CASE WHEN n % 3 = 0 THEN 'proposal' ELSE 'answer' END,
        ${id("a", thread)}, ${id("a", thread)}, ${at},
        CASE WHEN ${waits} THEN ${instant(`${now + 365 * day} + n`)} ELSE ${at} END,
        CASE WHEN NOT (${waits}) THEN ${instant(`${now} - n % 3600000`)} END`,
    },
    {
      into: "notice_choices (user_id, app_id, choices, storm_per_hour, wants_reports)",
      count: ownApps,
      select: `'${personId}', ${id("1", "n")}, '{}', 10, 0`,
    },
  ];
}

/**
 * A webhook of each app that gets no new events, with a delivery of each event. One of twenty waits, far in the future.
 */
function webhookRows(sql: Sql, { threads }: Size, { now }: Asked): readonly Rows[] {
  const { id, instant } = sql;
  const app = `(${appOf(sql, "n")})`;
  const at = timesOf(sql, threads, now)("n * 8");
  const entry = `((n % 100 + 1) * ${appCount})`;
  return [
    {
      into: "webhooks (id, app_id, url, secret, events, texts, created_at)",
      count: appCount,
      select: `${id("19", "n")}, ${id("1", "n")}, 'https://example.org/hook', '', ',cycle.completed,', 0, ${instant(`${now}`)}`,
    },
    {
      into: `webhook_deliveries (webhook_id, event_id, app_id, status, tries, due_at, queued_at, event_at)`,
      count: Math.floor(threads / 8),
      select: `${id("19", app)}, ${id("10", "n")}, ${id("1", app)},
        CASE n % 20 WHEN 3 THEN 'waiting' WHEN 4 THEN 'failed' ELSE 'delivered' END, 1,
        CASE WHEN n % 20 = 3 THEN ${instant(`${now + 365 * day} + n`)} ELSE ${at} END, ${at}, ${at}`,
    },
    {
      into: "changelog_feedback (entry_id, feedback_id)",
      count: Math.min(1_000, threads),
      select: `${id("4", entry)}, ${id("a", "n")}`,
      where: `${app} = 1`,
    },
  ];
}

/** Changes of the filled data: merged threads among the hidden ones, and the last number of each app. */
export function deskChanges(sql: Sql, { threads }: Size, { now }: Asked): readonly string[] {
  const { id, instant } = sql;
  const before = id("a", "(feedback.seq - 1)");
  return [
    `UPDATE apps SET last_thread_number = ${threads}`,
    `UPDATE feedback SET merged_into = ${before}, blocked_by = NULL
     WHERE status = 'blocked' AND app_id = ${first}
       AND EXISTS (SELECT 1 FROM feedback f WHERE f.id = ${before} AND f.app_id = ${first} AND f.status <> 'blocked')`,
    `INSERT INTO thread_merges (feedback_id, app_id, into_id, number, status, tags, merged_at, erased)
     SELECT id, app_id, merged_into, 1, 'open', '[]', ${instant(`${now}`)}, 0 FROM feedback WHERE merged_into IS NOT NULL`,
  ];
}
