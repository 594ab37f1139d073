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
  type Effort,
  endOf,
  type Found,
  goOn,
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

/** How many of the newest ranges are searched first; at the very first only the newest one or two thousand threads of them. */
const steps = [
  { ranges: 2, thousands: 2 },
  { ranges: 2, thousands: 0 },
] as const;

/** How many of the older ranges are searched first, and how many at most at once. */
const ranges = 4;

const mostRanges = 64;

/** So few threads are read one by one. */
const few = 200;

/**
 * The newest threads that match. A common word is in so many threads that they cannot all be sorted, so the newest ranges are
 * searched first. Then apps with few threads are searched as a whole, and rare words, too. Else the older ranges follow as long as there
 * is time: for two common words that no thread has together, the index reads two long lists.
 */
export async function newestInPostgres(
  reader: Reader,
  searched: SearchedWords,
  given: SearchPage,
): Promise<Found> {
  const { effort = usualEffort } = given;
  // From here: what the newest ranges take is not added to the time for the older ones.
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
  const look = (asked: Ranges, limit: number) =>
    findInRanges(reader, { scope, words, ranges: asked }, { ...page, limit });
  const stopped = { seqs, reached: oldest * rangeOfSearch };
  return goOn(stopped, { end, limit: page.limit, until, ranges, most: mostRanges, look });
}

/** Whether apps have few threads together. Then no list of a word in them is long. */
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
 * All that match if one of the words is rare, or undefined. These ranges tell whether it is: to count all threads with a common word, the
 * index would read a long list. The beginning of a word is asked for only if it is rare itself, or if few threads have the other words.
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

/** How many threads of these ranges have a word at most, if so many of all ranges have it. */
function mostInRanges(rare: number, { newest, oldest }: Ranges): number {
  return Math.floor((rare * (newest - oldest + 1)) / (newest + 1));
}

type InApps = Omit<InRanges, "ranges">;

/** All that match, of apps in which the index reads no long list. */
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

// An expression, because the planner must not find the threads by an index of their apps.
const ofApps = (ids: readonly string[]): Condition => [
  `f.app_id || '' IN (${ids.map(() => "?").join(", ")})`,
  ...ids,
];

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

// The statements of a search in PostgreSQL. What they ask the index for is an expression of `tsquery`.

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
 * The newest of these threads that have the beginning of a word, too. (The index must not be asked for it: it would read all words with
 * it.) Only the words of the thread are made, which takes a third of the time of all that the index has of it.
 */
async function findAmong(
  reader: Reader,
  beginning: string,
  page: SearchPage,
  among: readonly number[],
): Promise<number[]> {
  if (among.length === 0) return [];
  // Read in their order, so that no more of them are compared than the page needs.
  const read = `SELECT * FROM feedback WHERE seq IN (${among.join(", ")}) ORDER BY seq DESC OFFSET 0`;
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT f.seq FROM (${read}) f
     WHERE to_tsvector('simple', ${searchedTextInPostgres}) @@ CAST(? AS tsquery) LIMIT ?`),
    beginning,
    page.limit,
  );
  return rows.map(({ seq }) => seq);
}

/** In which order expressions are asked: `newest` first if each asks for a range, or in `any` if each asks for an app. */
type Asking = "newest" | "any";

/**
 * The newest threads that match one of the expressions. Each is asked alone: the index compares each thread that it finds with the whole
 * expression, so one for all of them would take time with the square of their number. They are values of a row, because for texts that it knows
 * the planner may start other processes, which takes 20 ms.
 */
async function findEach(
  reader: Reader,
  { asked, order }: { readonly asked: readonly string[]; readonly order: Asking },
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

// Not `f.seq < ?`: nearly all threads can match that, and the planner must not find them by it.
const others = ({ before, conditions }: SearchPage): Condition[] => [
  ["f.seq + 0 < ?", before],
  ...conditions,
];

// What a search asks the index of PostgreSQL for, as expressions of `tsquery`.

/** Words as PostgreSQL indexes them: whole ones, and those that the last word may begin. */
interface Words {
  readonly whole: readonly string[];
  readonly beginning: readonly string[];
}

/** The marks of more apps cost the index more than to look at the app of each thread that it finds. */
const mostMarks = 3;

/**
 * Threads of one range that have all words. Of whole words one is asked for in the range, and the others in their apps: then the index need
 * not look at all threads of the apps. (Two apps may share their words, so the caller compares the ids.)
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

/** Threads of some ranges that have all words. For more than a few ranges it is slow: each thread is compared with all of it. */
const inRanges = (scope: SearchScope, words: Words, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => inRange(scope, words, range)));

/** None for many apps. */
const marksOf = (appIds: readonly string[]): string[] =>
  appIds.length > mostMarks ? [] : [anyOf(appIds.map((id) => lexeme(marks.app + id)))];

/** The newest thousands of threads up to `end`; nothing if all are asked. */
function newestPlaces(end: number, thousands: number): string[] {
  if (thousands === 0) return [];
  const last = Math.floor(end / newestOfSearch);
  return [anyOf(Array.from({ length: thousands }, (_, back) => lexeme(`${marks.place}${last - back}`)))];
}

/** Threads of one app that have all words. */
const inApp = ({ whole, beginning }: Words, appId: string): string =>
  allOf([
    ...whole.map((word) => lexeme(wordInApp(appId, word))),
    ...beginning.map((word) => anyAfter(wordInApp(appId, word))),
  ]);

/** Threads of some ranges that have a word, and those with a beginning, whatever their app. */
const withWord = (word: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => lexeme(wordInRange(range, word))));

const withBeginning = (beginning: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => anyAfter(wordInRange(range, beginning))));

/** Texts that have all beginnings, without marks. */
const beginningOf = (beginnings: readonly string[]): string => allOf(beginnings.map(anyAfter));

/** With the status and the type of a search. */
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
