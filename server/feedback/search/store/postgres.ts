import type { Reader } from "../../../database/database.ts";
import { type Condition, sqlOf, valuesOf } from "../../../database/lists.ts";
import {
  marksInPostgres as marks,
  newestOfSearch,
  searchedInPostgres,
  searchedTextInPostgres,
  wordInApp,
  wordInRange,
} from "../../../database/schema/search.ts";
import { plannedEachTime } from "../../../database/statements.ts";
import {
  continueSearch,
  type Effort,
  endOf,
  type Found,
  numbersOf,
  type Ranges,
  rangeOf,
  rangeOfSearch,
  type SearchPage,
  type SearchScope,
  usualEffort,
} from "./ranges.ts";

/** Whole words, and the beginning of a word. Either may be missing. */
interface SearchedWords {
  readonly scope: SearchScope;
  readonly whole: readonly string[];
  readonly beginning: string | undefined;
}

/**
 * The first two steps of a search: the newest one or two thousand threads of the newest two ranges, then all of these
 * ranges.
 */
const steps = [
  { ranges: 2, thousands: 2 },
  { ranges: 2, thousands: 0 },
] as const;

/** How many older ranges the next step searches, and how many a step searches at most. */
const ranges = 4;

const mostRanges = 64;

/** At most this many threads are read one by one. */
const few = 200;

/**
 * Returns the newest threads that match. A common word is in too many threads to sort them all, so the newest ranges
 * are searched first. Then all threads are searched if the apps have few threads, or if a word is rare. Otherwise the
 * older ranges follow until the time is over: for two common words that no thread has together, the index reads two
 * long lists.
 */
export async function newestInPostgres(
  reader: Reader,
  searched: SearchedWords,
  given: SearchPage,
): Promise<Found> {
  const { effort = usualEffort } = given;
  // The time begins here, so it includes the search of the newest ranges.
  const until = endOf(effort);
  const { scope } = searched;
  const page = { ...given, effort, conditions: [...given.conditions, ofApps(scope.appIds)] };
  const words = await lexemesOf(reader, searched);
  if (words.whole.length === 0 && words.beginning.length === 0) return { seqs: [], reached: undefined };
  const end = Math.min(page.before, words.newest + 1) - 1;
  const newest = rangeOf(end);
  let seqs: readonly number[] = [];
  for (const { ranges, thousands } of steps) {
    const oldest = Math.max(0, newest - ranges + 1);
    const inNewest = [inRanges(scope, words, { newest, oldest }), ...newestPlaces(end, thousands)];
    seqs = await findEach(reader, { asked: [withMarks(scope, inNewest)], order: "any" }, page);
    if (seqs.length >= page.limit || (thousands === 0 && oldest === 0)) return { seqs, reached: undefined };
  }
  const oldest = Math.max(0, newest - steps[1].ranges + 1);
  const all = (await areSmall(reader, scope.appIds, effort))
    ? await findInApps(reader, { scope, words }, page)
    : await findRare(reader, { scope, words, ranges: { newest, oldest } }, page);
  if (all) return { seqs: all, reached: undefined };
  const searchRanges = (asked: Ranges, limit: number) =>
    findInRanges(reader, { scope, words, ranges: asked }, { ...page, limit });
  const stopped = { seqs, reached: oldest * rangeOfSearch };
  return continueSearch(stopped, { end, limit: page.limit, until, ranges, most: mostRanges, searchRanges });
}

