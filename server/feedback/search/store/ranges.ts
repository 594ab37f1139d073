import type { Condition } from "../../../database/lists.ts";
import { rangeOfSearch } from "../../../database/schema/search.ts";
import type { Term } from "../rules.ts";

/** The threads to search: the threads of these apps, with this `status` and `type` if they are given. */
export interface SearchScope {
  readonly appIds: readonly string[];
  readonly status?: string | undefined;
  readonly type?: string | undefined;
}

export interface SearchedTerms {
  readonly scope: SearchScope;
  /** A thread must have each of these terms. */
  readonly all: readonly Term[];
  /** A thread must have none of these terms. */
  readonly none: readonly Term[];
}

/** The page of a search that is requested. */
export interface SearchPage {
  /** Further SQL conditions for the threads (table `f`). */
  readonly conditions: readonly Condition[];
  /** All threads of the page have a lower `seq`. */
  readonly before: number;
  /** The maximum number of threads. */
  readonly limit: number;
  readonly effort?: Effort;
  /** The only threads to search. They must already match the conditions, newest first. */
  readonly among?: readonly number[];
}

export interface Effort {
  /** The time limit. After this time, the search does not begin another step. */
  readonly milliseconds: number;
  /**
   * If a condition matches at most this number of threads, the search does not split the threads into ranges.
   */
  readonly few: number;
  /**
   * On PostgreSQL, a word is rare if an estimate finds at most this number of threads with the word. With a
   * negative number, no word is rare.
   */
  readonly rare: number;
}

export interface Found {
  /** The `seq` of the newest threads that match, newest first. */
  readonly seqs: readonly number[];
  /**
   * The lowest searched `seq`, if the time limit ended the search; otherwise undefined. The next page has
   * lower values.
   */
  readonly reached: number | undefined;
}

/** Consecutive ranges of threads. `newest` and `oldest` are the numbers of the first and the last range. */
export interface Ranges {
  readonly newest: number;
  readonly oldest: number;
}

export interface BackwardSearch {
  /** The `seq` of the newest thread to search. */
  readonly end: number;
  readonly limit: number;
  /** The time at which the search must end, as a value of `performance.now()`. */
  readonly until: number;
  /** The number of ranges that the first step searches. A later step searches at most `most` ranges. */
  readonly ranges: number;
  readonly most: number;
  /** Returns the newest threads of these ranges that match, at most `limit`. */
  readonly searchRanges: (ranges: Ranges, limit: number) => Promise<readonly number[]>;
}

/** With these limits, a whole request that searches takes at most 50 milliseconds. */
export const usualEffort: Effort = { milliseconds: 20, few: 5_000, rare: 3_000 };
/** A step below this time (milliseconds) is quick. After a quick step, the next step searches twice as many ranges. */
const quick = 3;

/**
 * Continues the search `stopped` below `stopped.reached`. Returns all results, or `stopped` itself if it is
 * complete or the time is over.
 */
export async function continueSearch(stopped: Found, given: BackwardSearch): Promise<Found> {
  if (stopped.reached === undefined || performance.now() > given.until) return stopped;
  const end = Math.min(given.end, stopped.reached - 1);
  const { seqs, reached } = await searchBackwards({
    ...given,
    end,
    limit: given.limit - stopped.seqs.length,
  });
  return { seqs: [...stopped.seqs, ...seqs], reached };
}

/** Returns the time at which a search that starts now must end, as a value of `performance.now()`. */
export const endOf = ({ milliseconds }: Effort): number => performance.now() + milliseconds;

/** Searches ranges, newest first, until the page is full or the time is over. */
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
    // The search checks the time only after a step, so that each request reaches older threads.
    if (now > until && oldest > 0) return { seqs, reached: oldest * rangeOfSearch };
    if (now - began < quick) ranges = Math.min(most, ranges * 2);
    newest = oldest - 1;
  }
  return { seqs, reached: undefined };
}

/** Returns the number of the range that contains the thread with this `seq`. */
export const rangeOf = (seq: number): number => Math.floor(seq / rangeOfSearch);

/** Returns the numbers of the ranges, newest first. */
export const numbersOf = ({ newest, oldest }: Ranges): number[] =>
  Array.from({ length: newest - oldest + 1 }, (_, back) => newest - back);
