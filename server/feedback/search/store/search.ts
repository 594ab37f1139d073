import { setImmediate as yieldToOthers } from "node:timers/promises";
import { threadStatuses } from "../../../../src/contract/find-work.ts";
import type { SearchFacts } from "../../../../src/contract/threads.ts";
import type { visibleTo } from "../../../access/members/visibility.ts";
import type { Reader } from "../../../database/database.ts";
import { type Condition, sqlOf, valuesOf } from "../../../database/lists.ts";
import { marksInSqlite } from "../../../database/schema/search.ts";
import { plannedEachTime } from "../../../database/transaction.ts";
import { withNumber } from "../../threads/store/threads.ts";
import { isUnread } from "../../unread/store/read-marks.ts";
import {
  asOneWord,
  type Fact,
  type Pattern,
  patternsIn,
  type SearchQuery,
  type Term,
  type ThreadText,
} from "../rules.ts";
import { newestInPostgres } from "./postgres.ts";
import {
  continueSearch,
  type Effort,
  endOf,
  type Found,
  numbersOf,
  type Ranges,
  type SearchedTerms,
  type SearchPage,
  type SearchScope,
  searchBackwards,
  usualEffort,
} from "./ranges.ts";
import { mostMessages, type TextsRead, type ThreadWords, textsOf } from "./texts.ts";

type Counts = SearchFacts["counts"];

/** The maximum number of threads of a status that are counted. */
const mostCounted = 500;

const newest = Number.MAX_SAFE_INTEGER;

/**
 * Counting ends after about this time (milliseconds). The counts so far are shown as minimum numbers, such as `12+`.
 */
const mostMilliseconds = 15;

/**
 * Counts the threads of each status in `rows`. If `isComplete` is false, the counts end with `+`. (rule F58)
 */
export function countPage(
  rows: readonly { readonly status: string }[],
  { isComplete }: { readonly isComplete: boolean },
): Counts {
  const counts = new Map<string, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return isComplete ? countsOf(counts) : atLeast(countsOf(counts));
}

/**
 * Counts the threads that a search finds, separately for each status. `search.scope` must have no status. (rule
 * F58)
 */
export async function countFound(
  reader: Reader,
  search: ThreadSearch,
  conditions: readonly Condition[],
): Promise<Counts> {
  const until = performance.now() + mostMilliseconds;
  const effort = { ...usualEffort, milliseconds: mostMilliseconds };
  const page = { conditions, before: newest, limit: mostCounted + 1, effort };
  const found = await searchThreads(reader, search, page);
  const ofFound = await byStatus(reader, found.seqs.slice(0, mostCounted));
  if (found.reached === undefined && found.seqs.length <= mostCounted) return ofFound;
  if (found.reached !== undefined) return atLeast(ofFound);
  const counts = new Map(Object.entries(atLeast(ofFound)));
  for (const status of threadStatuses) {
    const milliseconds = Math.min(usualEffort.milliseconds, until - performance.now());
    if (milliseconds <= 0) break;
    const ofStatus: Condition = ["f.status = ?", status];
    const { seqs, reached } = await searchThreads(
      reader,
      { ...search, scope: { ...search.scope, status } },
      { ...page, conditions: [ofStatus, ...conditions], effort: { ...usualEffort, milliseconds } },
    );
    const known = Number.parseInt(String(ofFound[status]), 10);
    const count = Math.min(Math.max(seqs.length, known), mostCounted);
    counts.set(status, reached === undefined && seqs.length <= mostCounted ? count : `${count}+`);
  }
  return countsOf(counts);
}

const atLeast = ({ open, in_progress: inProgress, resolved, archived }: Counts): Counts => ({
  open: `${open}+`,
  in_progress: `${inProgress}+`,
  resolved: `${resolved}+`,
  archived: `${archived}+`,
});