/** Whether the apps together have few threads. Then the list of each word in them is short. */
async function areSmall(reader: Reader, appIds: readonly string[], { few }: Effort): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM feedback WHERE app_id IN (${appIds.map(() => "?").join(", ")}) LIMIT 1 OFFSET ?`;
  return (await reader.get(plannedEachTime(sql), ...appIds, few)) === undefined;
}

interface InRanges {
  readonly scope: SearchScope;
  readonly words: Words;
  readonly ranges: Ranges;
}

/**
 * Returns all threads that match if one of the words is rare; undefined otherwise. The given ranges show whether a word
 * is rare: to count all threads with a common word, the index would read a long list. The beginning of a word is
 * searched only if it is rare itself, or if few threads have the other words.
 */
async function findRare(
  reader: Reader,
  { scope, words: { whole, beginning }, ranges }: InRanges,
  page: SearchPage,
): Promise<number[] | undefined> {
  const { rare } = page.effort ?? usualEffort;
  const most = mostInRanges(rare, ranges);
  const beginnings = beginning.map((word) => withBeginning(word, ranges));
  const all = { scope, words: { whole, beginning } };
  if (await isAnyRare(reader, beginnings, most)) return findInApps(reader, all, page);
  const words = whole.map((word) => withWord(word, ranges));
  if (!(await isAnyRare(reader, words, most))) return undefined;
  if (beginning.length === 0) return findInApps(reader, all, page);
  const withWhole = { scope, words: { whole, beginning: [] } };
  const left = await findInApps(reader, withWhole, { ...page, limit: few + 1 });
  return left.length > few ? undefined : findAmong(reader, beginningOf(beginning), page, left);
}

/** How many threads of these ranges may have a word that at most `rare` threads of all ranges have. */
function mostInRanges(rare: number, { newest, oldest }: Ranges): number {
  return Math.floor((rare * (newest - oldest + 1)) / (newest + 1));
}

type InApps = Omit<InRanges, "ranges">;

/** Returns all threads that match. Only for searches for which the index reads no long list. */
const findInApps = (reader: Reader, given: InApps, page: SearchPage): Promise<number[]> =>
  findEach(reader, { asked: expressions(given), order: "any" }, page);

const expressions = ({ scope, words }: InApps): string[] =>
  scope.appIds.map((id) => withMarks(scope, [inApp(words, id)]));

function findInRanges(
  reader: Reader,
  { scope, words, ranges }: InRanges,
  page: SearchPage,
): Promise<number[]> {
  const asked = numbersOf(ranges).map((range) => withMarks(scope, [inRange(scope, words, range)]));
  return findEach(reader, { asked, order: "newest" }, page);
}

// An expression instead of the column, because the planner must not use an index of the apps.
const ofApps = (ids: readonly string[]): Condition => [
  `f.app_id || '' IN (${ids.map(() => "?").join(", ")})`,
  ...ids,
];

interface Lexemes extends Words {
  /** The `seq` of the newest thread. */
  readonly newest: number;
}

/** Returns the words in the form that PostgreSQL indexes, and the `seq` of the newest thread. */
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

// The statements of a search in PostgreSQL. They query the index with expressions of `tsquery`.

/** Whether at most `rare` threads match one of the expressions. */
async function isAnyRare(reader: Reader, asked: readonly string[], rare: number): Promise<boolean> {
  if (rare < 0) return false;
  // A limit alone would make the planner read threads without the index until it has found enough.
  const sql = `WITH found AS MATERIALIZED (SELECT 1 AS one FROM feedback f WHERE ${searchedInPostgres} @@ CAST(? AS tsquery))
    SELECT one FROM found LIMIT 1 OFFSET ?`;
  for (const one of asked) if (!(await reader.get(plannedEachTime(sql), one, rare))) return true;
  return false;
}

/**
 * Returns the newest of these threads that also have the beginning of a word. It does not query the index, which would
 * read all words with this beginning. It computes the words of each thread but not its marks, which takes a third of
 * the time.
 */
async function findAmong(
  reader: Reader,
  beginning: string,
  page: SearchPage,
  among: readonly number[],
): Promise<number[]> {
  if (among.length === 0) return [];
  // Sorted, so that no more threads are compared than the page needs.
  const read = `SELECT * FROM feedback WHERE seq IN (${among.join(", ")}) ORDER BY seq DESC OFFSET 0`;
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT f.seq FROM (${read}) f
     WHERE to_tsvector('simple', ${searchedTextInPostgres}) @@ CAST(? AS tsquery) LIMIT ?`),
    beginning,
    page.limit,
  );
  return rows.map(({ seq }) => seq);
}

/** The order of expressions: `newest` first if each is for a range, `any` if each is for an app. */
type ExpressionOrder = "newest" | "any";

