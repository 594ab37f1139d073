import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { ThreadFilters, ThreadSummary } from "../../../src/contract/threads.ts";
import type { View } from "../../../src/contract/views.ts";
import type { Engine, Reader, Transaction } from "../../database/database.ts";
import { type Condition, directionOf, given, oftenTrue, sqlOf, valuesOf } from "../../database/lists.ts";
import * as tables from "../../database/schema/feedback.ts";
import { loweredAddress } from "../../database/schema/table.ts";
import { listed, plannedEachTime, update } from "../../database/transaction.ts";
import { isEmpty, readQuery } from "../search/rules.ts";
import { amongFound, searchThreads } from "../search/store/search.ts";
import { threadTags } from "../tags/store.ts";
import { type AssigneeRow, assigneeColumns, withNumber } from "../threads/store/threads.ts";
import {
  type ActivityScope,
  activeAt,
  byActivity,
  firstByActivity,
  type MemberOf,
} from "../unread/store/read-marks.ts";

export interface SummaryRow
  extends Omit<ThreadSummary, "unread" | "lastMessage" | "tags" | "assignee" | "found">,
    AssigneeRow {
  readonly seq: number;
}

/** The columns that a statement reads for each thread. */
interface Columns<Row extends object> {
  readonly sql: string;
  /** Returns a statement around the given statement, for example a count of its rows. */
  readonly around?: (statement: string) => string;
  readonly row?: Row;
}

const summary: Columns<SummaryRow> = {
  sql: `f.id, f.number, f.app_id AS "appId", f.subject, f.category, f.status, f.sender_name AS "senderName",
            f.sender_email AS "senderEmail", f.source, f.occurrences, f.proposal_status AS "proposalStatus",
            ${assigneeColumns}, f.created_at AS "createdAt", ${activeAt} AS "activeAt",
            f.snoozed_until AS "snoozedUntil", f.seq`,
};

type FoundThread = Pick<SummaryRow, "id" | "createdAt">;

const counted: Columns<{ readonly count: number }> = {
  sql: "1 AS one",
  around: (statement) => `SELECT COUNT(*) AS count FROM (${statement}) AS matching`,
};

const found: Columns<FoundThread> = { sql: `f.id, f.created_at AS "createdAt"` };

export type KeyedThread = Pick<SummaryRow, "id" | "createdAt" | "activeAt" | "seq">;

const keyed: Columns<KeyedThread> = {
  sql: `f.id, f.created_at AS "createdAt", ${activeAt} AS "activeAt", f.seq`,
};

/** A page of the inbox. The page begins after the sort key `position`, and has at most `limit` threads. */
interface InboxPage {
  readonly position: readonly string[];
  readonly limit: number;
}

export type Filters = Omit<ThreadFilters, "cursor" | "limit" | "tag" | "assignee"> & {
  /** Names of tags. A matching thread has all of them. */
  readonly tags?: readonly string[] | undefined;
  /** The id of an account, or null for threads without an assignee. */
  readonly assignee?: string | null | undefined;
};

/** Returns the order of a list. A list of unread threads is always sorted by activity. */
export const orderOf = ({ q, order, unread }: Filters): ThreadOrder => {
  if (q !== undefined) return "found";
  if (order === "oldest_activity") return order;
  return order === "activity" || unread === "true" ? "activity" : "created";
};

/**
 * Returns a page of the matching threads in the order from `orderOf`. `from` is inclusive, `to` exclusive.
 * (rules F50, F51)
 */
export const listThreads = (
  reader: Reader,
  scope: Filters & MemberOf,
  page: InboxPage,
): Promise<ThreadRows<SummaryRow>> => list(reader, scope, page, summary);

/** Returns the sort keys of the threads that `listThreads` returns, without their other columns. */
export const listKeys = (
  reader: Reader,
  scope: Filters & MemberOf,
  page: InboxPage,
): Promise<ThreadRows<KeyedThread>> => list(reader, scope, page, keyed);

