import { appCount, appOf, ownApps } from "./app-rows.ts";
import type { Rows } from "./rows.ts";
import type { Size } from "./size.ts";
import type { Sql } from "./sql.ts";
import { type Asked, activeOf, statusOf, timesOf } from "./thread-values.ts";

const tagsOfApp = 20;
/**
 * An app keeps at most 1,000 read marks of a member. The measured person has about this number in each app, in total
 * 12,000.
 */
const looksOfApp = 1_000;
const day = 86_400_000;

interface Team extends Asked {
  /** A draft that the server can open. */
  readonly sealedDraft: string;
}

/**
 * The data of a team: members, tags on three of ten threads, read marks of the measured person, drafts, saved replies,
 * blocked senders.
 */
export function teamRows(sql: Sql, size: Size, team: Team): readonly Rows[] {
  return [
    ...memberRows(sql, team),
    ...tagRows(sql, size, team),
    ...lookRows(sql, size, team),
    ...writtenRows(sql, team),
  ];
}

function memberRows({ id, instant }: Sql, { personId, now }: Team): readonly Rows[] {
  const app = `(1 + n % ${ownApps})`;
  return [
    {
      into: "app_members (app_id, user_id, role, created_at)",
      count: ownApps * 20,
      select: `${id("1", app)}, ${id("2", "(1000 + n)")}, CASE WHEN n % 3 = 0 THEN 'viewer' ELSE 'maintainer' END, ${instant(`${now}`)}`,
    },
    {
      into: "invitations (id, app_id, email, role, token_hash, invited_by, created_at, expires_at)",
      count: ownApps * 10,
      select: `${id("18", "n")}, ${id("1", app)}, 'guest' || CAST(n AS text) || '@example.org', 'viewer', 'hash ' || CAST(n AS text),
        '${personId}', ${instant(`${now}`)}, ${instant(`${now + 7 * day}`)}`,
    },
  ];
}

/**
 * Each app has tags 1 to 20. Half of the tagged threads have the first tag; in all apps together, twenty threads have
 * the last one.
 */
function tagRows(sql: Sql, { threads }: Size, { now }: Team): readonly Rows[] {
  const { id, random, instant } = sql;
  const at = timesOf(sql, threads, now);
  const tagged = (thread: string, tag: string) => {
    const app = `(${appOf(sql, thread)})`;
    return `${id("a", thread)}, ${id("14", `((${app} - 1) * ${tagsOfApp} + ${tag})`)}, ${at(thread)},
      coalesce(${activeOf(sql, thread, at)}, ${at(thread)}), ${statusOf(sql, thread, threads)}`;
  };
  const usual = "((n - 1) / 3 * 10 + (n - 1) % 3 + 1)";
  const rare = `(n * ${Math.floor(threads / 20)})`;
  const into = "thread_tags (feedback_id, tag_id, created_at, active_at, status)";
  return [
    {
      into: "tags (id, app_id, name, name_key, colour, created_at)",
      count: appCount * tagsOfApp,
      select: `${id("14", "n")}, ${id("1", `(1 + (n - 1) / ${tagsOfApp})`)}, 'tag ' || CAST(1 + (n - 1) % ${tagsOfApp} AS text),
        'tag ' || CAST(1 + (n - 1) % ${tagsOfApp} AS text), 'blue', ${instant(`${now}`)}`,
    },
    {
      into,
      count: Math.floor(threads * 0.3),
      select: tagged(
        usual,
        `CASE WHEN ${random(usual, "text", 100)} < 50 THEN 1 ELSE 2 + ${random(usual, "other", tagsOfApp - 2)} END`,
      ),
    },
    { into, count: 20, select: tagged(rare, String(tagsOfApp)) },
  ];
}

/**
 * The measured person has opened all recently changed threads except one of fifty, and has marked some older threads as
 * unread.
 */
