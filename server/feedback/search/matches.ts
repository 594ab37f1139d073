import type { FoundIn, FoundLine } from "../../../src/contract/found.ts";
import type { Indexed, Pattern } from "./rules.ts";
import { type TextWord, wordsIn } from "./words.ts";

/** One text of a thread. */
export interface ThreadText {
  readonly kind: FoundIn;
  readonly text: string;
}

/** A part of a text. It begins at the position `start` and ends before the position `end`. */
export type Mark = FoundLine["marks"][number];

/** Whether one of the texts contains the pattern. */
export const hasPattern = (texts: readonly ThreadText[], pattern: Pattern): boolean =>
  patternsIn(texts, [pattern]).has(pattern);

/** Returns the patterns that occur in the texts. */
export function patternsIn(texts: readonly ThreadText[], patterns: readonly Pattern[]): ReadonlySet<Pattern> {
  const had = new Set<Pattern>();
  for (const { text } of texts) {
    if (had.size === patterns.length) break;
    const words = wordsIn(text);
    for (const pattern of patterns)
      if (!had.has(pattern) && words.some((_, at) => placeOf(words, at, pattern) !== undefined))
        had.add(pattern);
  }
  return had;
}

/** Returns the part of the text that matches the pattern and begins at the word with the index `at`. */
function placeOf(words: readonly TextWord[], at: number, pattern: Pattern): Mark | undefined {
  const first = words[at];
  if (first === undefined) return undefined;
  if (
    pattern.compound !== undefined &&
    isWord(first.word, { word: pattern.compound, isBeginning: pattern.isOpen })
  )
    return first;
  const { length } = pattern.words;
  if (length === 1) return placeOfOne(first, pattern);
  for (const [n, asked] of pattern.words.entries()) {
    const given = words[at + n];
    if (given === undefined || given.isRun !== asked.isRun) return undefined;
    const isLast = n === length - 1;
    const fits = asked.isRun
      ? isInRun(given.word, asked.word, { isFirst: n === 0, isLast })
      : isWord(given.word, { word: asked.word, isBeginning: isLast && pattern.isOpen });
    if (!fits) return undefined;
  }
  return { start: first.start, end: words[at + length - 1]?.end ?? first.end };
}

function placeOfOne(given: TextWord, { words, isOpen, others, isPart }: Pattern): Mark | undefined {
  const [asked] = words;
  if (asked === undefined || given.isRun !== asked.isRun) return undefined;
  const { start, end, word } = given;
  if (asked.isRun) {
    const at = word.indexOf(asked.word);
    if (at === -1) return undefined;
    // With unusual forms of letters, the run in the text may have more characters than its compared form. Then the
    // whole run counts as the match.
    return word.length === end - start ? { start: start + at, end: start + at + asked.word.length } : given;
  }
  const isFound =
    isWord(word, { word: asked.word, isBeginning: isOpen }) ||
    others.some((one) => isWord(word, one)) ||
    (isPart && word.length >= 9 && word.endsWith(asked.word));
  return isFound ? { start, end } : undefined;
}

const isWord = (given: string, { word, isBeginning }: Indexed): boolean =>
  isBeginning ? given.startsWith(word) : given === word;

function isInRun(
  run: string,
  asked: string,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): boolean {
  if (isFirst) return run.endsWith(asked);
  return isLast ? run.startsWith(asked) : run === asked;
}

/** The maximum number of characters of a found line. */
const longestLine = 160;

/** How many characters before the first mark a line shows. */
const before = 50;

/**
 * Returns a line from the text that contains the most patterns, with marks for the patterns. If several texts contain
 * the same number of patterns, the first of these texts is used. Undefined if no text contains a pattern.
 */
export function foundLine(texts: readonly ThreadText[], patterns: readonly Pattern[]): FoundLine | undefined {
  let best: { readonly of: ThreadText; readonly marks: readonly Mark[]; readonly count: number } | undefined;
  for (const of of texts) {
    const { marks, count } = marksIn(of.text, patterns);
    if (count > (best?.count ?? 0)) best = { of, marks, count };
    if (best?.count === patterns.length) break;
  }
  if (best === undefined) return undefined;
  return { in: best.of.kind, ...lineOf(best.of.text, best.marks) };
}

/** Returns the parts of a text that match a pattern, and how many of the patterns the text contains. */
export function marksIn(
  text: string,
  patterns: readonly Pattern[],
): { readonly marks: Mark[]; readonly count: number } {
  const words = wordsIn(text);
  const marks: Mark[] = [];
  const had = new Set<Pattern>();
  for (let at = 0; at < words.length; at++) {
    for (const pattern of patterns) {
      const place = placeOf(words, at, pattern);
      if (place === undefined) continue;
      had.add(pattern);
      const last = marks.at(-1);
      if (last === undefined || place.start >= last.end) marks.push({ start: place.start, end: place.end });
      else if (place.end > last.end) marks[marks.length - 1] = { start: last.start, end: place.end };
    }
  }
  return { marks, count: had.size };
}

/** Returns the part of a text around its first mark as one line, with the marks in it. */
function lineOf(text: string, marks: readonly Mark[]): { text: string; marks: Mark[] } {
  const first = marks[0] ?? { start: 0, end: 0 };
  const from = startOf(text, first.start);
  const to = endOf(text, Math.max(from + longestLine, Math.min(first.end, from + 2 * longestLine)));
  const beginning = from > 0 ? "…" : "";
  const line = text.slice(from, to).replace(/\s/gu, " ");
  return {
    text: `${beginning}${line.trimEnd()}${to < text.length ? "…" : ""}`,
    marks: marks
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({
        start: start - from + beginning.length,
        end: end - from + beginning.length,
      })),
  };
}

/** Returns where the line begins: at a word a little before the mark. */
function startOf(text: string, mark: number): number {
  if (mark <= before) return 0;
  const from = mark - before;
  const space = text.slice(from, mark).search(/\s\S/u);
  return space === -1 ? atCharacter(text, from) : from + space + 1;
}

function endOf(text: string, to: number): number {
  if (to >= text.length) return text.length;
  const space = text.slice(to - 20, to).lastIndexOf(" ");
  return space === -1 ? atCharacter(text, to) : to - 20 + space;
}

/** Returns the position `at`. If it is inside a character, returns the position before that character. */
const atCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;
