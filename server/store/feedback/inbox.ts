import type { ThreadChange, ThreadFilters, ThreadSummary } from "../../../src/contract/console/feedback.ts";
import { assignments } from "../engine/assignments.ts";
import type { Reader, Transaction, Value } from "../engine/database.ts";
import { plannedEachTime } from "../engine/planned-each-time.ts";
import { searchClauses, wordsOf } from "./search/feedback-search.ts";

export interface SummaryRow extends ThreadSummary {
  readonly seq: number;
}

/** A page of the inbox: the sort key after which it begins, and its length. */
export interface InboxPage {
  readonly position: readonly string[];
  readonly limit: number;
}

type Filters = Omit<ThreadFilters, "cursor" | "limit">;
type Condition = readonly [sql: string, ...values: Value[]];

/**
 * The threads of an app that match the filters (`from` is inclusive, `to` is exclusive), newest first. The sort key is
 * `createdAt` and `id`. In a search it is `seq`, the order of arrival.
 */
export async function listThreads(
  reader: Reader,
  { appId, ...filters }: Filters & { readonly appId: string },
  page: InboxPage,
): Promise<SummaryRow[]> {
  const words = wordsOf(filters.q ?? "");
  const matching = ofApp(appId, filters);
  if (filters.q === undefined) {
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

interface ThreadQuery {
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
            f.created_at AS "createdAt", f.seq
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

/** Sets the given fields. If the search index contains one of them, the thread is indexed again. */
export async function updateThread(
  tx: Transaction,
  id: string,
  { at, ...change }: ThreadChange & { readonly at: string },
): Promise<void> {
  const isChange = Object.values(change).some((value) => value !== undefined);
  const { sql, values } = assignments({
    active_at: isChange ? at : undefined,
    status: change.status,
    category: change.category,
    subject: change.subject,
    github_issue_url: change.githubIssueUrl,
    indexed: isIndexed(change) ? 0 : undefined,
  });
  if (sql !== "") await tx.run(`UPDATE feedback SET ${sql} WHERE id = ?`, ...values, id);
}

const isIndexed = ({ subject, status, category }: ThreadChange): boolean =>
  subject !== undefined || status !== undefined || category !== undefined;
