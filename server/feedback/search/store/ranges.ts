import type { Condition } from "../../../database/lists.ts";
import { rangeOfSearch } from "../../../database/schema/search.ts";

export { rangeOfSearch };

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
  readonly effort?: Effort;
}

/** How long a search may take. */
export interface Effort {
  /** After so long no further ranges are looked at. */
  readonly milliseconds: number;
  /** A list of at most so many threads is short: it is read as a whole. */
  readonly few: number;
  /** PostgreSQL: a word is rare if at most so many threads have it, as the newest two ranges suggest. No word is if it is negative. */
  readonly rare: number;
}

/** What a search has found. */
export interface Found {
  /** The newest threads that match, as their `seq`. */
  readonly seqs: readonly number[];
  /** Set if the search took too long: threads before this `seq` were not looked at. Another page may go on there. */
  readonly reached: number | undefined;
}

/** Ranges of threads that follow each other, from the newest one to the oldest one. */
export interface Ranges {
  readonly newest: number;
  readonly oldest: number;
}

export interface LookBack {
  /** The `seq` of the newest thread to look at. */
  readonly end: number;
  readonly limit: number;
  /** When it must end, in the time of `performance.now()`. */
  readonly until: number;
  /** How many ranges are looked at first, and how many at most at once. */
  readonly ranges: number;
  readonly most: number;
  /** Finds the newest threads of these ranges that match, at most `limit`. */
  readonly look: (ranges: Ranges, limit: number) => Promise<readonly number[]>;
}

/** So a search ends within 50 milliseconds with all that belongs to its answer. */
export const usualEffort: Effort = { milliseconds: 20, few: 5_000, rare: 3_000 };
/** If ranges took less, twice as many are looked at next. */
const quick = 3;

/** Goes on where a search has stopped. */
export async function goOn(stopped: Found, given: LookBack): Promise<Found> {
  if (stopped.reached === undefined) return stopped;
  const end = Math.min(given.end, stopped.reached - 1);
  const { seqs, reached } = await lookBack({ ...given, end, limit: given.limit - stopped.seqs.length });
  return { seqs: [...stopped.seqs, ...seqs], reached };
}

/** When a search that begins now ends. */
export const endOf = ({ milliseconds }: Effort): number => performance.now() + milliseconds;

/**
 * Looks at range after range, the newest ones first, until the page is full, no range is left, or the time is over. Looks at least at
 * the first ones, so that a client that goes on always comes to the end.
 */
export async function lookBack(given: LookBack): Promise<Found> {
  const { end, limit, until, most, look } = given;
  const seqs: number[] = [];
  let { ranges } = given;
  for (let newest = rangeOf(end); newest >= 0; ) {
    const began = performance.now();
    const oldest = Math.max(0, newest - ranges + 1);
    seqs.push(...(await look({ newest, oldest }, limit - seqs.length)));
    if (seqs.length >= limit) break;
    const now = performance.now();
    if (now > until && oldest > 0) return { seqs, reached: oldest * rangeOfSearch };
    if (now - began < quick) ranges = Math.min(most, ranges * 2);
    newest = oldest - 1;
  }
  return { seqs, reached: undefined };
}

/** The number of the range of a thread. */
export const rangeOf = (seq: number): number => Math.floor(seq / rangeOfSearch);

/** The numbers of the ranges, the newest first. */
export const numbersOf = ({ newest, oldest }: Ranges): number[] =>
  Array.from({ length: newest - oldest + 1 }, (_, back) => newest - back);
