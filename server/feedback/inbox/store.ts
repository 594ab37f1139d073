import type { ThreadChange, ThreadFilters, ThreadSummary } from "../../../src/contract/threads.ts";
import type { Engine, Reader, Transaction } from "../../database/database.ts";
import { type Condition, given, oftenTrue, sqlOf, valuesOf } from "../../database/lists.ts";
import * as tables from "../../database/schema/feedback.ts";
import { threadTopic } from "../../database/signals.ts";
import { plannedEachTime, update } from "../../database/statements.ts";
import { type AssigneeRow, assigneeColumns } from "../assignees/store.ts";
import { amongFound, searchThreads, wordsOf } from "../search/store/search.ts";
import { threadTags } from "../tags/store.ts";
import {
  type ActivityScope,
  activeAt,
  byActivity,
  type MemberOf,
  newestByActivity,
  noteActivity,
} from "../unread/store/read-marks.ts";

export interface SummaryRow
  extends Omit<ThreadSummary, "unread" | "lastMessage" | "tags" | "assignee">,
    AssigneeRow {
  readonly seq: number;
}

/** A page of the inbox: the sort key after which it begins, and its length. */
export interface InboxPage {
  readonly position: readonly string[];
  readonly limit: number;
}

export type Filters = Omit<ThreadFilters, "cursor" | "limit" | "tag" | "assignee"> & {
  /** Tags by their names; a thread has all of them. */
  readonly tags?: readonly string[] | undefined;
  /** The id of an account, or null for threads that are nobody's. */
  readonly assignee?: string | null | undefined;
};

/** How a list is sorted: by the arrival of the report, by the last activity, or for a search by `seq`. */
export const orderOf = ({ q, order, unread }: Filters): "created" | "activity" | "found" => {
  if (q !== undefined) return "found";
  return order === "activity" || unread === "true" ? "activity" : "created";
};

/**
 * The threads of an app that match the filters (`from` is inclusive, `to` is exclusive), newest first. The sort key is
 * `createdAt` and `id`, by activity `activeAt` and `id`. In a search it is `seq`, the order of arrival. (rules F50, F51)
 */
export async function listThreads(
  reader: Reader,
  { appId, userId, ...filters }: Filters & MemberOf,
  page: InboxPage,
): Promise<InboxRows> {
  const tagIds = await tagsOf(reader, appId, filters);
  if (tagIds === undefined) return none;
  const order = orderOf(filters);
  if (order !== "found") {
    const scope = {
      appId,
      userId,
      filters,
      conditions: [...shown(filters.status), ...ofAssignee(filters), ...withTags(tagIds)],
    };
    const isNarrow = tagIds.length > 0 || typeof filters.assignee === "string";
    if (order === "activity" && (filters.unread === "true" || !isNarrow))
      return { rows: await listByActivity(reader, scope, page) };
    const { key, ...ordered } = inOrder(reader.engine, { order, tagIds, filters: { ...filters, appId } });
    const conditions = [...ordered.conditions, afterKey(key, page)];
    return { rows: await read(reader, { ...ordered, conditions }, page.limit) };
  }
  const words = wordsOf(filters.q ?? "");
  if (words.length === 0) return none;
  const search = { scope: { appIds: [appId], ...filters }, words };
  const before = Number(page.position[0]);
  const found = await searchThreads(reader, search, {
    conditions: [...shown(filters.status), ...inTimes(filters), ...ofAssignee(filters), ...withTags(tagIds)],
    before,
    limit: page.limit,
  });
  const { from, condition } = amongFound(reader, found);
  const conditions = [condition, ...ofApp(appId, filters), ...withTags(tagIds)];
  const rows = await read(reader, { from, order: "f.seq DESC", conditions }, page.limit);
  return { rows, reached: found.reached };
}

/** The rows of a page. `reached` is set if a search ended early: threads before that `seq` were not looked at. */
export interface InboxRows {
  readonly rows: readonly SummaryRow[];
  readonly reached?: number | undefined;
}

const none: InboxRows = { rows: [] };

const tagsOf = async (reader: Reader, appId: string, { tags = [] }: Filters) =>
  tags.length === 0 ? [] : threadTags.rarestFirst(reader, appId, tags);

