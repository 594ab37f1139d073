import type { Reader } from "../../engine/database.ts";
import {
  marksInPostgres as marks,
  newestOfSearch,
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

/** How many of the newest ranges are searched first; at the very first only the newest one or two thousand threads of them. */
const steps = [
  { ranges: 2, thousands: 2 },
  { ranges: 2, thousands: 0 },
  { ranges: 10, thousands: 0 },
] as const;
/** So few threads are read one by one. */
const few = 200;
/** If so many threads of the two newest ranges have the beginning, all of them are too many to begin with. */
const common = 500;
/** The marks of more apps cost the index more than to look at the app of each thread that it finds. */
const mostMarks = 3;

/**
 * The newest threads that match, as their `seq`. A common word is in so many threads that they cannot all be sorted, so the
 * newest ranges are searched first. The index reads all words of an app with the beginning, so if these are very many and the
 * rest of the search leaves few threads, the few are read instead.
 */
export async function newestFound(
  reader: Reader,
  searched: SearchedWords,
  given: SearchPage,
): Promise<number[]> {
  const page = { ...given, conditions: [...given.conditions, ...ofApps(searched.scope.appIds)] };
  const words = await lexemesOf(reader, searched);
  if (words.whole.length === 0 && words.beginning.length === 0) return [];
  const { scope } = searched;
  const many = scope.appIds.length > mostMarks;
  const end = Math.min(page.before, words.newest + 1) - 1;
  for (const { ranges, thousands } of many ? steps.slice(0, 2) : steps) {
    const asked = withMarks(scope, [
      inRanges(scope, words, { end, ranges }),
      ...newestPlaces(end, thousands),
    ]);
    const found = await find(reader, asked, page);
    const isAll = thousands === 0 && end < (ranges - 1) * rangeOfSearch;
    if (found.length >= page.limit || isAll) return found;
  }
  const asked = withMarks(scope, [inApps(scope, words)]);
  const left = await leftOver(reader, { searched, words, end, page });
  return left === undefined ? find(reader, asked, page) : findAmong(reader, asked, { page, among: left });
}

interface Newest {
  /** The last `seq`. */
  readonly end: number;
  readonly ranges: number;
}

function inRanges({ appIds }: SearchScope, { whole, beginning }: Words, { end, ranges }: Newest): string {
  const last = Math.floor(end / rangeOfSearch);
  const numbers = Array.from({ length: Math.min(ranges, last + 1) }, (_, back) => last - back);
  const found = numbers.map((range) =>
    allOf([
      ...whole.map((word) => lexeme(wordInRange(range, word))),
      ...beginning.map((word) => anyAfter(wordInRange(range, word))),
    ]),
  );
  return allOf([...marksOf(appIds), anyOf(found)]);
}

/** None for many apps: `ofApps` compares their ids. */
const marksOf = (appIds: readonly string[]): string[] =>
  appIds.length > mostMarks ? [] : [anyOf(appIds.map((id) => lexeme(marks.app + id)))];

function newestPlaces(end: number, thousands: number): string[] {
  if (thousands === 0) return [];
  const last = Math.floor(end / newestOfSearch);
  return [anyOf(Array.from({ length: thousands }, (_, back) => lexeme(`${marks.place}${last - back}`)))];
}

const inApps = ({ appIds }: SearchScope, { whole, beginning }: Words): string =>
  anyOf(
    appIds.map((id) =>
      allOf([
        ...(whole.length + beginning.length > 0 && appIds.length > mostMarks ? [] : [lexeme(marks.app + id)]),
        ...whole.map((word) => lexeme(wordInApp(id, word))),
        ...beginning.map((word) => anyAfter(wordInApp(id, word))),
      ]),
    ),
  );

// An expression, because the planner must not find the threads by an index of their apps.
const ofApps = (ids: readonly string[]): Condition[] =>
  ids.length > mostMarks ? [[`f.app_id || '' IN (${ids.map(() => "?").join(", ")})`, ...ids]] : [];

interface Left {
  readonly searched: SearchedWords;
  readonly words: Lexemes;
  readonly end: number;
  readonly page: SearchPage;
}

/** What matches but for the beginning of a word, if the beginning is common and that leaves few threads. */
async function leftOver(reader: Reader, { searched, words, end, page }: Left): Promise<number[] | undefined> {
  const { status, type } = searched.scope;
  const { whole, beginning } = words;
  if (beginning.length === 0 || (whole.length === 0 && status === undefined && type === undefined)) return;
  const everywhere = { appIds: searched.scope.appIds };
  const begun = inRanges(everywhere, { whole: [], beginning }, { end, ranges: 2 });
  if ((await findFew(reader, begun, { page, most: common })) !== undefined) return;
  const asked = withMarks(searched.scope, [inApps(searched.scope, { whole, beginning: [] })]);
  return findFew(reader, asked, { page, most: few });
}

interface Words {
  readonly whole: readonly string[];
  readonly beginning: readonly string[];
}

interface Lexemes extends Words {
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

const withMarks = ({ status, type }: SearchScope, asked: readonly string[]): string =>
  allOf([
    ...asked,
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

interface Few {
  readonly page: SearchPage;
  readonly most: number;
}

/** All threads that match, or undefined if they are more. */
async function findFew(reader: Reader, asked: string, { page, most }: Few): Promise<number[] | undefined> {
  const found = await seqsOf(reader, {
    conditions: matching(asked, page),
    sql: (where) => `SELECT f.seq FROM feedback f WHERE ${where} LIMIT ?`,
    limit: most + 1,
  });
  return found.length > most ? undefined : found;
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
