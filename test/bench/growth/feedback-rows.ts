import { appOf, ownerOf } from "./app-rows.ts";
import type { Rows } from "./rows.ts";
import type { Size } from "./size.ts";
import type { Sql } from "./sql.ts";
import { type Asked, type At, activeOf, statusOf, timesOf } from "./thread-values.ts";

/** Every fifth thread has a proposal. */
const proposalEvery = 5;
const day = 86_400_000;

/**
 * Threads of two years, a message on each, proposals, and the rows that follow from them: claims, changes, deliveries,
 * mails, events, audit entries, and files. Words: "settings" is in every second thread, "zanzibar" in five,
 * "legacy" in the older half, and 20,000 words begin with "innkeeping".
 */
export function feedbackRows(sql: Sql, { threads }: Size, { personId, now }: Asked): readonly Rows[] {
  const at = timesOf(sql, threads, now);
  return [
    threadRows(sql, threads, { personId, now, at }),
    {
      into: "messages (id, feedback_id, direction, author, body, everyone, created_at)",
      count: threads,
      select: `${sql.id("b", "n")}, ${sql.id("a", "n")}, ${sql.share(sql.random("n", "other", 100), { inbound: 30, outbound: 50, note: 20 })},
        'team', 'Thank you. We look at the settings of page ' || CAST(n % 200 AS text) || '.', 0, ${at("n", 3_600_000)}`,
    },
    ...proposalRows(sql, threads, at),
    ...leftRows(sql, threads, at),
  ];
}

/** In both sets, more proposals wait than fit on a page, so the pages of both show the same number. */
const awaits = (n: string, threads: number) =>
  `(${n} % ${Math.max(10, Math.min(1_000, threads / 100))} = 0 AND ${n} % 1000 <> 10)`;

const waitingOf = (threads: number) =>
  `CASE WHEN n % ${proposalEvery} <> 0 THEN NULL WHEN ${awaits("n", threads)} THEN 'approval'
  WHEN n % 1000 = 5 THEN 'approved' WHEN n % 1000 = 10 THEN 'outcome' WHEN n % 1000 = 15 THEN 'changes' END`;

const runStatusOf = (n: string, threads: number) =>
  `CASE WHEN ${awaits(n, threads)} THEN 'awaiting_approval' WHEN ${n} % 1000 = 15 THEN 'rejected'
    WHEN ${n} % 1000 <= 10 OR ${n} % 3 = 0 THEN 'approved' ELSE 'rejected' END`;

interface Given extends Asked {
  readonly at: At;
}

function threadRows(sql: Sql, threads: number, { personId, now, at }: Given): Rows {
  const { random, share, id } = sql;
  const app = `(${appOf(sql, "n")})`;
  const status = statusOf(sql, "n", threads);
  const type = share(random("n", "type", 100), { bug: 50, feature: 27, question: 20, general: 3 });
  const rare = `CASE WHEN n % ${Math.max(1, Math.floor(threads / 5))} = 7 THEN ' zanzibar' ELSE '' END`;
  const common = `CASE WHEN ${random("n", "words", 2)} = 0 THEN 'settings' ELSE 'account' END`;
  return {
    into: `feedback (seq, id, app_id, subject, message, category, status, source, sender_name, sender_email, metadata,
      files, dedupe_key, occurrences, proposal_status, waiting, indexed, created_at, active_at, assignee_id, blocked_by,
      number, answered, snoozed_until)`,
    count: threads,
    select: `n, ${id("a", "n")}, ${id("1", app)},
      'The ' || ${common} || ' page fails ' || CAST(${random("n", "text", 200)} AS text) || ${rare},
      'It stopped at innkeeping' || CAST(n % 20000 AS text) || ' when I opened page' || CAST(${random("n", "text", 5_000)} AS text) ||
        ' and pressed save twice, then waited for the list to load again' ||
        CASE WHEN n % 100 = 3 THEN ' 設定画面を開くと止まります' ELSE '' END || CASE WHEN n < ${threads / 2} THEN ' legacy' ELSE '' END,
      ${type}, ${status}, CASE WHEN n % 4 = 0 THEN 'ci' END, 'Person ' || CAST(n % 5000 AS text),
      'person' || CAST(n % 5000 AS text) || '@example.org', '{}', '{"images":[],"videos":[],"attachments":[]}',
      CASE WHEN n % 10 = 1 THEN 'failure ' || CAST(n AS text) END, 1,
      CASE WHEN n % ${proposalEvery} = 0 THEN ${runStatusOf("n", threads)} END, ${waitingOf(threads)}, 0, ${at("n")},
      ${activeOf(sql, "n", at)}, CASE WHEN n % 10 = 4 THEN ${ownerOf(sql, app, personId)} END,
      CASE WHEN ${status} = 'blocked' THEN ${id("17", `((${app} - 1) * 100 + 1 + n % 100)`)} END, n,
      CASE WHEN ${random("n", "other", 100)} < 40 THEN 1 ELSE 0 END,
      CASE WHEN n % 50 = 9 AND ${status} IN ('open', 'in_progress') THEN ${sql.instant(`${now + 30 * day}`)} END`,
  };
}