async function byStatus(reader: Reader, seqs: readonly number[]): Promise<Counts> {
  const { from, condition } = amongFound(reader, { seqs });
  const rows = await reader.all<{ status: string; count: number }>(
    `SELECT f.status, count(*) AS count FROM ${from} WHERE ${condition[0]} GROUP BY f.status`,
    ...valuesOf([condition]),
  );
  return countsOf(new Map(rows.map(({ status, count }) => [status, Number(count)])));
}

const countsOf = (counts: ReadonlyMap<string, number | string>): Counts => ({
  open: counts.get("open") ?? 0,
  in_progress: counts.get("in_progress") ?? 0,
  resolved: counts.get("resolved") ?? 0,
  archived: counts.get("archived") ?? 0,
});

export interface ThreadSearch {
  readonly scope: SearchScope;
  readonly query: SearchQuery;
  /** The account of the person who searches, for `assignee:me` and `is:unread`. */
  readonly userId: string;
}

/** Returns the newest threads that a query finds. A slow search ends early and sets `reached`. (rules F18, F57) */
export async function searchThreads(reader: Reader, search: ThreadSearch, given: SearchPage): Promise<Found> {
  const { query } = search;
  const searched = { scope: narrowed(search), all: query.all, none: query.none };
  const conditions = [...given.conditions, ...conditionsOf(search)];
  const among = await threadsOfNumber(reader, search, { ...given, conditions });
  if (among?.length === 0) return { seqs: [], reached: undefined };
  const page = { ...given, conditions, ...(among && { among }) };
  if (query.read.length + query.readNone.length === 0) return searchTerms(reader, searched, page);
  return searchTexts(reader, { ...search, searched }, page);
}

