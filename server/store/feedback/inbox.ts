import type { ThreadChange, ThreadFilters, ThreadSummary } from "../../../src/contract/console/feedback.ts";
import { assignments } from "../engine/assignments.ts";
import type { Reader, Transaction, Value } from "../engine/database.ts";
import { plannedEachTime } from "../engine/planned-each-time.ts";
import { type Searching, searching, wordsOf } from "./feedback-search.ts";

export interface SummaryRow extends ThreadSummary {
  readonly seq: number;
}

/** A page of the inbox: the sort key after which it begins, and its length. */
export interface Page {
  readonly position: readonly string[];
  readonly limit: number;
}

type Filters = Omit<ThreadFilters, "cursor" | "limit">;
type Condition = readonly [sql: string, ...values: Value[]];

/**
 * The threads of an app that pass the filters (`from` included, `to` excluded), newest first. The sort key is
 * `createdAt` and `id`; of a search it is `seq`, the order of arrival.
 */
export async function listThreads(
  reader: Reader,
  appId: string,
  filters: Filters,
  page: Page,
): Promise<SummaryRow[]> {
  const words = wordsOf(filters.q ?? "");
  if (filters.q === undefined) return read(reader, [...ofApp(appId, filters), afterInTime(page)], page);
  if (words.length === 0) return [];
  const search = searching(reader.engine, { appId, ...filters }, words);
  const conditions = [...ofApp(appId, filters), found(search), afterInSequence(search, page)];
  return read(reader, conditions, page, search);
}

const inTime = { from: "feedback f", order: "f.created_at DESC, f.id DESC" };

function read(
  reader: Reader,
  conditions: readonly Condition[],
  { limit }: Page,
  search?: Searching,
): Promise<SummaryRow[]> {
  const { from, order } = search ? { from: search.from, order: `${search.sequence} DESC` } : inTime;
  return reader.all<SummaryRow>(
    plannedEachTime(`SELECT f.id, f.app_id AS "appId", f.subject, f.category, f.status, f.sender_name AS "senderName",
            f.sender_email AS "senderEmail", f.source, f.occurrences, f.proposal_status AS "proposalStatus",
            f.created_at AS "createdAt", f.seq
     FROM ${from} WHERE ${conditions.map(([sql]) => sql).join(" AND ")} ORDER BY ${order} LIMIT ?`),
    ...conditions.flatMap(([, ...values]) => values),
    limit,
  );
}

const ofApp = (appId: string, { status, type, from, to }: Filters): Condition[] => [
  ["f.app_id = ?", appId],
  ...given("f.status = ?", status),
  ...given("f.category = ?", type),
  ...given("f.created_at >= ?", from),
  ...given("f.created_at < ?", to),
];

const given = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, value]];

const found = ({ condition, value }: Searching): Condition => [condition, value];

const afterInTime = ({ position }: Page): Condition => ["(f.created_at, f.id) < (?, ?)", ...position];

const afterInSequence = ({ sequence }: Searching, { position: [seq] }: Page): Condition => [
  `${sequence} < ?`,
  Number(seq),
];

/** Changes what is given. What the search index holds of a thread is indexed again. */
export async function updateThread(tx: Transaction, id: string, change: ThreadChange): Promise<void> {
  const { sql, values } = assignments({
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