function proposalRows(sql: Sql, threads: number, at: At): readonly Rows[] {
  const thread = `(n * ${proposalEvery})`;
  const status = runStatusOf(thread, threads);
  const claimed = `(n * 1000 - 990)`;
  return [
    {
      into: `runs (id, feedback_id, app_id, status, decision, summary, plan, decided_at, created_at)`,
      count: Math.floor(threads / proposalEvery),
      select: `${sql.id("c", thread)}, ${sql.id("a", thread)}, ${sql.id("1", `(${appOf(sql, thread)})`)}, ${status},
        CASE ${status} WHEN 'approved' THEN 'approve' WHEN 'rejected' THEN
          CASE WHEN ${thread} % 1000 = 15 THEN 'request_changes' ELSE 'reject' END END,
        'Open the page once', '1. Guard the handler. 2. Test it.',
        CASE WHEN NOT ${awaits(thread, threads)} THEN ${at(thread, 7_200_000)} END, ${at(thread, 3_600_000)}`,
    },
    {
      into: "run_claims (id, run_id, token_id, worker, claimed_at, progress_count)",
      count: Math.floor(threads / 1_000),
      select: `${sql.id("d", "n")}, ${sql.id("c", claimed)}, 'token', 'worker', ${at(claimed, 7_300_000)}, 0`,
    },
  ];
}

function leftRows(sql: Sql, threads: number, at: At): readonly Rows[] {
  const app = (n: string) => sql.id("1", `(${appOf(sql, n)})`);
  const run = `(n * ${proposalEvery})`;
  const owner = sql.id("2", `(${appOf(sql, "n")})`);
  return [
    {
      into: "thread_changes (feedback_seq, app_id, number)",
      count: threads,
      select: `n, ${app("n")}, ${sql.engine === "sqlite" ? "n" : "pg_current_xact_id()"}`,
    },
    {
      into: "outbox (id, app_id, kind, subject_id, target, payload, status, attempts, due_at, created_at, sent_at)",
      count: Math.floor(threads / proposalEvery),
      select: `${sql.id("e", "n")}, ${app(run)}, 'chat', ${sql.id("c", run)}, 'x', '{}', 'sent', 1, ${at(run)}, ${at(run)}, ${at(run)}`,
    },
    {
      into: `mails (id, app_id, kind, lane, subject_id, recipient, status, attempts, due_at, send_before, created_at, settled_at)`,
      count: Math.floor(threads / proposalEvery),
      select: `${sql.id("f", "n")}, ${app("n")}, 'reply', 'single', ${sql.id("b", "n")}, 'person' || CAST(n % 5000 AS text) || '@example.org',
        'sent', 1, ${at("n")}, ${at("n")}, ${at("n")}, ${at("n")}`,
    },
    {
      into: "events (id, app_id, type, subject_id, facts, created_at)",
      count: Math.floor(threads / 8),
      select: `${sql.id("10", "n")}, ${app("n")}, 'run.decided', ${sql.id("c", "n")}, '{}', ${at("n * 8")}`,
    },
    {
      into: "audit (id, at, owner_id, actor, action, app_id, target)",
      count: Math.floor(threads / 2),
      select: `${sql.id("11", "n")}, ${at("n * 2")}, ${owner}, 'person' || CAST(n % 50 AS text) || '@example.org',
        ${sql.share(sql.random("n", "type", 100), { "thread.update": 70, "run.propose": 20, "faq.update": 9, "key.create": 1 })},
        ${app("n")}, ${sql.id("a", "n")}`,
    },
    {
      into: "uploads (name, app_id, feedback_id, sha256, media_type, size, created_at)",
      count: Math.floor(threads / 20),
      select: `${sql.id("12", "n")}, ${app("(n * 20)")}, ${sql.id("a", "(n * 20)")}, ${sql.id("13", "n")}, 'image/png', 1000, ${at("n * 20")}`,
    },
  ];
}