/** Returns the threads with the number in the query, such as `#12`; undefined if the query has no number. */
async function threadsOfNumber(
  reader: Reader,
  { query }: ThreadSearch,
  page: SearchPage,
): Promise<readonly number[] | undefined> {
  if (!query.facts.some(({ name, isNot }) => name === "number" && !isNot)) return undefined;
  // The search index is not used. A slow search of the index may end before an old thread is reached.
  const where: Condition[] = [...page.conditions, ["f.seq < ?", page.before]];
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT f.seq FROM feedback f WHERE ${sqlOf(where)} ORDER BY f.seq DESC`),
    ...valuesOf(where),
  );
  return rows.map(({ seq }) => Number(seq));
}

const searchTerms = (reader: Reader, searched: SearchedTerms, page: SearchPage): Promise<Found> =>
  reader.engine === "sqlite"
    ? newestInSqlite(reader, searched, page)
    : newestInPostgres(reader, searched, page);

/** The number of threads that the index finds at once before their texts are read. */
const readAtOnce = 50;

/**
 * Finds threads with the terms of the query in the index. Checks the texts of these threads with the patterns.
 */
async function searchTexts(
  reader: Reader,
  { query, searched }: ThreadSearch & { readonly searched: SearchedTerms },
  page: SearchPage,
): Promise<Found> {
  const until = endOf(page.effort ?? usualEffort);
  const seqs: number[] = [];
  for (let { before } = page; ; ) {
    const found = await searchTerms(reader, searched, { ...page, before, limit: readAtOnce });
    const { fitting, last } = await withPatterns(reader, query, found.seqs, until);
    seqs.push(...fitting);
    if (seqs.length >= page.limit) return { seqs: seqs.slice(0, page.limit), reached: undefined };
    if (last !== undefined) return { seqs, reached: last };
    const next = found.reached ?? (found.seqs.length < readAtOnce ? undefined : found.seqs.at(-1));
    if (next === undefined) return { seqs, reached: undefined };
    if (found.reached !== undefined || performance.now() > until) return { seqs, reached: next };
    before = next;
  }
}

/** The number of messages of a thread that are read first. Most threads have fewer messages. */
const firstMessages = 30;

/**
 * The number of threads that one step reads. After a step with more than `muchText` characters, the next step
 * reads one thread.
 */
const mostAtOnce = 16;

const muchText = 65_536;

/**
 * Returns the threads that match all patterns in `read` and none in `readNone`. If the time is over, `last` is
 * the last read thread.
 */
async function withPatterns(
  reader: Reader,
  { read, readNone, withoutSenders }: Pick<SearchQuery, "read" | "readNone" | "withoutSenders">,
  seqs: readonly number[],
  until: number,
): Promise<{ readonly fitting: readonly number[]; readonly last?: number | undefined }> {
  const patterns = [...read, ...readNone];
  const fitting: number[] = [];
  for (let at = 0, atOnce = mostAtOnce; at < seqs.length; ) {
    const some = seqs.slice(at, at + atOnce);
    const had = new Map<number, ReadonlySet<Pattern>>();
    let text = 0;
    for await (const thread of textsInParts(reader, some, {
      most: readNone.length > 0 ? mostMessages : firstMessages,
      withoutSenders,
    })) {
      had.set(thread.seq, patternsIn(thread.texts, patterns));
      text += lengthOf(thread.texts);
    }
    const rest = some.filter((seq) => read.some((pattern) => !had.get(seq)?.has(pattern)));
    if (readNone.length === 0)
      for await (const thread of withManyMessages(reader, rest, { withoutSenders }))
        had.set(thread.seq, patternsIn(thread.texts, patterns));
    for (const seq of some) {
      const found = had.get(seq) ?? new Set();
      if (read.every((pattern) => found.has(pattern)) && !readNone.some((pattern) => found.has(pattern)))
        fitting.push(seq);
    }
    at += some.length;
    atOnce = text > muchText ? 1 : mostAtOnce;
    if (at < seqs.length && performance.now() > until) return { fitting, last: some.at(-1) };
  }
  return { fitting };
}

/** Yields the texts of threads. Other requests can be answered after each `muchText` characters. */
export async function* textsInParts(
  reader: Reader,
  seqs: readonly number[],
  { most = firstMessages, withoutSenders }: Partial<TextsRead> = {},
): AsyncGenerator<ThreadWords> {
  let text = 0;
  for (const thread of await textsOf(reader, seqs, { most, withoutSenders })) {
    yield thread;
    text += lengthOf(thread.texts);
    if (text < muchText) continue;
    text = 0;
    await yieldToOthers();
  }
}

const lengthOf = (texts: readonly ThreadText[]): number =>
  texts.reduce((total, { text }) => total + text.length, 0);

/** Yields all texts of those threads that have more than `firstMessages` messages. */
export async function* withManyMessages(
  reader: Reader,
  seqs: readonly number[],
  { withoutSenders }: Partial<Pick<TextsRead, "withoutSenders">> = {},
): AsyncGenerator<ThreadWords> {
  if (seqs.length === 0) return;
  const places = seqs.map(() => "?").join(", ");
  const long = await reader.all<{ seq: number }>(
    `SELECT f.seq FROM feedback f WHERE f.seq IN (${places}) AND EXISTS (
       SELECT 1 FROM messages m WHERE m.feedback_id = f.id LIMIT 1 OFFSET ${firstMessages})`,
    ...seqs,
  );
  for (const { seq } of long) yield* textsInParts(reader, [seq], { most: mostMessages, withoutSenders });
}

/** If the query has exactly one status, adds the status to the scope. Does the same with the type. */
function narrowed({ scope, query: { facts } }: ThreadSearch): SearchScope {
  const only = (name: Fact["name"]): string | undefined => {
    const of = facts.filter((fact) => fact.name === name && !fact.isNot);
    return of.length === 1 ? of[0]?.value : undefined;
  };
  return { ...scope, status: scope.status ?? only("status"), type: scope.type ?? only("type") };
}

/**
 * Returns the SQL conditions for the `facts` of a query, such as `status:open`. Several statuses or types are
 * alternatives.
 */
function conditionsOf({ scope, query: { facts }, userId }: ThreadSearch): Condition[] {
  return [
    ...oneOf("f.status", facts, "status"),
    ...oneOf("f.category", facts, "type"),
    ...facts.flatMap(({ name, value, isNot }): Condition[] => {
      if (name === "snoozed") return [[`f.snoozed_until IS ${isNot ? "" : "NOT "}NULL`]];
      if (name === "unread") return [[`${isNot ? "NOT " : ""}${unreadFor}`, userId]];
      if (name === "assignee") return [ofAssignee({ value, isNot }, userId)];
      if (name === "number")
        return [
          isNot ? ["coalesce(f.number, 0) <> ?", Number(value)] : withNumber(scope.appIds, Number(value)),
        ];
      if (name === "before") return [[isNot ? "f.created_at >= ?" : "f.created_at < ?", value]];
      if (name === "after") return [[isNot ? "f.created_at < ?" : "f.created_at >= ?", value]];
      return [];
    }),
  ];
}

const unreadFor = `EXISTS (
  SELECT 1 FROM app_members v WHERE v.app_id = f.app_id AND v.user_id = ? AND ${isUnread})`;

function oneOf(column: "f.status" | "f.category", facts: readonly Fact[], name: Fact["name"]): Condition[] {
  const listed = facts.filter((fact) => fact.name === name && !fact.isNot).map(({ value }) => value);
  const excluded = facts.filter((fact) => fact.name === name && fact.isNot).map(({ value }) => value);
  return [
    ...(listed.length === 0
      ? []
      : [[`${column} IN (${listed.map(() => "?").join(", ")})`, ...listed] as const]),
    ...excluded.map((value): Condition => [`${column} <> ?`, value]),
  ];
}

function ofAssignee({ value, isNot }: Pick<Fact, "value" | "isNot">, userId: string): Condition {
  const [is, ...values] = assignedTo(value, userId);
  return [isNot ? `(${is}) IS NOT TRUE` : is, ...values];
}

function assignedTo(value: string, userId: string): Condition {
  if (value === "none") return ["f.assignee_id IS NULL"];
  if (value === "me") return ["f.assignee_id = ?", userId];
  return ["f.assignee_id = (SELECT u.id FROM users u WHERE u.email = ?)", value];
}

/**
 * Returns SQL for the threads `seqs`. `from` may contain the `?` of `condition`, so pass the value of
 * `condition` first.
 */
export function amongFound(
  { engine }: Pick<Reader, "engine">,
  { seqs }: Pick<Found, "seqs">,
): { readonly from: string; readonly condition: Condition } {
  if (engine === "postgres") {
    const places = seqs.map(() => "?").join(", ");
    return {
      from: "feedback f",
      condition: seqs.length === 0 ? ["FALSE"] : [`f.seq IN (${places})`, ...seqs],
    };
  }
  // With CROSS JOIN, SQLite first reads `seqs`. With an IN list, SQLite could read all threads of the app.
  const from = "json_each(?) AS found CROSS JOIN feedback f";
  return { from, condition: ["f.seq = found.value", JSON.stringify(seqs)] };
}

/** Returns the names of the apps that a caller may see, by id. With `appId`, returns only this app. */
export async function searchedApps(
  reader: Reader,
  seen: ReturnType<typeof visibleTo>,
  appId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  const rows = await reader.all<{ id: string; name: string }>(
    `SELECT a.id, a.name FROM app_members v JOIN apps a ON a.id = v.app_id
     WHERE ${seen.sql} AND a.id = coalesce(?, a.id) ORDER BY a.id`,
    ...seen.values,
    appId ?? null,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** The maximum number of ranges of threads in one step. A step blocks the server for up to 25 milliseconds. */
const mostRanges = 16;

/**
 * Returns the newest threads that match. Searches all threads at once only if a condition matches few
 * threads.
 */
async function newestInSqlite(reader: Reader, searched: SearchedTerms, page: SearchPage): Promise<Found> {
  const { effort = usualEffort, among } = page;
  const until = endOf(effort);
  const parts = partsOf(searched);
  const none = searched.none.map(expressionOf);
  if (among) return { seqs: await findAmong(reader, { all: parts, none }, page, among), reached: undefined };
  const end = Math.min(page.before - 1, await newestSeq(reader));
  const searchRanges = (ranges: Ranges, limit: number) =>
    find(reader, { all: [anyOf(numbersOf(ranges).map(rangeMark)), ...parts], none }, { ...page, limit });
  const given = { end, limit: page.limit, until, ranges: 1, most: mostRanges, searchRanges };
  const first = await searchBackwards({ ...given, until: Number.NEGATIVE_INFINITY });
  if (first.reached === undefined) return first;
  if (await hasRare(reader, parts, { before: page.before, ...effort }))
    return { seqs: await find(reader, { all: parts, none }, page), reached: undefined };
  return continueSearch(first, given);
}

const newestSeq = async (reader: Reader): Promise<number> =>
  (await reader.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM feedback"))?.seq ?? 0;

/** Returns the conditions that a thread must match. Each condition is an expression of FTS5. */
function partsOf({ scope: { appIds, status, type }, all }: SearchedTerms): string[] {
  const apps = appIds.map((id) => `"${marksInSqlite.app}${id.replaceAll("-", "")}"`);
  return [
    anyOf(apps),
    ...all.map(expressionOf),
    ...(status === undefined ? [] : [`"${marksInSqlite.status}${asOneWord(status)}"`]),
    ...(type === undefined ? [] : [`"${marksInSqlite.type}${asOneWord(type)}"`]),
  ];
}

const expressionOf = (term: Term): string =>
  anyOf(term.map(({ word, isBeginning }) => `"${word}"${isBeginning ? " *" : ""}`));

const rangeMark = (range: number): string => `"${marksInSqlite.range}${range}"`;

const anyOf = (parts: readonly string[]): string => `(${parts.join(" OR ")})`;

/** Whether one of the conditions matches at most `few` of the threads with a `seq` below `before`. */
async function hasRare(
  reader: Reader,
  parts: readonly string[],
  { before, few }: Pick<SearchPage, "before"> & Pick<Effort, "few">,
): Promise<boolean> {
  for (const part of parts) {
    const sql = `SELECT 1 AS one FROM feedback_search WHERE feedback_search MATCH ? AND rowid < ?
      ORDER BY rowid DESC LIMIT 1 OFFSET ?`;
    if ((await reader.get(sql, part, before, few)) === undefined) return true;
  }
  return false;
}

/** Returns the threads of `among` that match, at most `page.limit`. */
async function findAmong(
  reader: Reader,
  expressions: Expressions,
  page: SearchPage,
  among: readonly number[],
): Promise<number[]> {
  const found: number[] = [];
  for (const seq of among) {
    if (found.length === page.limit) break;
    const conditions: Condition[] = [["feedback_search.rowid >= ?", seq], ...page.conditions];
    const before = Math.min(page.before, seq + 1);
    found.push(...(await find(reader, expressions, { ...page, conditions, before, limit: 1 })));
  }
  return found;
}

interface Expressions {
  readonly all: readonly string[];
  readonly none: readonly string[];
}

async function find(
  reader: Reader,
  { all, none }: Expressions,
  { conditions, before, limit }: SearchPage,
): Promise<number[]> {
  const without = none.length === 0 ? "" : ` NOT ${anyOf(none)}`;
  const where: Condition[] = [
    ["feedback_search MATCH ?", `(${all.join(" AND ")})${without}`],
    ["feedback_search.rowid < ?", before],
    ...conditions,
  ];
  const rows = await reader.all<{ seq: number }>(
    `SELECT f.seq FROM feedback_search CROSS JOIN feedback f ON f.seq = feedback_search.rowid
     WHERE ${sqlOf(where)} ORDER BY feedback_search.rowid DESC LIMIT ?`,
    ...valuesOf(where),
    limit,
  );
  return rows.map(({ seq }) => seq);
}
