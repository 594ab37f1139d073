import type { ThreadChange, ThreadFilters, ThreadSummary } from "../../../src/contract/console/feedback.ts";
import { assignments } from "../engine/assignments.ts";
import type { Reader, Transaction, Value } from "../engine/database.ts";
import { plannedEachTime } from "../engine/planned-each-time.ts";
import { noteActivity } from "./looks/activity.ts";
import { byActivity, newestByActivity } from "./looks/threads-by-activity.ts";
import { activeAt, type MemberOf } from "./looks/unread.ts";
import { searchClauses, wordsOf } from "./search/feedback-search.ts";

export interface SummaryRow extends Omit<ThreadSummary, "unread" | "lastMessage"> {
  readonly seq: number;
}

/** A page of the inbox: the sort key after which it begins, and its length. */
export interface InboxPage {
  readonly position: readonly string[];
  readonly limit: number;
}

type Filters = Omit<ThreadFilters, "cursor" | "limit">;

/** How a list is sorted: by the arrival of the report, by the last activity, or for a search by `seq`. */
export const orderOf = ({ q, order, unread }: Filters): "created" | "activity" | "found" => {
  if (q !== undefined) return "found";
  return order === "activity" || unread === "true" ? "activity" : "created";
};

type Condition = readonly [sql: string, ...values: Value[]];

/**
 * The threads of an app that match the filters (`from` is inclusive, `to` is exclusive), newest first. The sort key is
 * `createdAt` and `id`, by activity `activeAt` and `id`. In a search it is `seq`, the order of arrival. (rules F50, F51)
 */
export async function listThreads(
  reader: Reader,
  { appId, userId, ...filters }: Filters & MemberOf,
  page: InboxPage,
): Promise<SummaryRow[]> {
  const order = orderOf(filters);
  if (order === "activity") return listByActivity(reader, { appId, userId, ...filters }, page);
  const words = wordsOf(filters.q ?? "");
  const matching = ofApp(appId, filters);
  if (order === "created") {
    const conditions = [...matching, afterInTime(page)];
    return read(reader, { ...inTime, conditions }, page.limit);
  }
  if (words.length === 0) return [];
  const search = { scope: { appIds: [appId], ...filters }, words };
  const before = Number(page.position[0]);
  const found = await searchClauses(reader, search, {
    conditions: inTimes(filters),
    before,
    limit: page.limit,
  });
  const conditions = [...found.conditions, ...matching];
  return read(reader, { from: found.from, order: `${found.sequence} DESC`, conditions }, page.limit);
}

function listByActivity(
  reader: Reader,
  { appId, userId, ...filters }: Filters & MemberOf,
  { position, limit }: InboxPage,
): Promise<SummaryRow[]> {
  const after = [`(${activeAt}, f.id) < (?, ?)`, ...position] as const;
  const newest = newestByActivity({ appId, userId, filters, conditions: [after] }, limit);
  // The few that were found are read as rows. (CROSS JOIN makes SQLite keep that order.)
  const from = `${newest.sql} AS newest CROSS JOIN feedback f`;
  const conditions = [["f.seq = newest.seq", ...newest.values] as const];
  return read(reader, { from, order: byActivity, conditions }, limit);
}

interface ThreadQuery {
  /** Its values, if it has any, stand before those of the conditions. */
  readonly from: string;
  readonly order: string;
  readonly conditions: readonly Condition[];
}

const inTime = { from: "feedback f", order: "f.created_at DESC, f.id DESC" };

function read(
  reader: Reader,
  { from, order, conditions }: ThreadQuery,
  limit: number,
): Promise<SummaryRow[]> {
  return reader.all<SummaryRow>(
    plannedEachTime(`SELECT f.id, f.app_id AS "appId", f.subject, f.category, f.status, f.sender_name AS "senderName",
            f.sender_email AS "senderEmail", f.source, f.occurrences, f.proposal_status AS "proposalStatus",
            f.created_at AS "createdAt", ${activeAt} AS "activeAt", f.seq
     FROM ${from} WHERE ${conditions.map(([sql]) => sql).join(" AND ")} ORDER BY ${order} LIMIT ?`),
    ...conditions.flatMap(([, ...values]) => values),
    limit,
  );
}

const ofApp = (appId: string, { status, type, ...filters }: Filters): Condition[] => [
  ["f.app_id = ?", appId],
  ...given("f.status = ?", status),
  ...given("f.category = ?", type),
  ...inTimes(filters),
];

const inTimes = ({ from, to }: Pick<Filters, "from" | "to">): Condition[] => [
  ...given("f.created_at >= ?", from),
  ...given("f.created_at < ?", to),
];

const given = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, value]];

const afterInTime = ({ position }: InboxPage): Condition => ["(f.created_at, f.id) < (?, ?)", ...position];

/** Sets the given fields for the member `by`. If the search index contains one of them, the thread is indexed again. */
export async function updateThread(
  tx: Transaction,
  id: string,
  { at, by, ...change }: ThreadChange & { readonly at: string; readonly by: string },
): Promise<void> {
  const { sql, values } = assignments({
    status: change.status,
    category: change.category,
    subject: change.subject,
    github_issue_url: change.githubIssueUrl,
    indexed: isIndexed(change) ? 0 : undefined,
  });
  if (sql === "") return;
  await noteActivity(tx, id, { at, by });
  await tx.run(`UPDATE feedback SET ${sql} WHERE id = ?`, ...values, id);
}

const isIndexed = ({ subject, status, category }: ThreadChange): boolean =>
  subject !== undefined || status !== undefined || category !== undefined;
