import type { Condition } from "../../../database/conditions.ts";
import type { Reader } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { findAmong, findEach, isAnyRare } from "./postgres-statements.ts";
import {
  beginningOf,
  inApp,
  inRange,
  inRanges,
  newestPlaces,
  type Words,
  withBeginning,
  withMarks,
  withWord,
} from "./postgres-words.ts";
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
export interface SearchedWords {
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
  return left.length > few ? undefined : findAmong(reader, beginningOf(beginning), { page, among: left });
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
