import type { Reader } from "../../../database/database.ts";
import { type Condition, given, sqlOf, valuesOf } from "../../../database/lists.ts";
import {
  marksInPostgres as marks,
  newestOfSearch,
  rangeOfSearch,
  wordInApp,
  wordInRange,
} from "../../../database/schema/search.ts";
import { plannedEachTime } from "../../../database/transaction.ts";
import type { Term } from "../rules.ts";
import {
  continueSearch,
  endOf,
  type Found,
  numbersOf,
  type Ranges,
  rangeOf,
  type SearchedTerms,
  type SearchPage,
  type SearchScope,
  usualEffort,
} from "./ranges.ts";

/**
 * The first two steps search the newest two ranges. The first step is limited to the newest two thousand
 * threads.
 */
const steps = [
  { ranges: 2, thousands: 2 },
  { ranges: 2, thousands: 0 },
] as const;

/**
 * The number of older ranges of threads that the third step searches. Later steps search more ranges, up to
 * `mostRanges`.
 */
const ranges = 4;

const mostRanges = 64;

/**
 * Returns the newest threads that match. Searches newer ranges first, because sorting all matches of a common
 * word is slow.
 */
export async function newestInPostgres(
  reader: Reader,
  searched: SearchedTerms,
  wanted: SearchPage,
): Promise<Found> {
  const { effort = usualEffort, among } = wanted;
  if (among) {
    const before = among.filter((seq) => seq < wanted.before);
    return { seqs: await findAmong(reader, searched, wanted, before), reached: undefined };
  }
  // The time limit begins here, so it includes the search of the newest ranges.
  const until = endOf(effort);
  const { scope } = searched;
  const page = { ...wanted, effort, conditions: [...wanted.conditions, ofApps(scope.appIds)] };
  const end = Math.min(page.before, (await newestSeq(reader)) + 1) - 1;
  const newest = rangeOf(end);
  let seqs: readonly number[] = [];
  for (const { ranges, thousands } of steps) {
    const oldest = Math.max(0, newest - ranges + 1);
    const inNewest = [inRanges(searched, { newest, oldest }), ...newestPlaces(end, thousands)];
    seqs = await findEach(reader, { asked: [withMarks(scope, inNewest)], order: "any" }, page);
    if (seqs.length >= page.limit || (thousands === 0 && oldest === 0)) return { seqs, reached: undefined };
  }
  const oldest = Math.max(0, newest - steps[1].ranges + 1);
  const all = await findAll(reader, searched, { newest, oldest }, page);
  if (all) return { seqs: all, reached: undefined };
  const searchRanges = (asked: Ranges, limit: number) =>
    findInRanges(reader, searched, asked, { ...page, limit });
  const stopped = { seqs, reached: oldest * rangeOfSearch };
  return continueSearch(stopped, { end, limit: page.limit, until, ranges, most: mostRanges, searchRanges });
}