/** Returns the rows of these threads in the order of `ids`, without deleted threads. */
export async function readSummaries(reader: Reader, ids: readonly string[]): Promise<SummaryRow[]> {
  if (ids.length === 0) return [];
  const these: Condition = [`f.id IN (${ids.map(() => "?").join(", ")})`, ...ids];
  const query = { from: "feedback f", order: "f.id", conditions: [these] };
  const rows = new Map((await read(reader, query, ids.length, summary)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

async function list<Row extends object>(
  reader: Reader,
  { appId, userId, ...filters }: Filters & MemberOf,
  page: InboxPage,
  columns: Columns<Row>,
): Promise<ThreadRows<Row>> {
  const tagIds = await tagsOf(reader, appId, filters);
  if (tagIds === undefined) return { rows: [] };
  const scope = { appId, userId, tagIds, ...filters };
  const order = orderOf(filters);
  if (order === "found") return search(reader, { appIds: [appId], ...scope }, page, columns);
  return { rows: await read(reader, queryOf(reader.engine, order, scope, page), page.limit, columns) };
}

/** Returns the query for a page of the inbox without a search. */
function queryOf(
  engine: Engine,
  order: OrderInTime,
  { appId, userId, tagIds, ...filters }: Filters & MemberOf & { readonly tagIds: readonly string[] },
  page: InboxPage,
): ThreadQuery {
  if (filters.number !== undefined) return ofNumber(engine, { appId, tagIds, ...filters });
  const scope = {
    appId,
    userId,
    filters,
    conditions: [withStatus(filters.status), ...ofState(filters), ...withTags(tagIds)],
  };
  if (order !== "created" && (filters.unread === "true" || !isNarrow(filters, tagIds)))
    return inActivity(order, scope, page);
  const { key, ...ordered } = inOrder(engine, order, tagIds, { ...filters, appId });
  return { ...ordered, conditions: [...ordered.conditions, afterKey(key, order, page)] };
}

/** The limits for reading all pages of a list. */
export interface WholeList {
  /** The maximum number of threads that are read. */
  readonly most: number;
  /** The time after which a search begins no new page. With the default 0, a search reads only one page. */
  readonly milliseconds?: number;
}

/** A number of threads. `isComplete` is false after a timeout: there may be more threads. */
interface ThreadCount {
  readonly count: number;
  readonly isComplete: boolean;
}

/**
 * Counts the threads that match the filters, up to `whole.most`. `isComplete` is false after a timeout. (rule
 * F44)
 */
export async function countThreads(
  reader: Reader,
  scope: Filters & MemberOf,
  whole: WholeList,
): Promise<ThreadCount> {
  if (orderOf(scope) !== "found")
    return { count: (await countLists(reader, [scope], whole.most))[0] ?? 0, isComplete: true };
  const sizeOf = (rows: readonly { readonly count: number }[]) => Number(rows[0]?.count ?? 0);
  const { size, isComplete } = await readWhole(reader, scope, whole, { columns: counted, sizeOf });
  return { count: size, isComplete };
}

/** Returns the order whose index makes the count read the fewest threads. */
function countedOrderOf(filters: Filters): OrderInTime {
  const { status, type, unread, waitingOn } = filters;
  if (orderOf(filters) === "created") return "created";
  // With the index by activity, the count would read up to four times as many threads.
  const hasIndexByAge = status !== undefined || type !== undefined;
  return hasIndexByAge && unread === undefined && waitingOn === undefined && !isUnassigned(filters)
    ? "created"
    : "activity";
}

/** Counts the threads of several lists, each up to `most`, in one statement. No list may be a search. */
export async function countLists(
  reader: Reader,
  scopes: readonly (Filters & MemberOf)[],
  most: number,
): Promise<number[]> {
  const counts = await Promise.all(
    scopes.map(async ({ appId, userId, ...filters }): Promise<Condition | undefined> => {
      const tagIds = await tagsOf(reader, appId, filters);
      if (tagIds === undefined) return undefined;
      const order = countedOrderOf(filters);
      const page = { position: firstPositions[order], limit: most };
      const query = queryOf(reader.engine, order, { appId, userId, tagIds, ...filters }, page);
      return statementOf(query, most, counted);
    }),
  );
  const columns = counts.flatMap((one, at) => (one === undefined ? [] : [`(${one[0]}) AS c${at}`]));
  if (columns.length === 0) return scopes.map(() => 0);
  const row = await reader.get<Record<string, number>>(
    plannedEachTime(`SELECT ${columns.join(", ")}`),
    ...valuesOf(counts.filter((one) => one !== undefined)),
  );
  return counts.map((_, at) => Number(row?.[`c${at}`] ?? 0));
}

/** Returns the first matching threads, at most `whole.most`. `isComplete` is false after a timeout. */
export async function firstThreads(
  reader: Reader,
  scope: Filters & MemberOf,
  whole: WholeList,
): Promise<{ readonly rows: readonly FoundThread[]; readonly isComplete: boolean }> {
  const sizeOf = (rows: readonly FoundThread[]) => rows.length;
  return readWhole(reader, scope, whole, { columns: found, sizeOf });
}

/** Reads a list page by page. The process answers other requests between two pages. */
async function readWhole<Row extends object>(
  reader: Reader,
  scope: Filters & MemberOf,
  { most, milliseconds = 0 }: WholeList,
  { columns, sizeOf }: { readonly columns: Columns<Row>; readonly sizeOf: (rows: readonly Row[]) => number },
): Promise<{ readonly rows: readonly Row[]; readonly size: number; readonly isComplete: boolean }> {
  const until = performance.now() + milliseconds;
  const rows: Row[] = [];
  let size = 0;
  for (let position = firstPositions[orderOf(scope)]; ; ) {
    const page = await list(reader, scope, { position, limit: most - size }, columns);
    rows.push(...page.rows);
    size += sizeOf(page.rows);
    if (page.reached === undefined || size >= most) return { rows, size, isComplete: true };
    if (performance.now() >= until) return { rows, size, isComplete: false };
    position = [String(page.reached)];
    await yieldToOthers();
  }
}

/** For each order, a sort key that comes before every thread. */
const firstPositions: Readonly<Record<ThreadOrder, readonly string[]>> = {
  created: ["9999", ""],
  activity: ["9999", ""],
  oldest_activity: ["", ""],
  found: [String(Number.MAX_SAFE_INTEGER)],
};

/** Whether an index finds the threads for these filters, so that the query reads only a few other threads. */
const isNarrow = (filters: Filters, tagIds: readonly string[]): boolean =>
  tagIds.length > 0 ||
  filters.sender !== undefined ||
  typeof filters.assignee === "string" ||
  filters.snoozed === "true" ||
  filters.waitingOn !== undefined ||
  isUnassigned(filters);

const isUnassigned = ({ assignee, unfinished }: Filters): boolean =>
  assignee === null && unfinished !== undefined;

/**
 * Returns the query for the thread with the number in the filters. The thread must also match the other
 * filters.
 */
const ofNumber = (
  engine: Engine,
  { appId, tagIds, ...filters }: Filters & Pick<MemberOf, "appId"> & { readonly tagIds: readonly string[] },
): ThreadQuery => ({
  from: "feedback f",
  order: "f.id",
  conditions: [
    withNumber([appId], Number(filters.number)),
    ...ofApp(appId, filters),
    ...ofSender(engine, { appId, ...filters }),
    ...withTags(tagIds),
  ],
});

/** Searches in several apps. Returns the threads that were found, newest first. */
export const searchInbox = (
  reader: Reader,
  scope: Filters & InboxScope & { readonly tagIds: readonly string[] },
  page: InboxPage,
): Promise<ThreadRows<SummaryRow>> => search(reader, scope, page, summary);

function search<Row extends object>(
  reader: Reader,
  { appIds, userId, tagIds, ...filters }: Filters & InboxScope & { readonly tagIds: readonly string[] },
  page: InboxPage,
  columns: Columns<Row>,
): Promise<ThreadRows<Row>> {
  const { q, status, type } = filters;
  const by = "member" as const;
  const asked = {
    ...{ q, by, appIds, userId, status, type },
    narrowing: narrowingOf(filters, tagIds),
    conditions: [...ofApps(appIds, filters), ...withTags(tagIds)],
  };
  return readFound(reader, asked, page, (found) => read(reader, found, page.limit, columns));
}

/** The apps in which a person searches. */
export interface InboxScope {
  readonly appIds: readonly string[];
  readonly userId: string;
}

/** Returns the conditions of filters that a search can check while it reads the index. */
export const narrowingOf = (filters: Filters, tagIds: readonly string[]): Condition[] => [
  ...[withStatus(filters.status), ...given("f.category = ?", filters.type)],
  ...[...inTimes(filters), ...ofState(filters), ...withTags(tagIds)],
];

/** Returns the `addresses` that belong to assignees of threads in these apps. */
export async function assignedAmong(
  reader: Reader,
  appIds: readonly string[],
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const places = (values: readonly string[]) => values.map(() => "?").join(", ");
  const rows = await reader.all<{ email: string }>(
    `SELECT u.email FROM users u WHERE u.email IN (${places(addresses)})
     AND EXISTS (SELECT 1 FROM feedback f WHERE f.assignee_id = u.id AND f.app_id IN (${places(appIds)}))`,
    ...addresses,
    ...appIds,
  );
  return new Set(rows.map(({ email }) => email));
}

/** Returns the ids of the tags in the filters. Returns undefined if one of these tags does not exist. */
export const tagsOf = async (reader: Reader, appId: string, { tags = [] }: Filters) =>
  tags.length === 0 ? [] : threadTags.rarestFirst(reader, appId, tags);

function inActivity(
  order: OrderInTime,
  { conditions: given, ...scope }: ActivityScope,
  page: InboxPage,
): ThreadQuery {
  const oldestFirst = isOldestFirst(order);
  const conditions = [afterKey(`${activeAt}, f.id`, order, page), ...given];
  const first = firstByActivity({ ...scope, oldestFirst, conditions }, page.limit);
  // With CROSS JOIN, SQLite runs `matching` first, and reads the columns of `f` only for threads in `matching`.
  const from = `${first.sql} AS matching CROSS JOIN feedback f`;
  return { from, order: byActivity(oldestFirst), conditions: [["f.seq = matching.seq", ...first.values]] };
}

/** Returns a query for sorted threads. With tags, the query reads the index of the rarest tag. */
function inOrder(
  engine: Engine,
  order: OrderInTime,
  /** The ids of the tags, beginning with the rarest tag. */
  tagIds: readonly string[],
  filters: Filters & Pick<MemberOf, "appId">,
): ThreadQuery & { readonly key: string } {
  const [tagId, ...others] = tagIds;
  const [, direction] = directionOf(isOldestFirst(order));
  // Few threads are snoozed, so the index of the snoozed threads is better than the index of a tag.
  if (tagId === undefined || filters.snoozed === "true") {
    const { at, id } = sortKeyOf(order);
    return {
      from: indexed(engine, order, filters),
      order: `${at} ${direction}, ${id} ${direction}`,
      key: `${at}, ${id}`,
      conditions: [...ofApp(filters.appId, filters), ...withTags(tagIds), ...ofSender(engine, filters)],
    };
  }
  const { status, type, to, assignee } = filters;
  const { from, at, id } = threadsOfTag(engine, order);
  return {
    from,
    order: `${at} ${direction}, ${id} ${direction}`,
    key: `${at}, ${id}`,
    conditions: [
      ["t.tag_id = ?", tagId],
      ...given("t.status = ?", status),
      ...given("t.assignee_id = ?", assignee ?? undefined),
      ...given("t.created_at >= ?", filters.from),
      ...given("t.created_at < ?", to),
      ...[
        ...(status === undefined ? [withStatus(status)] : []),
        // The index of the tag contains the status, so the query does not read finished threads.
        ...(isForUnfinished(filters) ? [isOpen("t")] : []),
        ...given("f.category = ?", type),
        ...(assignee === null ? ofAssignee(filters) : []),
        ...ofTurn(filters),
        ...ofSnooze(filters),
        ...withTags(others),
        ...ofSender(engine, filters),
      ].map(oftenTrue),
    ],
  };
}

// SQLite usually has no statistics. Without a named index, SQLite would read all threads in the filters' time
// range.
const ofKind = (engine: Engine, order: OrderInTime, { status, type }: Filters): string => {
  if (engine === "postgres" || order !== "created") return "feedback f";
  if (status !== undefined && type !== undefined)
    return "feedback f INDEXED BY feedback_by_status_and_category";
  if (status !== undefined) return "feedback f INDEXED BY feedback_by_status";
  return type === undefined ? "feedback f" : "feedback f INDEXED BY feedback_by_category";
};

// Without a named index, SQLite chooses an index with which it reads all threads of a status.
const ofOneAssignee = (engine: Engine, order: OrderInTime): string => {
  if (engine === "postgres") return "feedback f";
  return `feedback f INDEXED BY ${order === "created" ? "feedback_by_assignee_and_age" : "feedback_by_assignee"}`;
};

const ofSnoozed = (engine: Engine, order: OrderInTime): string => {
  if (engine === "postgres") return "feedback f";
  return `feedback f INDEXED BY ${order === "created" ? "feedback_snoozed_by_age" : "feedback_snoozed_by_activity"}`;
};

/** Returns the table for FROM. On SQLite, adds the index with which the query reads the fewest threads. */
function indexed(engine: Engine, order: OrderInTime, filters: Filters): string {
  if (filters.sender !== undefined)
    return engine === "postgres" ? "feedback f" : "feedback f INDEXED BY feedback_of_sender";
  if (filters.snoozed === "true") return ofSnoozed(engine, order);
  if (typeof filters.assignee === "string") return ofOneAssignee(engine, order);
  if (engine === "sqlite" && order !== "created") {
    if (filters.waitingOn !== undefined) return "feedback f INDEXED BY feedback_by_turn";
    if (isUnassigned(filters)) return "feedback f INDEXED BY feedback_unassigned";
  }
  return ofKind(engine, order, filters);
}

/**
 * Returns the conditions for the assignee, for the side that has to act (team or sender), and for the snooze.
 */
const ofState = (filters: Filters): Condition[] => [
  ...ofAssignee(filters),
  ...ofTurn(filters),
  ...ofSnooze(filters),
];

const isForUnfinished = ({ waitingOn, unfinished }: Filters): boolean =>
  waitingOn !== undefined || unfinished !== undefined;

const isOpen = (row: "f" | "t"): Condition => [`${row}.status IN ('open', 'in_progress')`];

const ofTurn = (filters: Filters): Condition[] => {
  if (!isForUnfinished(filters)) return [];
  const { waitingOn } = filters;
  return waitingOn === undefined
    ? [isOpen("f")]
    : [isOpen("f"), ["f.answered = ?", waitingOn === "us" ? 0 : 1]];
};

/** Does not compare times, because `prepareInbox` ends due snoozes before a list is read. */
const ofSnooze = ({ snoozed }: Filters): Condition[] => {
  if (snoozed === undefined) return [];
  return [[snoozed === "true" ? "f.snoozed_until IS NOT NULL" : "f.snoozed_until IS NULL"]];
};

const ofAssignee = ({ assignee }: Filters): Condition[] =>
  assignee === null ? [["f.assignee_id IS NULL"]] : given("f.assignee_id = ?", assignee);

const withTags = (ids: readonly string[]): Condition[] =>
  ids.map((id) => ["EXISTS (SELECT 1 FROM thread_tags x WHERE x.feedback_id = f.id AND x.tag_id = ?)", id]);

function read<Row extends object>(
  reader: Reader,
  query: ThreadQuery,
  limit: number,
  columns: Columns<Row>,
): Promise<Row[]> {
  const [sql, ...values] = statementOf(query, limit, columns);
  return reader.all<Row>(plannedEachTime(sql), ...values);
}

function statementOf(
  { from, order, conditions }: ThreadQuery,
  limit: number,
  columns: Pick<Columns<object>, "sql" | "around">,
): Condition {
  const selected = `SELECT ${columns.sql} FROM ${from} WHERE ${sqlOf(conditions)} ORDER BY ${order} LIMIT ?`;
  return [columns.around?.(selected) ?? selected, ...valuesOf(conditions), limit];
}

const ofApps = (appIds: readonly string[], filters: Filters): Condition[] => [
  [`f.app_id IN (${appIds.map(() => "?").join(", ")})`, ...appIds],
  ...matching(filters),
];

const ofApp = (appId: string, filters: Filters): Condition[] => [
  ["f.app_id = ?", appId],
  ...matching(filters),
];

const matching = ({ status, type, ...filters }: Filters): Condition[] => [
  withStatus(status),
  ...given("f.category = ?", type),
  ...inTimes(filters),
  ...ofState(filters),
];

/** Returns the conditions for the threads of a sender. */
function ofSender(engine: Engine, { appId, sender, order }: Filters & Pick<MemberOf, "appId">): Condition[] {
  if (sender === undefined) return [];
  const lowered = loweredAddress[engine];
  const forms = formsOf(sender);
  const places = forms.map(() => lowered("?"));
  const among = forms.length === 1 ? `= ${places[0]}` : `IN (${places.join(", ")})`;
  const ofThem = (row: "f" | "k") =>
    `${row}.sender_email IS NOT NULL AND ${lowered(`${row}.sender_email`)} ${among}`;
  const own: Condition = [ofThem("f"), ...forms];
  if (engine === "sqlite" || order === undefined || order === "created") return [own];
  // With this condition, PostgreSQL reads only the sender's threads, not the threads of the app.
  const ids = `SELECT k.id FROM feedback k WHERE k.app_id = ? AND ${ofThem("k")}`;
  return [own, [`f.id = ANY(ARRAY(${ids}))`, appId, ...forms]];
}

/** Returns the Unicode forms in which an address may be stored. Some systems write `é` as two characters. */
function formsOf(address: string): string[] {
  // The SQL statement compares addresses whose letters A to Z are in lower case.
  const written = address.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const cases = [written, written.toLowerCase()];
  return [...new Set(cases.flatMap((one) => [one.normalize("NFC"), one.normalize("NFD")]))];
}

const inTimes = ({ from, to }: Pick<Filters, "from" | "to">): Condition[] => [
  ...given("f.created_at >= ?", from),
  ...given("f.created_at < ?", to),
];

function afterKey(key: string, order: OrderInTime, { position }: InboxPage): Condition {
  const [beyond] = directionOf(isOldestFirst(order));
  return [`(${key}) ${beyond} (?, ?)`, ...position.slice(0, 2)];
}

/** The order of a list: by report time, by last activity, or by `seq` in a search. */
export type ThreadOrder = "created" | "activity" | "oldest_activity" | "found";

/** The orders that sort by a time. */
type OrderInTime = Exclude<ThreadOrder, "found">;

/** Whether the list begins with the oldest thread. All other lists begin with the newest thread. */
export const isOldestFirst = (order: ThreadOrder): boolean => order === "oldest_activity";

/** Returns the columns by which threads `f` are sorted. */
export const sortKeyOf = (order: OrderInTime) =>
  ({ at: order === "created" ? "f.created_at" : activeAt, id: "f.id" }) as const;

/** Returns SQL for the threads `f` of a tag. The rows `t` also contain the threads' status, assignee and times. */
export const threadsOfTag = (engine: Engine, order: OrderInTime) =>
  ({
    from: `thread_tags t ${engine === "sqlite" ? "CROSS JOIN" : "JOIN"} feedback f ON f.id = t.feedback_id`,
    at: order === "created" ? "t.created_at" : "t.active_at",
    id: "t.feedback_id",
  }) as const;

/**
 * Returns the condition for threads with a status. Without a status, all threads match except those of blocked senders.
 */
export const withStatus = (status: string | undefined): Condition =>
  status === undefined ? ["f.status <> 'blocked'"] : ["f.status = ?", status];

/** A query for threads `f`. In the statement, the values of `from` come before the values of the conditions. */
interface ThreadQuery {
  readonly from: string;
  readonly order: string;
  readonly conditions: readonly Condition[];
}

/** The rows of a page. If `reached` is set, the next page has only threads with a smaller `seq`. */
export interface ThreadRows<Row> {
  readonly rows: readonly Row[];
  readonly reached?: number | undefined;
}

/** Searches for the newest threads that match the query `q`, and reads their rows. */
export async function readFound<Row>(
  reader: Reader,
  search: {
    readonly q: string | undefined;
    readonly appIds: readonly string[];
    readonly userId: string;
    readonly by: "member" | "agent";
    readonly status?: string | undefined;
    readonly type?: string | undefined;
    /** Conditions that make the search faster. The search checks them while it reads its index. */
    readonly narrowing: readonly Condition[];
    readonly conditions: readonly Condition[];
  },
  { position, limit }: { readonly position: readonly string[]; readonly limit: number },
  read: (found: ThreadQuery) => Promise<readonly Row[]>,
): Promise<ThreadRows<Row>> {
  const { appIds, status, type, userId } = search;
  const query = readQuery(search.q ?? "", search.by);
  if (isEmpty(query) || appIds.length === 0) return { rows: [] };
  const page = { conditions: search.narrowing, before: Number(position[0]), limit };
  const found = await searchThreads(reader, { scope: { appIds, status, type }, query, userId }, page);
  const { from, condition } = amongFound(reader, found);
  const rows = await read({ from, order: "f.seq DESC", conditions: [condition, ...search.conditions] });
  // A found thread may have no row any more. The next page begins after the last found thread.
  const isShort = found.seqs.length >= limit && rows.length < found.seqs.length;
  return { rows, reached: found.reached ?? (isShort ? found.seqs.at(-1) : undefined) };
}

/** A stored view. `query` is JSON. `userId` is null for a shared view. */
export interface ViewRow extends Omit<View, "query" | "shared" | "unknownFilters"> {
  readonly appId: string;
  readonly userId: string | null;
  readonly query: string;
}

const fields = ["id", "appId", "userId", "name", "query", "createdAt", "updatedAt"] as const;

const updateView = update(tables.savedViews, "WHERE id = ?");

/** The saved views of apps. A shared view belongs to the app. Each other view belongs to a member. (rule F44) */
export const savedViews = {
  /** Returns the views of a member and the shared views, sorted by name. */
  list: (reader: Reader, appId: string, userId: string): Promise<ViewRow[]> =>
    reader.all<ViewRow>(
      `SELECT ${listed(tables.savedViews, fields, "w")} FROM saved_views w
       WHERE w.app_id = ? AND (w.user_id IS NULL OR w.user_id = ?) ORDER BY w.name, w.id`,
      ...[appId, userId],
    ),

  find: (reader: Reader, appId: string, userId: string, id: string): Promise<ViewRow | undefined> =>
    reader.get<ViewRow>(
      `SELECT ${listed(tables.savedViews, fields, "w")} FROM saved_views w
       WHERE w.id = ? AND w.app_id = ? AND (w.user_id IS NULL OR w.user_id = ?)`,
      ...[id, appId, userId],
    ),

  insert: (tx: Transaction, row: ViewRow) => tx.insert(tables.savedViews, row),

  async update(tx: Transaction, id: string, change: Partial<ViewRow>): Promise<void> {
    await updateView(tx, change, id);
  },

  remove: (tx: Transaction, id: string) => tx.run("DELETE FROM saved_views WHERE id = ?", id),
};
