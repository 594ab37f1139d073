import { appCount, ownApps, type Rows } from "./feedback-rows.ts";
import type { Sql } from "./sql.ts";

const accounts = 5_000;

/** The id of the app in which the requests are measured, and of one with few threads. */
export const measuredApps = ({ id }: Sql) => ({ big: id("1", "1"), small: id("1", "2") });

/** Accounts, and apps with FAQ entries and release notes. The first apps belong to the measured person. */
export function appRows({ id, instant }: Sql, personId: string, now: number): readonly Rows[] {
  const at = instant(String(now));
  const owner = `CASE WHEN n <= ${ownApps} THEN '${personId}' ELSE ${id("2", "n")} END`;
  const app = id("1", `(1 + n % ${appCount})`);
  return [
    {
      into: "users (id, email, password_hash, created_at)",
      count: accounts,
      select: `${id("2", "n")}, 'tester' || CAST(n AS text) || '@example.org', '', ${at}`,
    },
    {
      into: "apps (id, owner_id, name, feedback_enabled, changelog_enabled, created_at)",
      count: appCount,
      select: `${id("1", "n")}, ${owner}, 'App ' || CAST(n AS text), 1, 1, ${at}`,
    },
    {
      into: "app_members (app_id, user_id, role, created_at)",
      count: appCount,
      select: `${id("1", "n")}, ${owner}, 'owner', ${at}`,
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