const newestSeq = async (reader: Reader): Promise<number> =>
  (await reader.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM feedback"))?.seq ?? 0;

/** Returns the newest of all threads that match; undefined if this would be slow. */
async function findAll(
  reader: Reader,
  searched: SearchedTerms,
  ranges: Ranges,
  page: SearchPage,
): Promise<number[] | undefined> {
  const { few, rare } = page.effort ?? usualEffort;
  const { scope, all } = searched;
  if (await haveFew(reader, scope.appIds, few)) return findInApps(reader, searched, page);
  const whole = all.filter(isWhole);
  if (scope.status !== undefined && (await haveFew(reader, scope.appIds, few, scope.status)))
    return findByFirst(reader, searched, whole, page);
  const beginnings = all.filter((term) => !isWhole(term));
  const rareTerm = await firstRare(reader, [...whole, ...beginnings], rare, ranges);
  if (rareTerm === undefined) return undefined;
  return findByFirst(reader, searched, [...new Set([rareTerm, ...whole])], page);
}

/**
 * Whether these apps have at most `few` threads. If `status` is given, counts only the threads with this
 * status.
 */
async function haveFew(
  reader: Reader,
  appIds: readonly string[],
  few: number,
  status?: string,
): Promise<boolean> {
  const conditions = [ofApps(appIds), ...given("f.status = ?", status)];
  const sql = `SELECT 1 AS one FROM feedback f WHERE ${sqlOf(conditions)} LIMIT 1 OFFSET ?`;
  return (await reader.get(plannedEachTime(sql), ...valuesOf(conditions), few)) === undefined;
}

/** The maximum number of older ranges in the sample that shows whether a term is rare. */
const mostSampled = 32;

/** Returns the first term that is rare in the newest ranges and in a sample of older ranges. */
async function firstRare(
  reader: Reader,
  terms: readonly Term[],
  rare: number,
  newest: Ranges,
): Promise<Term | undefined> {
  const count = newest.newest + 1;
  const mostIn = (ranges: readonly number[]) => Math.floor((rare * ranges.length) / count);
  const isRareIn = (term: Term, ranges: readonly number[]) =>
    hasAtMost(
      reader,
      ranges.map((range) => inPlace(term, placeOfRange(range))),
      mostIn(ranges),
    );
  // A word may be rare in new threads, but common in older ones.
  for (const term of terms)
    if ((await isRareIn(term, numbersOf(newest))) && (await isRareIn(term, sampleOf(newest.oldest))))
      return term;
  return undefined;
}

/**
 * Returns at most `mostSampled` numbers of ranges of threads below `end`, at equal distances, the highest
 * number first.
 */
function sampleOf(end: number): number[] {
  const count = Math.min(mostSampled, end);
  return Array.from({ length: count }, (_, at) => end - 1 - Math.floor((at * end) / count));
}

/** Searches all threads of the apps at once. Call it only if the apps have few threads. */
const findInApps = (reader: Reader, searched: SearchedTerms, page: SearchPage): Promise<number[]> =>
  findEach(reader, { asked: inEachApp(searched), order: "any" }, page);

/**
 * Searches the index only for the terms `first`, which few threads have. The other terms are compared with
 * stored words.
 */
function findByFirst(
  reader: Reader,
  searched: SearchedTerms,
  first: readonly Term[],
  page: SearchPage,
): Promise<number[]> {
  const { all, none } = searched;
  const asked = inEachApp({ ...searched, all: first, none: [] });
  const isWhole = first.length === all.length && none.length === 0;
  return findEach(reader, { asked, order: "any", words: isWhole ? undefined : inEachApp(searched) }, page);
}

const inEachApp = (searched: SearchedTerms): string[] =>
  searched.scope.appIds.map((id) => withMarks(searched.scope, [inApp(searched, id)]));

function findInRanges(
  reader: Reader,
  searched: SearchedTerms,
  ranges: Ranges,
  page: SearchPage,
): Promise<number[]> {
  const asked = numbersOf(ranges).map((range) => withMarks(searched.scope, [inRange(searched, range)]));
  return findEach(reader, { asked, order: "newest" }, page);
}

const ofApps = (ids: readonly string[]): Condition => [
  `f.app_id IN (${ids.map(() => "?").join(", ")})`,
  ...ids,
];

// The functions below run SQL. They query the index with expressions of the type `tsquery`.

/** Whether the expressions `asked` together match at most `most` threads. */
async function hasAtMost(reader: Reader, asked: readonly string[], most: number): Promise<boolean> {
  if (most < 0) return false;
  if (asked.length === 0) return true;
  // With `OFFSET 0`, PostgreSQL uses the search index. Otherwise it reads the threads one after another.
  const sql = `SELECT 1 AS one FROM unnest(${textsOf(asked)}) AS r(asked)
    CROSS JOIN LATERAL (SELECT 1 AS one FROM feedback_search s WHERE s.words @@ CAST(r.asked AS tsquery) OFFSET 0) AS found
    LIMIT 1 OFFSET ?`;
  return (await reader.get(plannedEachTime(sql), ...asked, most)) === undefined;
}

/**
 * Returns the newest threads of `among` that match. Compares their stored words, which is faster than the
 * index.
 */
async function findAmong(
  reader: Reader,
  searched: SearchedTerms,
  page: SearchPage,
  among: readonly number[],
): Promise<number[]> {
  if (among.length === 0) return [];
  // The query sorts the threads before it compares their words, so it can end when the page is full.
  const read = `SELECT * FROM feedback_search WHERE seq IN (${among.join(", ")}) ORDER BY seq DESC OFFSET 0`;
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT s.seq FROM (${read}) s WHERE s.words @@ CAST(? AS tsquery) LIMIT ?`),
    anyOf(inEachApp(searched)),
    page.limit,
  );
  return rows.map(({ seq }) => seq);
}

/** `newest` means that each expression is for one range, the newest range first. `any` means no order. */
type ExpressionOrder = "newest" | "any";

interface AskedEach {
  /** The conditions with which the search index is queried. There is one query for each of them. */
  readonly asked: readonly string[];
  /** For each condition in `asked`, a second condition for the stored words of the found threads. */
  readonly words?: readonly string[] | undefined;
  readonly order: ExpressionOrder;
}

/**
 * Returns the newest threads that match one of the expressions `asked`. One combined expression would take
 * quadratic time.
 */
async function findEach(
  reader: Reader,
  { asked, words, order }: AskedEach,
  { conditions, before, limit }: SearchPage,
): Promise<number[]> {
  const hasWords =
    "CROSS JOIN LATERAL (SELECT 1 FROM feedback_search w WHERE w.seq = m.seq AND w.words @@ CAST(r.words AS tsquery) OFFSET 0) has";
  // With `OFFSET 0`, PostgreSQL sorts first, and reads threads only until the page is full.
  const rows = await reader.all<{ seq: number }>(
    plannedEachTime(`SELECT found.seq FROM unnest(${textsOf(asked)}, ${textsOf(words ?? [])}) WITH ORDINALITY AS r(asked, words, place)
     CROSS JOIN LATERAL (
       SELECT m.seq FROM (
         SELECT s.seq FROM feedback_search s WHERE s.words @@ CAST(r.asked AS tsquery) AND s.seq + 0 < ?
         ORDER BY s.seq + 0 DESC OFFSET 0
       ) m ${words === undefined ? "" : hasWords}
       CROSS JOIN LATERAL (SELECT 1 FROM feedback f WHERE f.seq = m.seq AND ${sqlOf(conditions)} OFFSET 0) fits
       LIMIT ?
     ) found
     ORDER BY ${order === "newest" ? "r.place" : "found.seq DESC"} LIMIT ?`),
    // The expressions are parameters. As constants, they could make PostgreSQL start parallel workers, which
    // takes 20 ms.
    ...asked,
    ...(words ?? []),
    before,
    ...valuesOf(conditions),
    limit,
    limit,
  );
  return rows.map(({ seq }) => seq).sort((a, b) => b - a);
}

const textsOf = (texts: readonly string[]): string =>
  `CAST(ARRAY[${texts.map(() => "?").join(", ")}] AS text[])`;

// The functions below create expressions of the type `tsquery`.

/** A function that adds the prefix of an app, or of a range of threads, to a word. */
type Place = (word: string) => string;

const placeOfApp =
  (appId: string): Place =>
  (word) =>
    wordInApp(appId, word);

const placeOfRange =
  (range: number): Place =>
  (word) =>
    wordInRange(range, word);

const isWhole = (term: Term): boolean => !term.some(({ isBeginning }) => isBeginning);

const inPlace = (term: Term, place: Place): string =>
  anyOf(term.map(({ word, isBeginning }) => lexeme(place(word)) + (isBeginning ? ":*" : "")));

/**
 * The maximum number of apps in an expression. A longer expression is slower than comparing the app of each
 * thread.
 */
const mostMarks = 3;

/**
 * Returns the expression for a range of threads. Callers must compare app ids, because threads of other apps
 * may match.
 */
function inRange({ scope: { appIds }, all, none }: SearchedTerms, range: number): string {
  const place = placeOfRange(range);
  const whole = all.filter(isWhole);
  const beginnings = all.filter((term) => !isWhole(term));
  // At least one term is limited to the range. Otherwise the index would read all threads of the apps.
  const one = beginnings.length > 0 ? 0 : 1;
  const inIt = appIds.length > mostMarks ? whole.length : one;
  const inTheirApps = whole
    .slice(inIt)
    .map((term) => anyOf(appIds.map((id) => inPlace(term, placeOfApp(id)))));
  return allOf([
    ...whole.slice(0, inIt).map((term) => inPlace(term, place)),
    ...beginnings.map((term) => inPlace(term, place)),
    ...(inTheirApps.length > 0 ? inTheirApps : marksOf(appIds)),
    ...(all.length > 0 ? [] : [placesOfRange(range)]),
    ...none.map((term) => `!${inPlace(term, place)}`),
  ]);
}

/** Returns an expression that matches all threads of a range. */
const placesOfRange = (range: number): string => {
  const thousands = rangeOfSearch / newestOfSearch;
  return anyOf(
    Array.from({ length: thousands }, (_, at) => lexeme(`${marks.place}${range * thousands + at}`)),
  );
};

/**
 * Returns the expression for several ranges. Use few ranges, because the index compares each thread with the
 * whole expression.
 */
const inRanges = (searched: SearchedTerms, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => inRange(searched, range)));

/** Returns a list with an expression for all threads of the apps. The list is empty for too many apps. */
const marksOf = (appIds: readonly string[]): string[] =>
  appIds.length > mostMarks ? [] : [anyOf(appIds.map((id) => lexeme(marks.app + id)))];

/**
 * Returns a list with one expression, which matches `thousands` groups of 1,000 threads. The newest group
 * contains thread `end`.
 */
function newestPlaces(end: number, thousands: number): string[] {
  if (thousands === 0) return [];
  const last = Math.floor(end / newestOfSearch);
  return [anyOf(Array.from({ length: thousands }, (_, back) => lexeme(`${marks.place}${last - back}`)))];
}

const inApp = ({ all, none }: SearchedTerms, appId: string): string =>
  allOf([
    ...(all.length > 0 ? all.map((term) => inPlace(term, placeOfApp(appId))) : [lexeme(marks.app + appId)]),
    ...none.map((term) => `!${inPlace(term, placeOfApp(appId))}`),
  ]);

/** Returns an expression for threads that match all of `asked` and have the search's `status` and `type`. */
const withMarks = ({ status, type }: SearchScope, asked: readonly string[]): string =>
  allOf([
    ...asked,
    ...(status === undefined ? [] : [lexeme(marks.status + status)]),
    ...(type === undefined ? [] : [lexeme(marks.type + type)]),
  ]);

const lexeme = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

const allOf = (queries: readonly string[]): string => `(${queries.join(" & ")})`;

const anyOf = (queries: readonly string[]): string => `(${queries.join(" | ")})`;