/**
 * Returns the newest threads that match one of the expressions. Each expression is queried alone: the index compares
 * each thread that it finds with the whole expression, so the time of one combined expression would grow with the
 * square of its length. The expressions are values of rows, because for constant texts the planner may start parallel
 * workers, which takes 20 ms.
 */
async function findEach(
  reader: Reader,
  { asked, order }: { readonly asked: readonly string[]; readonly order: ExpressionOrder },
  page: SearchPage,
): Promise<number[]> {
  const conditions: Condition[] = [[`${searchedInPostgres} @@ CAST(r.asked AS tsquery)`], ...others(page)];
  const where = sqlOf(conditions);
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT found.seq FROM unnest(CAST(ARRAY[${asked.map(() => "?").join(", ")}] AS text[])) WITH ORDINALITY AS r(asked, place)
     CROSS JOIN LATERAL (SELECT f.seq FROM feedback f WHERE ${where} ORDER BY f.seq + 0 DESC LIMIT ?) found
     ORDER BY ${order === "newest" ? "r.place" : "found.seq DESC"} LIMIT ?`),
    ...asked,
    ...valuesOf(conditions),
    page.limit,
    page.limit,
  );
  return rows.map(({ seq }) => seq).sort((a, b) => b - a);
}

// Not `f.seq < ?`: the planner must not use the index of `seq`, because nearly all threads may match.
const others = ({ before, conditions }: SearchPage): Condition[] => [
  ["f.seq + 0 < ?", before],
  ...conditions,
];

// The expressions of `tsquery` with which a search queries the index of PostgreSQL.

/** Words as PostgreSQL indexes them: whole words, and beginnings of words. */
interface Words {
  readonly whole: readonly string[];
  readonly beginning: readonly string[];
}

/** With the marks of more apps, the index takes longer than a comparison of the app of each found thread. */
const mostMarks = 3;

/**
 * Matches the threads of one range that have all words. One whole word is searched in the range and the others in their
 * apps: then the index need not read all threads of the apps. (Two apps may have the same words, so the caller compares
 * the ids.)
 */
function inRange({ appIds }: SearchScope, { whole, beginning }: Words, range: number): string {
  const one = beginning.length > 0 ? 0 : 1;
  const inIt = appIds.length > mostMarks ? whole.length : one;
  const inTheirApps = whole.slice(inIt).map((word) => anyOf(appIds.map((id) => lexeme(wordInApp(id, word)))));
  return allOf([
    ...whole.slice(0, inIt).map((word) => lexeme(wordInRange(range, word))),
    ...beginning.map((word) => anyAfter(wordInRange(range, word))),
    ...(inTheirApps.length > 0 ? inTheirApps : marksOf(appIds)),
  ]);
}

/**
 * Matches the threads of several ranges that have all words. It is slow for more than a few ranges, because each thread
 * is compared with the whole expression.
 */
const inRanges = (scope: SearchScope, words: Words, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => inRange(scope, words, range)));

/** Returns nothing for many apps. */
const marksOf = (appIds: readonly string[]): string[] =>
  appIds.length > mostMarks ? [] : [anyOf(appIds.map((id) => lexeme(marks.app + id)))];

/** Matches the newest thousands of threads up to `end`. Returns nothing for 0, which means all threads. */
function newestPlaces(end: number, thousands: number): string[] {
  if (thousands === 0) return [];
  const last = Math.floor(end / newestOfSearch);
  return [anyOf(Array.from({ length: thousands }, (_, back) => lexeme(`${marks.place}${last - back}`)))];
}

/** Matches the threads of one app that have all words. */
const inApp = ({ whole, beginning }: Words, appId: string): string =>
  allOf([
    ...whole.map((word) => lexeme(wordInApp(appId, word))),
    ...beginning.map((word) => anyAfter(wordInApp(appId, word))),
  ]);

/** Matches the threads of several ranges that have a word, in any app. */
const withWord = (word: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => lexeme(wordInRange(range, word))));

const withBeginning = (beginning: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => anyAfter(wordInRange(range, beginning))));

/** Matches texts that have all beginnings. It has no marks. */
const beginningOf = (beginnings: readonly string[]): string => allOf(beginnings.map(anyAfter));

/** Adds the status and the type of a search. */
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