function listByActivity(
  reader: Reader,
  { conditions: given, ...scope }: ActivityScope,
  { position, limit }: InboxPage,
): Promise<SummaryRow[]> {
  const after = [`(${activeAt}, f.id) < (?, ?)`, ...position] as const;
  const newest = newestByActivity({ ...scope, conditions: [after, ...given] }, limit);
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

interface OrderAsked {
  readonly order: "created" | "activity";
  /** The rarest first. */
  readonly tagIds: readonly string[];
  readonly filters: Filters & Pick<MemberOf, "appId">;
}

/**
 * The threads in an order, and its sort key. With tags it reads the index of the first one: the planner must not read all
 * threads of the app, nor sort all of the tag.
 */
function inOrder(
  engine: Engine,
  { order, tagIds: [tagId, ...others], filters }: OrderAsked,
): ThreadQuery & { readonly key: string } {
  if (tagId === undefined) {
    const sorted = order === "created" ? "f.created_at" : activeAt;
    return {
      from:
        typeof filters.assignee === "string" ? ofOneAssignee(engine, order) : ofKind(engine, order, filters),
      order: `${sorted} DESC, f.id DESC`,
      key: `${sorted}, f.id`,
      conditions: ofApp(filters.appId, filters),
    };
  }
  const at = order === "created" ? "t.created_at" : "t.active_at";
  const { status, type, from, to, assignee } = filters;
  // The tag is of the app, and has the status, the assignee and the times of its threads.
  return {
    from: `thread_tags t ${engine === "sqlite" ? "CROSS JOIN" : "JOIN"} feedback f ON f.id = t.feedback_id`,
    order: `${at} DESC, t.feedback_id DESC`,
    key: `${at}, t.feedback_id`,
    conditions: [
      ["t.tag_id = ?", tagId],
      ...given("t.status = ?", status),
      ...given("t.assignee_id = ?", assignee ?? undefined),
      ...given("t.created_at >= ?", from),
      ...given("t.created_at < ?", to),
      ...[
        ...(status === undefined ? shown(status) : []),
        ...given("f.category = ?", type),
        ...(assignee === null ? ofAssignee(filters) : []),
        ...withTags(others),
      ].map(oftenTrue),
    ],
  };
}

// Without the name and without statistics SQLite would read all threads of a period, if the filters have one.
const ofKind = (engine: Engine, order: OrderAsked["order"], { status, type }: Filters): string => {
  if (engine === "postgres" || order === "activity") return "feedback f";
  if (status !== undefined && type !== undefined)
    return "feedback f INDEXED BY feedback_by_status_and_category";
  if (status !== undefined) return "feedback f INDEXED BY feedback_by_status";
  return type === undefined ? "feedback f" : "feedback f INDEXED BY feedback_by_category";
};

// Without the name SQLite would read an index with more equal columns, and all threads of a status with it.
const ofOneAssignee = (engine: Engine, order: OrderAsked["order"]): string => {
  if (engine === "postgres") return "feedback f";
  return `feedback f INDEXED BY ${order === "created" ? "feedback_by_assignee_and_age" : "feedback_by_assignee"}`;
};

const ofAssignee = ({ assignee }: Filters): Condition[] =>
  assignee === null ? [["f.assignee_id IS NULL"]] : given("f.assignee_id = ?", assignee);

const withTags = (ids: readonly string[]): Condition[] =>
  ids.map((id) => ["EXISTS (SELECT 1 FROM thread_tags x WHERE x.feedback_id = f.id AND x.tag_id = ?)", id]);

function read(
  reader: Reader,
  { from, order, conditions }: ThreadQuery,
  limit: number,
): Promise<SummaryRow[]> {
  return reader.all<SummaryRow>(
    plannedEachTime(`SELECT f.id, f.app_id AS "appId", f.subject, f.category, f.status, f.sender_name AS "senderName",
            f.sender_email AS "senderEmail", f.source, f.occurrences, f.proposal_status AS "proposalStatus",
            ${assigneeColumns}, f.created_at AS "createdAt", ${activeAt} AS "activeAt", f.seq
     FROM ${from} WHERE ${sqlOf(conditions)} ORDER BY ${order} LIMIT ?`),
    ...valuesOf(conditions),
    limit,
  );
}

const ofApp = (appId: string, { status, type, ...filters }: Filters): Condition[] => [
  ["f.app_id = ?", appId],
  ...shown(status),
  ...given("f.category = ?", type),
  ...inTimes(filters),
  ...ofAssignee(filters),
];

/** Without a status, all threads but those of blocked senders. */
const shown = (status: string | undefined): Condition[] =>
  status === undefined ? [["f.status <> 'blocked'"]] : [["f.status = ?", status]];

const inTimes = ({ from, to }: Pick<Filters, "from" | "to">): Condition[] => [
  ...given("f.created_at >= ?", from),
  ...given("f.created_at < ?", to),
];

const afterKey = (key: string, { position }: InboxPage): Condition => [`(${key}) < (?, ?)`, ...position];

type Changeable = Pick<ThreadChange, "status" | "category" | "subject" | "githubIssueUrl">;

/** What `updateThread` can change, as it is now. */
export const changeableOf = async (
  reader: Reader,
  id: string,
): Promise<Readonly<Record<string, unknown>>> => ({
  ...(await reader.get<Changeable>(
    `SELECT status, category, subject, github_issue_url AS "githubIssueUrl" FROM feedback WHERE id = ?`,
    id,
  )),
});

const setFields = update(tables.feedback, "WHERE id = ?");

/** Sets the given fields for the member `by`. If the search index contains one of them, the thread is indexed again. */
export async function updateThread(
  tx: Transaction,
  id: string,
  { at, by, ...change }: ThreadChange & { readonly at: string; readonly by: string },
): Promise<void> {
  const { status, category, subject, githubIssueUrl } = change;
  const fields = { status, category, subject, githubIssueUrl };
  if (Object.values(fields).every((value) => value === undefined)) return;
  await noteActivity(tx, id, { at, by });
  await setFields(tx, { ...fields, indexed: isIndexed(change) ? 0 : undefined }, id);
  tx.signal(threadTopic(id));
}

const isIndexed = ({ subject, status, category }: ThreadChange): boolean =>
  subject !== undefined || status !== undefined || category !== undefined;
