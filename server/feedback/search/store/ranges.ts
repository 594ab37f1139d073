import type { Condition } from "../../../database/lists.ts";
import { rangeOfSearch } from "../../../database/schema/search.ts";
import type { Term } from "../rules.ts";

export { rangeOfSearch };

/** The threads to search: all threads of some apps, or only those with a status or a type. */
export interface SearchScope {
  readonly appIds: readonly string[];
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

/** The terms to search for, and the threads in which they are searched. */
export interface SearchedTerms {
  readonly scope: SearchScope;
  /** A thread has each of these terms. */
  readonly all: readonly Term[];
  /** A thread has none of these terms. */
  readonly none: readonly Term[];
}

/**
 * The wanted page of a search. It has further conditions, the `seq` before which the page begins, and the maximum
 * number of its threads.
 */
export interface SearchPage {
  readonly conditions: readonly Condition[];
  readonly before: number;
  readonly limit: number;
  readonly effort?: Effort;
  /**
   * If only certain threads are searched: their `seq`, the newest first. These threads already match the conditions.
   */
  readonly among?: readonly number[];
}

/** Limits for the work of a search. */
export interface Effort {
  /** After this time, the search does not begin with another range. */
  readonly milliseconds: number;
  /** A search reads a list of threads completely if the list has at most this many threads. */
  readonly few: number;
  /**
   * Only on PostgreSQL: a word is rare if at most this many threads have it. The newest two ranges give an estimate.
   * With a negative number, no word is rare.
   */
  readonly rare: number;
}

/** The result of a search. */
export interface Found {
  /** The `seq` of the newest threads that match. */
  readonly seqs: readonly number[];
  /**
   * The `seq` at which the search ended because of its time limit. Threads with a lower `seq` were not searched. The
   * next page may continue there. Undefined if the search was complete or the page is full.
   */
  readonly reached: number | undefined;
}

/** Consecutive ranges of threads, from the newest to the oldest. */
export interface Ranges {
  readonly newest: number;
  readonly oldest: number;
}

export interface BackwardSearch {
  /** The `seq` of the newest thread to search. */
  readonly end: number;
  readonly limit: number;
  /** When the search must end. It is compared with `performance.now()`. */
  readonly until: number;
  /** How many ranges the first step searches. `most` is the maximum number of ranges in any step. */
  readonly ranges: number;
  readonly most: number;
  /** Returns the newest threads of these ranges that match, at most `limit`. */
  readonly searchRanges: (ranges: Ranges, limit: number) => Promise<readonly number[]>;
}

/** With these limits, a whole request that searches takes at most 50 milliseconds. */
export const usualEffort: Effort = { milliseconds: 20, few: 5_000, rare: 3_000 };
/** If a step takes less than this number of milliseconds, the next step searches twice as many ranges. */
const quick = 3;

/** Continues a search at the `seq` where it stopped. */
export async function continueSearch(stopped: Found, given: BackwardSearch): Promise<Found> {
  if (stopped.reached === undefined) return stopped;
  const end = Math.min(given.end, stopped.reached - 1);
  const { seqs, reached } = await searchBackwards({
    ...given,
    end,
    limit: given.limit - stopped.seqs.length,
  });
  return { seqs: [...stopped.seqs, ...seqs], reached };
}

/** Returns when a search that starts now must end. */
export const endOf = ({ milliseconds }: Effort): number => performance.now() + milliseconds;

/**
 * Searches ranges, newest first. It ends when the page is full, no range is left, or the time is over. It always
 * searches the first ranges. So a client that requests one page after the other will get to the last page.
 */
export async function searchBackwards(given: BackwardSearch): Promise<Found> {
  const { end, limit, until, most, searchRanges } = given;
  const seqs: number[] = [];
  let { ranges } = given;
  for (let newest = rangeOf(end); newest >= 0; ) {
    const began = performance.now();
    const oldest = Math.max(0, newest - ranges + 1);
    seqs.push(...(await searchRanges({ newest, oldest }, limit - seqs.length)));
    if (seqs.length >= limit) break;
    const now = performance.now();
    if (now > until && oldest > 0) return { seqs, reached: oldest * rangeOfSearch };
    if (now - began < quick) ranges = Math.min(most, ranges * 2);
    newest = oldest - 1;
  }
  return { seqs, reached: undefined };
}

/** Returns the number of the range that contains this thread. */
export const rangeOf = (seq: number): number => Math.floor(seq / rangeOfSearch);

/** Returns the numbers of the ranges, newest first. */
export const numbersOf = ({ newest, oldest }: Ranges): number[] =>
  Array.from({ length: newest - oldest + 1 }, (_, back) => newest - back);
