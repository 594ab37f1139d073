import type { Reader } from "../../../database/database.ts";
import { type Condition, sqlOf, valuesOf } from "../../../database/lists.ts";
import {
  continueSearch,
  type Effort,
  endOf,
  type Found,
  numbersOf,
  type Ranges,
  type SearchPage,
  type SearchScope,
  searchBackwards,
  usualEffort,
} from "./ranges.ts";

/**
 * The first characters of the words under which each thread is also indexed: its app, status, type and range. These
 * private characters never occur in a typed word.
 */
export const marksInSqlite = { app: "\uE000", status: "\uE001", type: "\uE002", range: "\uE003" };

/** Words, of which the last one may be the beginning of a word. */
export interface SearchedInSqlite {
  readonly scope: SearchScope;
  readonly words: readonly string[];
  readonly hasBeginning: boolean;
}

/**
 * How many ranges a step searches at most. It takes at most 25 milliseconds, during which the server does nothing else
 * on Node 24.
 */
const mostRanges = 16;

/**
 * Returns the newest threads that match. If no thread has two words together, the index reads the lists of both words
 * to the end. So the newest range is searched alone. If it has too few threads and no word is rare, the older ranges
 * follow until the time is over.
 */
export async function newestInSqlite(
  reader: Reader,
  searched: SearchedInSqlite,
  page: SearchPage,
): Promise<Found> {
  const { effort = usualEffort } = page;
  const until = endOf(effort);
  const end = Math.min(page.before - 1, await newestSeq(reader));
  const parts = partsOf(searched);
  const searchRanges = (ranges: Ranges, limit: number) =>
    find(reader, [anyOf(numbersOf(ranges).map(rangeMark)), ...parts], { ...page, limit });
  const given = { end, limit: page.limit, until, ranges: 1, most: mostRanges, searchRanges };
  const first = await searchBackwards({ ...given, until: Number.NEGATIVE_INFINITY });
  if (first.reached === undefined) return first;
  if (await hasRare(reader, parts, { before: page.before, ...effort }))
    return { seqs: await find(reader, parts, page), reached: undefined };
  return continueSearch(first, given);
}

const newestSeq = async (reader: Reader): Promise<number> =>
  (await reader.get<{ seq: number | null }>("SELECT max(seq) AS seq FROM feedback"))?.seq ?? 0;

/** The conditions for a thread, each as an expression of FTS5. */
function partsOf({ scope: { appIds, status, type }, words, hasBeginning }: SearchedInSqlite): string[] {
  const apps = appIds.map((id) => `"${marksInSqlite.app}${id.replaceAll("-", "")}"`);
  return [
    anyOf(apps),
    ...words.map((word, at) => (hasBeginning && at === words.length - 1 ? `"${word}" *` : `"${word}"`)),
    ...(status === undefined ? [] : [`"${marksInSqlite.status}${status}"`]),
    ...(type === undefined ? [] : [`"${marksInSqlite.type}${type}"`]),
  ];
}

const rangeMark = (range: number): string => `"${marksInSqlite.range}${range}"`;

const anyOf = (parts: readonly string[]): string => `(${parts.join(" OR ")})`;

interface Rare extends Pick<SearchPage, "before">, Pick<Effort, "few"> {}

/** Whether few threads have one of the parts. */
async function hasRare(reader: Reader, parts: readonly string[], { before, few }: Rare): Promise<boolean> {
  for (const part of parts) {
    const sql = `SELECT 1 AS one FROM feedback_search WHERE feedback_search MATCH ? AND rowid < ?
      ORDER BY rowid DESC LIMIT 1 OFFSET ?`;
    if ((await reader.get(sql, part, before, few)) === undefined) return true;
  }
  return false;
}

async function find(
  reader: Reader,
  parts: readonly string[],
  { conditions, before, limit }: SearchPage,
): Promise<number[]> {
  const all: Condition[] = [
    ["feedback_search MATCH ?", parts.join(" AND ")],
    ["feedback_search.rowid < ?", before],
    ...conditions,
  ];
  const rows = await reader.all<{ seq: number }>(
    `SELECT f.seq FROM feedback_search CROSS JOIN feedback f ON f.seq = feedback_search.rowid
     WHERE ${sqlOf(all)} ORDER BY feedback_search.rowid DESC LIMIT ?`,
    ...valuesOf(all),
    limit,
  );
  return rows.map(({ seq }) => seq);
}
