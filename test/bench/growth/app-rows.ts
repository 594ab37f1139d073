import type { Rows } from "./rows.ts";
import { randomOf, type Sql } from "./sql.ts";

/** The number of all apps. The measured person is a member of the first ones. */
export const appCount = 200;
export const ownApps = 25;
const accounts = 5_000;

/** The app of a thread: half of all threads are in the first app, a thousandth in the second. */
export const appOf = ({ random }: Sql, n: string): string =>
  `CASE WHEN ${random(n, "app", 1_000)} < 500 THEN 1 WHEN ${random(n, "app", 1_000)} < 501 THEN 2
    ELSE 3 + ${random(n, "other", appCount - 2)} END`;

/** The numbers of the first threads of the first app. */
export function threadsOfFirstApp(count: number): number[] {
  const numbers: number[] = [];
  for (let n = 1; numbers.length < count; n += 1) if (randomOf(n, "app", 1_000) < 500) numbers.push(n);
  return numbers;
}

/** The account that owns an app: the measured person for the first ones. */
export const ownerOf = ({ id }: Pick<Sql, "id">, app: string, personId: string): string =>
  `CASE WHEN ${app} <= ${ownApps} THEN '${personId}' ELSE ${id("2", app)} END`;

/** Accounts, and apps with FAQ entries and release notes. The first apps belong to the measured person. */
export function appRows({ id, instant }: Sql, personId: string, now: number): readonly Rows[] {
  const at = instant(String(now));
  const owner = ownerOf({ id }, "n", personId);
  const app = id("1", `(1 + n % ${appCount})`);
  return [
    {
      into: "users (id, email, password_hash, created_at)",
      count: accounts,
      select: `${id("2", "n")}, 'tester' || CAST(n AS text) || '@example.org', '', ${at}`,
    },
    {
      into: "apps (id, owner_id, name, feedback_enabled, changelog_enabled, created_at, start_put_away_at)",
      count: appCount,
      select: `${id("1", "n")}, ${owner}, 'App ' || CAST(n AS text), 1, 1, ${at}, CASE WHEN n > 2 THEN ${at} END`,
    },
    {
      // What happened in the last month is unread.
      into: "app_members (app_id, user_id, role, created_at)",
      count: appCount,
      select: `${id("1", "n")}, ${owner}, 'owner', ${instant(String(now - 30 * 86_400_000))}`,
    },
    {
      into: "faqs (id, app_id, question, answer, sort_order, created_at, updated_at)",
      count: appCount * 50,
      select: `${id("3", "n")}, ${app}, 'How do I do thing ' || CAST(n AS text) || '?', 'Open the settings.', n, ${at}, ${at}`,
    },
    {
      into: `changelog_entries (id, app_id, title, version, versions, release_type, body_format, body, items, published_at,
        told_at, created_at, updated_at)`,
      count: appCount * 100,
      select: `${id("4", "n")}, ${app}, 'Release ' || CAST(n AS text), '1.' || CAST(n AS text) || '.0', '[]', 'minor', 'markdown',
        'It is better.', '[]', ${instant(`${now} - n * 60000`)}, ${at}, ${at}, ${at}`,
    },
  ];
}
