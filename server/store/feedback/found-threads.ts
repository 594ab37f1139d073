import type { FeedbackFilters, Waiting } from "../../../src/contract/agent/find-work.ts";
import { type Viewer, visibleTo } from "../access/members/visibility.ts";
import type { Engine, Reader } from "../engine/database.ts";
import { plannedEachTime } from "../engine/planned-each-time.ts";
import { searchClauses, wordsOf } from "./search/feedback-search.ts";
import { type ChangeKey, type ChangesAfter, type Condition, presentMark } from "./thread-changes.ts";

/** A thread in the list of an agent. */
export interface FoundRow {
  readonly seq: number;
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly subject: string;
  readonly type: string;
  readonly status: string;
  readonly occurrences: number;
  readonly createdAt: string;
  readonly activeAt: string;
  readonly waiting: Exclude<Waiting, "none"> | null;
  readonly runId: string | null;
  /** The mark of everything that this read saw. */
  readonly mark: string | number;
}

/** The threads that an agent may read and that match. */
export interface Search {
  readonly viewer: Viewer;
  readonly filters: Omit<FeedbackFilters, "appId" | "cursor" | "limit" | "changedAfter" | "wait">;
}

/** A page of the list: the sort key after which it begins, and its length. */
export interface FoundPage {
  readonly position: readonly string[];
  readonly limit: number;
}

/** How a list is sorted: by the arrival of the report, by the last activity, or for a search by `seq`. */
export const orderOf = ({ q, updatedSince }: Search["filters"]): "created" | "active" | "found" =>
  q !== undefined ? "found" : updatedSince !== undefined ? "active" : "created";

/** The matching threads, newest first. */
export async function findThreads(reader: Reader, search: Search, page: FoundPage): Promise<FoundRow[]> {
  const order = orderOf(search.filters);
  if (order === "found") return searchThreads(reader, search, page);
  const key = order === "active" ? active : "f.created_at";
  const seen = visibleTo(search.viewer);
  const sort = `ORDER BY ${key} DESC, f.id DESC LIMIT ?`;
  const inApp = [...matching(search.filters), [`(${key}, f.id) < (?, ?)`, ...page.position]] as const;
  // Each app's newest threads come in order from its index, so no app is read further than a page.
  const ofEachApp = `FROM feedback f WHERE f.app_id = v.app_id AND ${sqlOf(inApp)} ${sort}`;
  // Only the newest of all apps are read with everything that the list shows.
  const newest = `SELECT f.seq FROM ${newestOfApps[reader.engine](ofEachApp)} WHERE ${seen.sql} ${sort}`;
  return reader.all<FoundRow>(
    plannedEachTime(
      `SELECT ${columns[reader.engine]} FROM (${newest}) AS newest CROSS JOIN feedback f CROSS JOIN apps a
       WHERE f.seq = newest.seq AND a.id = f.app_id ${sort}`,
    ),
    ...[...valuesOf(inApp), page.limit, ...seen.values, page.limit, page.limit],
  );
}

/** The matching threads that changed, in the order of their changes. */
export function findChanged(
  reader: Reader,
  { viewer, filters }: Search,
  { conditions: changed, limit }: Pick<ChangesAfter, "conditions"> & { readonly limit: number },
): Promise<(FoundRow & ChangeKey)[]> {
  const conditions = [...changed, ...matching(filters)];
  const seen = visibleTo(viewer);
  return reader.all<FoundRow & ChangeKey>(
    plannedEachTime(
      `SELECT ${columns[reader.engine]}, c.number
       FROM thread_changes c CROSS JOIN feedback f CROSS JOIN apps a CROSS JOIN app_members v
       WHERE f.seq = c.feedback_seq AND a.id = c.app_id AND v.app_id = c.app_id AND ${sqlOf(conditions)} AND ${seen.sql}
       ORDER BY c.number, c.feedback_seq LIMIT ?`,
    ),
    ...[...valuesOf(conditions), ...seen.values, limit],
  );
}

async function searchThreads(
  reader: Reader,
  { viewer, filters }: Search,
  { position: [seq], limit }: FoundPage,
): Promise<FoundRow[]> {
  const words = wordsOf(filters.q ?? "");
  const seen = visibleTo(viewer);
  const apps = await reader.all<{ id: string }>(
    `SELECT v.app_id AS id FROM app_members v WHERE ${seen.sql}`,
    ...seen.values,
  );
  if (words.length === 0 || apps.length === 0) return [];
  const appIds = apps.map(({ id }) => id);
  const search = { scope: { appIds, ...filters }, words };
  const page = { conditions: oftenFew(appIds, filters), before: Number(seq), limit };
  const found = await searchClauses(reader, search, page);
  const conditions = [...found.conditions, ...matching(filters)];
  return reader.all<FoundRow>(
    plannedEachTime(
      `SELECT ${columns[reader.engine]} FROM ${found.from} JOIN apps a ON a.id = f.app_id
         JOIN app_members v ON v.app_id = a.id
       WHERE ${sqlOf(conditions)} AND ${seen.sql} ORDER BY ${found.sequence} DESC LIMIT ?`,
    ),
    ...[...valuesOf(conditions), ...seen.values, limit],
  );
}

/** What few threads may match. With the apps, PostgreSQL can also find these by an index of their own. */
function oftenFew(appIds: readonly string[], { waiting, updatedSince }: Search["filters"]): Condition[] {
  const conditions = matching({ waiting, updatedSince });
  const isRare = updatedSince !== undefined || (waiting !== undefined && waiting !== "none");
  if (!isRare) return conditions;
  return [[`f.app_id IN (${appIds.map(() => "?").join(", ")})`, ...appIds], ...conditions];
}

const active = "coalesce(f.active_at, f.created_at)";

const columnsOn = (engine: Engine) =>
  `f.seq, f.id, f.app_id AS "appId", a.name AS "appName", f.subject, f.category AS type, f.status, f.occurrences,
   f.created_at AS "createdAt", ${active} AS "activeAt", f.waiting,
   (SELECT r.id FROM runs r WHERE r.feedback_id = f.id ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS "runId",
   ${presentMark[engine]} AS mark`;

const columns = { sqlite: columnsOn("sqlite"), postgres: columnsOn("postgres") };

/** The tables `app_members v` and `feedback f`, of which only the threads that `ofEachApp` gives for an app. */
const newestOfApps: Record<Engine, (ofEachApp: string) => string> = {
  sqlite: (ofEachApp) => `app_members v CROSS JOIN feedback f ON f.seq IN (SELECT f.seq ${ofEachApp})`,
  postgres: (ofEachApp) =>
    `app_members v CROSS JOIN LATERAL (SELECT f.seq, f.id, f.created_at, f.active_at ${ofEachApp}) AS f`,
};

const matching = ({ status, type, updatedSince, waiting }: Search["filters"]): Condition[] => [
  // Those of blocked senders have a status of their own.
  ...(status === undefined ? [["f.status <> 'blocked'"] as const] : given("f.status = ?", status)),
  ...given("f.category = ?", type),
  ...given(`${active} >= ?`, updatedSince),
  ...(waiting === "none" ? [["f.waiting IS NULL"] as const] : given("f.waiting = ?", waiting)),
];

const given = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, value]];

const sqlOf = (conditions: readonly Condition[]): string => conditions.map(([sql]) => sql).join(" AND ");

const valuesOf = (conditions: readonly Condition[]) => conditions.flatMap(([, ...values]) => values);
