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

/** The whole words and the beginning of a word to search for. Either may be missing. */
interface SearchedWords {
  readonly scope: SearchScope;
  readonly whole: readonly string[];
  readonly beginning: string | undefined;
}

/**
 * The first two steps of a search. The first step searches the newest one or two thousand threads of the newest two
 * ranges. The second step searches all threads of these ranges.
 */
const steps = [
  { ranges: 2, thousands: 2 },
  { ranges: 2, thousands: 0 },
] as const;

/** How many older ranges the third step searches. `mostRanges` is the most that any step searches. */
const ranges = 4;

const mostRanges = 64;

/** A search reads at most this many threads one by one. */
const few = 200;

/**
 * Returns the newest threads that match. A common word is in too many threads to sort them all, so the newest ranges
 * are searched first. After that, all threads are searched if the apps have few threads or if a word is rare. Otherwise
 * the older ranges follow until the time is over: if two words are common but no thread has both, the index must read
 * two long lists.
 */
export async function newestInPostgres(
  reader: Reader,
  searched: SearchedWords,
  given: SearchPage,
): Promise<Found> {
  const { effort = usualEffort } = given;
  // The time limit begins here, so it includes the search of the newest ranges.
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

/** Whether the apps together have few threads. Then each word is in few of their threads. */
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
 * Returns all threads that match if one of the words is rare; undefined otherwise. The number of threads in the given
 * ranges shows whether a word is rare. (To count all threads with a common word, the index would read a long list.) The
 * beginning of a word is searched only if it is rare itself, or if few threads have the whole words.
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

/** Returns how many threads of these ranges have a word if `rare` threads of all ranges have it. */
function mostInRanges(rare: number, { newest, oldest }: Ranges): number {
  return Math.floor((rare * (newest - oldest + 1)) / (newest + 1));
}

type InApps = Omit<InRanges, "ranges">;

/** Returns all threads that match. Call it only if the index need not read a long list. */
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

// Uses an expression, not the column, so that the planner does not use an index of the apps.
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

/** Whether one of the expressions matches at most `rare` threads. */
async function isAnyRare(reader: Reader, asked: readonly string[], rare: number): Promise<boolean> {
  if (rare < 0) return false;
  // With only a limit, the planner would read threads without the index until it has found enough.
  const sql = `WITH found AS MATERIALIZED (SELECT 1 AS one FROM feedback f WHERE ${searchedInPostgres} @@ CAST(? AS tsquery))
    SELECT one FROM found LIMIT 1 OFFSET ?`;
  for (const one of asked) if (!(await reader.get(plannedEachTime(sql), one, rare))) return true;
  return false;
}

/**
 * Returns the newest of the threads `among` that also have the beginning of a word. It does not query the index,
 * because the index would read all words with this beginning. It computes the words of each thread but not the marks,
 * which takes only a third of the time.
 */
async function findAmong(
  reader: Reader,
  beginning: string,
  page: SearchPage,
  among: readonly number[],
): Promise<number[]> {
  if (among.length === 0) return [];
  // The threads are sorted, so that the query compares only as many threads as the page needs.
  const read = `SELECT * FROM feedback WHERE seq IN (${among.join(", ")}) ORDER BY seq DESC OFFSET 0`;
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT f.seq FROM (${read}) f
     WHERE to_tsvector('simple', ${searchedTextInPostgres}) @@ CAST(? AS tsquery) LIMIT ?`),
    beginning,
    page.limit,
  );
  return rows.map(({ seq }) => seq);
}

/**
 * The order of the expressions: `newest` if each is for a range and the newest range comes first; `any` if each is for
 * an app.
 */
type ExpressionOrder = "newest" | "any";

/**
 * Returns the newest threads that match one of the expressions. Each expression is queried separately: the index
 * compares each thread that it finds with the whole expression, so the time for one combined expression would grow with
 * the square of its length. The query reads the expressions from rows. If they were constants, the planner might start
 * parallel workers, which takes 20 ms.
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

// Uses `f.seq + 0`, not `f.seq`: the planner must not use the index of `seq`, because nearly all threads may match.
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

/**
 * The largest number of apps whose marks a query uses. With more, it is faster to compare the app of each found thread.
 */
const mostMarks = 3;

/**
 * Returns the expression for the threads of one range that have all words of the search. One complete word is searched
 * in the range, the other words in the apps, so that the index does not read all threads of the apps. The index can
 * confuse two apps, so the caller also compares the ids of the apps.
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
 * Returns the expression for the threads of several ranges that have all words. With more than a few ranges it is slow,
 * because each thread is compared with the whole expression.
 */
const inRanges = (scope: SearchScope, words: Words, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => inRange(scope, words, range)));

/** Returns the expression for the marks of the apps; nothing if there are too many apps. */
const marksOf = (appIds: readonly string[]): string[] =>
  appIds.length > mostMarks ? [] : [anyOf(appIds.map((id) => lexeme(marks.app + id)))];

/**
 * Returns the expression for the newest thousands of threads up to `end`. `thousands` is 0 for all threads; then
 * nothing is returned.
 */
function newestPlaces(end: number, thousands: number): string[] {
  if (thousands === 0) return [];
  const last = Math.floor(end / newestOfSearch);
  return [anyOf(Array.from({ length: thousands }, (_, back) => lexeme(`${marks.place}${last - back}`)))];
}

/** Returns the expression for the threads of one app that have all words. */
const inApp = ({ whole, beginning }: Words, appId: string): string =>
  allOf([
    ...whole.map((word) => lexeme(wordInApp(appId, word))),
    ...beginning.map((word) => anyAfter(wordInApp(appId, word))),
  ]);

/** Returns the expression for the threads of several ranges that have a word, in any app. */
const withWord = (word: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => lexeme(wordInRange(range, word))));

const withBeginning = (beginning: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => anyAfter(wordInRange(range, beginning))));

/** Returns the expression for texts that have words with all these beginnings. The expression has no marks. */
const beginningOf = (beginnings: readonly string[]): string => allOf(beginnings.map(anyAfter));

/** Adds the marks for the status and the type of the search to an expression. */
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
