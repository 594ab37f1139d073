import type { Reader } from "../../../database/database.ts";
import { type Condition, sqlOf, valuesOf } from "../../../database/lists.ts";
import { marksInSqlite } from "../../../database/schema/search.ts";
import { asOneWord, type Term } from "../rules.ts";
import {
  continueSearch,
  type Effort,
  endOf,
  type Found,
  numbersOf,
  type Ranges,
  type SearchedTerms,
  type SearchPage,
  searchBackwards,
  usualEffort,
} from "./ranges.ts";

/**
 * The maximum number of ranges that one step searches. Such a step takes at most 25 milliseconds. During this time, the
 * server cannot answer other requests.
 */
const mostRanges = 16;

/**
 * Returns the newest threads that match. First, only the newest range is searched. If it contains too few results, all
 * threads are searched at once if a word is rare. Otherwise the older ranges are searched until the time is over. If no
 * thread has all words, a search of all threads at once would read very long lists of the index.
 */
export async function newestInSqlite(
  reader: Reader,
  searched: SearchedTerms,
  page: SearchPage,
): Promise<Found> {
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

/** Whether at most `few` threads match one of the conditions. */
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

/** Returns those of the threads `among` that match, at most `page.limit`. */
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