function lookRows(sql: Sql, { threads }: Size, { personId, now }: Team): readonly Rows[] {
  const { id, instant } = sql;
  const at = timesOf(sql, threads, now);
  const active = `coalesce(${activeOf(sql, "n", at)}, ${at("n")})`;
  const app = `(${appOf(sql, "n")})`;
  const into = "thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at)";
  const look = (seen: number) =>
    `${id("1", app)}, '${personId}', ${id("a", "n")}, ${seen}, ${active}, ${instant(`${now}`)}`;
  const readOf = (from: string, days: number) =>
    `${app} ${from} AND ${active} > ${instant(`${now - days * day}`)}`;
  const [large, small] = readDays(threads);
  const isShown = `${statusOf(sql, "n", threads)} <> 'blocked'`;
  return [
    {
      into,
      count: threads,
      select: look(0),
      where: `n % 50 <> 0 AND ${isShown} AND (${readOf("= 1", large)} OR ${readOf(`BETWEEN 3 AND ${ownApps}`, small)})`,
    },
    {
      into,
      count: Math.floor(threads / 2),
      select: look(-1),
      where: `n % ${Math.max(1, Math.floor(threads / 500))} = 1 AND ${isShown} AND ${app} = 1 AND ${active} <= ${instant(`${now - large * day}`)}`,
    },
  ];
}

/**
 * The number of past days for which the measured person has read marks: in the first app, which has half of all
 * threads, and in the small apps.
 */
const readDays = (threads: number): readonly [large: number, small: number] => [
  Math.ceil((looksOfApp * 1_000) / threads),
  Math.ceil((looksOfApp * 150_000) / threads),
];

/**
 * The time before which the measured person has read everything, the last visit of the inbox, and the counts that
 * triggers would have written.
 */
export function readMarks({ instant }: Sql, { threads }: Size, { personId, now }: Asked): readonly string[] {
  const [large, small] = readDays(threads);
  const first = "'00000001-0000-7000-8000-000000000001'";
  return [
    `UPDATE app_members SET visited_at = ${instant(`${now - 3 * day}`)},
       read_until = CASE WHEN app_id = ${first} THEN ${instant(`${now - large * day}`)} ELSE ${instant(`${now - small * day}`)} END
     WHERE user_id = '${personId}'`,
    `UPDATE thread_tags SET assignee_id = (SELECT f.assignee_id FROM feedback f WHERE f.id = thread_tags.feedback_id)
     WHERE feedback_id IN (SELECT id FROM feedback WHERE assignee_id IS NOT NULL)`,
    // Grouped, because there are no indexes now: PostgreSQL would read all rows for each tag.
    `UPDATE tags SET threads = counted.threads
     FROM (SELECT tag_id, count(*) AS threads FROM thread_tags GROUP BY tag_id) AS counted WHERE counted.tag_id = tags.id`,
  ];
}

function writtenRows({ id, instant }: Sql, { personId, now, sealedDraft }: Team): readonly Rows[] {
  const page = `'/console/feedback/' || ${id("1", "1")} || '/' || ${id("a", "n")}`;
  return [
    {
      into: "drafts (id, user_id, page, form, field, writer, content, updated_at)",
      count: 100,
      select: `${id("15", "n")}, '${personId}', ${page}, ${page} || '/messages', 'body', 'page', '${sealedDraft}', ${instant(`${now}`)}`,
    },
    {
      into: "saved_replies (id, app_id, title, body, created_at, updated_at)",
      count: appCount * 50,
      select: `${id("16", "n")}, ${id("1", `(1 + n % ${appCount})`)}, 'Reply ' || CAST(n AS text), 'Thank you. Please update.',
        ${instant(`${now}`)}, ${instant(`${now}`)}`,
    },
    {
      into: "blocked_senders (id, app_id, kind, sender, created_at)",
      count: appCount * 100,
      select: `${id("17", "n")}, ${id("1", `(1 + (n - 1) / 100)`)}, 'address', 'spam' || CAST(n AS text) || '@example.org', ${instant(`${now}`)}`,
    },
  ];
}
