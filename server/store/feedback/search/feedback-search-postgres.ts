import type { Reader } from "../../engine/database.ts";
import {
  marksInPostgres as marks,
  rangeOfSearch,
  searchedInPostgres,
  wordInApp,
  wordInRange,
} from "../../engine/migrations/feedback/066-words-of-apps.ts";
import { plannedEachTime } from "../../engine/planned-each-time.ts";
import type { Condition } from "../thread-changes.ts";

/** The threads to search: those of some apps, and only those of one status or type if they are given. */
export interface SearchScope {
  readonly appIds: readonly string[];
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

/**
 * What more a page of a search must match besides the scope, before which `seq` it begins, and how many threads it has.
 */
export interface SearchPage {
  readonly conditions: readonly Condition[];
  readonly before: number;
  readonly limit: number;
}

/** Whole words, and the beginning of a word. Either may be missing. */
export interface SearchedWords {
  readonly scope: SearchScope;
  readonly whole: readonly string[];
  readonly beginning: string | undefined;
}

/** How many of the newest ranges are searched first. */
const newestRanges = [2, 10] as const;
/** So few threads are read one by one. */
const few = 200;

/**
 * The newest threads that match, as their `seq`. A common word is in so many threads that they cannot all be sorted, so the
 * newest ranges are searched first. The index reads all words of an app with the beginning, so if the rest of the search leaves
 * few threads, these are read instead.
 */
export async function newestFound(
  reader: Reader,
  searched: SearchedWords,
  page: SearchPage,
): Promise<number[]> {
  const { whole, beginning, newest } = await lexemesOf(reader, searched);
  if (whole.length === 0 && beginning.length === 0) return [];
  const { scope } = searched;
  const last = Math.floor((Math.min(page.before, newest + 1) - 1) / rangeOfSearch);
  for (const count of newestRanges) {
    const ranges = Array.from({ length: Math.min(count, last + 1) }, (_, back) => last - back);
    const inRanges = ranges.map((range) => [
      ...whole.map((word) => lexeme(wordInRange(range, word))),
      ...beginning.map((word) => anyAfter(wordInRange(range, word))),
    ]);
    const asked = allOf([
      anyOf(scope.appIds.map((id) => lexeme(marks.app + id))),
      anyOf(inRanges.map(allOf)),
    ]);
    const found = await find(reader, withMarks(scope, asked), page);
    if (found.length >= page.limit || last < count) return found;
  }
  const inApps = withMarks(scope, anyOf(scope.appIds.map((id) => allOf(wordsOf(id, whole, beginning)))));
  if (beginning.length === 0) return find(reader, inApps, page);
  const others = withMarks(scope, anyOf(scope.appIds.map((id) => allOf(wordsOf(id, whole, [])))));
  const left = await findFew(reader, others, page);
  return left === undefined ? find(reader, inApps, page) : findAmong(reader, inApps, { page, among: left });
}

interface Lexemes {
  readonly whole: readonly string[];
  readonly beginning: readonly string[];
  /** The `seq` of the newest thread. */
  readonly newest: number;
}

/** The words in the form that PostgreSQL indexes, and how far the order of arrival goes. */
async function lexemesOf(reader: Reader, { whole, beginning }: SearchedWords): Promise<Lexemes> {
  const row = await reader.get<{ newest: number | null; whole: string; beginning: string }>(
    `SELECT (SELECT max(seq) FROM feedback) AS newest, ${inIndex} AS whole, ${inIndex} AS beginning`,
    whole.join(" "),
    beginning ?? "",
  );
  const read = (json = "[]"): string[] => JSON.parse(json);
  return { newest: row?.newest ?? 0, whole: read(row?.whole), beginning: read(row?.beginning) };
}

const inIndex = "CAST(array_to_json(tsvector_to_array(to_tsvector('simple', ?))) AS text)";

const wordsOf = (appId: string, whole: readonly string[], beginning: readonly string[]): string[] => [
  lexeme(marks.app + appId),
  ...whole.map((word) => lexeme(wordInApp(appId, word))),
  ...beginning.map((word) => anyAfter(wordInApp(appId, word))),
];

const withMarks = ({ status, type }: SearchScope, asked: string): string =>
  allOf([
    asked,
    ...(status === undefined ? [] : [lexeme(marks.status + status)]),
    ...(type === undefined ? [] : [lexeme(marks.type + type)]),
  ]);

const lexeme = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
const anyAfter = (text: string): string => `${lexeme(text)}:*`;
const allOf = (queries: readonly string[]): string => `(${queries.join(" & ")})`;
const anyOf = (queries: readonly string[]): string => `(${queries.join(" | ")})`;

/** The index finds all that match before they are sorted: the planner must not read the threads one by one in their order. */
const find = (reader: Reader, asked: string, page: SearchPage): Promise<number[]> =>
  seqsOf(reader, {
    conditions: matching(asked, page),
    sql: (where) => `WITH found AS MATERIALIZED (SELECT f.seq FROM feedback f WHERE ${where})
       SELECT seq FROM found ORDER BY seq DESC LIMIT ?`,
    limit: page.limit,
  });

/** All threads that match, or undefined if they are many. */
async function findFew(reader: Reader, asked: string, page: SearchPage): Promise<number[] | undefined> {
  const found = await seqsOf(reader, {
    conditions: matching(asked, page),
    sql: (where) => `SELECT f.seq FROM feedback f WHERE ${where} LIMIT ?`,
    limit: few + 1,
  });
  return found.length > few ? undefined : found;
}

interface Among {
  readonly page: SearchPage;
  readonly among: readonly number[];
}

/** The newest of these threads that match. (The index must not be asked: it would read all words with the beginning.) */
async function findAmong(reader: Reader, asked: string, { page, among }: Among): Promise<number[]> {
  if (among.length === 0) return [];
  const read = `SELECT * FROM feedback WHERE seq IN (${among.join(", ")})`;
  return seqsOf(reader, {
    conditions: matching(asked, page),
    sql: (where) => `WITH left_over AS MATERIALIZED (${read})
       SELECT f.seq FROM left_over f WHERE ${where} ORDER BY f.seq DESC LIMIT ?`,
    limit: page.limit,
  });
}

// Not `f.seq < ?`: nearly all threads can match that, and the planner must not find them by it.
const matching = (asked: string, { before, conditions }: SearchPage): Condition[] => [
  [`${searchedInPostgres} @@ CAST(? AS tsquery)`, asked],
  ["f.seq + 0 < ?", before],
  ...conditions,
];

interface Query {
  readonly conditions: readonly Condition[];
  readonly sql: (where: string) => string;
  readonly limit: number;
}

async function seqsOf(reader: Reader, { conditions, sql, limit }: Query): Promise<number[]> {
  const where = conditions.map(([condition]) => condition).join(" AND ");
  const values = conditions.flatMap(([, ...given]) => given);
  const rows = await reader.all<{ seq: number }>(plannedEachTime(sql(where)), ...values, limit);
  return rows.map(({ seq }) => seq);
}
