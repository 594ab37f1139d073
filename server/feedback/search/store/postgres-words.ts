import {
  marksInPostgres as marks,
  newestOfSearch,
  wordInApp,
  wordInRange,
} from "../../../database/schema/search.ts";
import { numbersOf, type Ranges, type SearchScope } from "./ranges.ts";

// What a search asks the index of PostgreSQL for, as expressions of `tsquery`.

/** Words as PostgreSQL indexes them: whole ones, and those that the last word may begin. */
export interface Words {
  readonly whole: readonly string[];
  readonly beginning: readonly string[];
}

/** The marks of more apps cost the index more than to look at the app of each thread that it finds. */
const mostMarks = 3;

/**
 * Threads of one range that have all words. Of whole words one is asked for in the range, and the others in their apps: then the index need
 * not look at all threads of the apps. (Two apps may share their words, so the caller compares the ids.)
 */
export function inRange({ appIds }: SearchScope, { whole, beginning }: Words, range: number): string {
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
export const inRanges = (scope: SearchScope, words: Words, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => inRange(scope, words, range)));

/** None for many apps. */
const marksOf = (appIds: readonly string[]): string[] =>
  appIds.length > mostMarks ? [] : [anyOf(appIds.map((id) => lexeme(marks.app + id)))];

/** The newest thousands of threads up to `end`; nothing if all are asked. */
export function newestPlaces(end: number, thousands: number): string[] {
  if (thousands === 0) return [];
  const last = Math.floor(end / newestOfSearch);
  return [anyOf(Array.from({ length: thousands }, (_, back) => lexeme(`${marks.place}${last - back}`)))];
}

/** Threads of one app that have all words. */
export const inApp = ({ whole, beginning }: Words, appId: string): string =>
  allOf([
    ...whole.map((word) => lexeme(wordInApp(appId, word))),
    ...beginning.map((word) => anyAfter(wordInApp(appId, word))),
  ]);

/** Threads of some ranges that have a word, and those with a beginning, whatever their app. */
export const withWord = (word: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => lexeme(wordInRange(range, word))));
export const withBeginning = (beginning: string, ranges: Ranges): string =>
  anyOf(numbersOf(ranges).map((range) => anyAfter(wordInRange(range, beginning))));

/** Texts that have all beginnings, without marks. */
export const beginningOf = (beginnings: readonly string[]): string => allOf(beginnings.map(anyAfter));

/** With the status and the type of a search. */
export const withMarks = ({ status, type }: SearchScope, asked: readonly string[]): string =>
  allOf([
    ...asked,
    ...(status === undefined ? [] : [lexeme(marks.status + status)]),
    ...(type === undefined ? [] : [lexeme(marks.type + type)]),
  ]);

const lexeme = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
const anyAfter = (text: string): string => `${lexeme(text)}:*`;
const allOf = (queries: readonly string[]): string => `(${queries.join(" & ")})`;
const anyOf = (queries: readonly string[]): string => `(${queries.join(" | ")})`;
