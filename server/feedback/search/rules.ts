import { FeedbackType } from "../../../src/contract/feedback.ts";
import { threadStatuses } from "../../../src/contract/find-work.ts";
import { normalised } from "../../../src/contract/json.ts";
import type { FoundIn, FoundLine, UnknownValue } from "../../../src/contract/threads.ts";
import { tagKeyOf } from "../tags/rules.ts";

export interface ThreadText {
  readonly kind: FoundIn;
  readonly text: string;
}

/** The positions of a matching part of a text. `end` is the position after the last character of the part. */
type Mark = FoundLine["marks"][number];

export const hasPattern = (texts: readonly ThreadText[], pattern: Pattern): boolean =>
  patternsIn(texts, [pattern]).has(pattern);

/** Returns the patterns that occur in at least one of the texts. */
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

/** Returns the part of a text that matches the pattern and begins at the word `at`. */
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
    // If normalisation changed the run's length, positions in `word` do not fit the text. The match is the
    // whole run.
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

/**
 * The maximum number of characters of the line that a search result shows. With a long first match, the line
 * may have twice as many.
 */
const longestLine = 160;

/** The maximum number of characters before the first match in the line that a search result shows. */
const before = 50;

/** Returns a line from the text with the most patterns, and its matches. Returns undefined without a match. */
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

/** Returns the parts of a text that match a pattern, and the number of different patterns in the text. */
function marksIn(
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

/** Returns the text around the first match as one line. `marks` in the result are positions in this line. */
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

/**
 * Returns the position at which the shown line begins, at most `before` characters before the match at `mark`.
 */
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

/** Returns `at`. If `at` is inside a surrogate pair, returns the start of the pair. */
const atCharacter = (text: string, at: number): number =>
  /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at - 1 : at;

/** A word of the index. If `isBeginning` is true, all words of the index that begin with `word`. */
interface Indexed {
  readonly word: string;
  readonly isBeginning: boolean;
}

/** Alternative words of the index. A thread matches if it has at least one of them. */
export type Term = readonly Indexed[];

/** One or more words that must follow each other in a text. */
export interface Pattern {
  readonly words: readonly Pick<TextWord, "word" | "isRun">[];
  /** Whether the last word may be the beginning of a longer word. */
  readonly isOpen: boolean;
  /** Other forms of a single word that also match, such as the singular of a plural. */
  readonly others: Term;
  /** Whether a single word may be the last part of a compound word. */
  readonly isPart: boolean;
  /** The single word without hyphens that also matches, such as `offlinemodus` for `offline-modus`. */
  readonly compound: string | undefined;
}

/** A word as a person typed it, with its position in the query. */
export interface TypedWord extends Pick<TextWord, "word" | "start" | "end"> {
  readonly term: Term;
}

export interface SearchQuery {
  /** A thread must have each of these terms. */
  readonly all: readonly Term[];
  /** A thread must have none of these terms. */
  readonly none: readonly Term[];
  /** The patterns that are highlighted in found texts. */
  readonly marked: readonly Pattern[];
  /**
   * The index cannot check these patterns. A found thread must contain all of `read` and none of `readNone`.
   */
  readonly read: readonly Pattern[];
  readonly readNone: readonly Pattern[];
  /** Whether the search ignores the names and addresses of senders. */
  readonly withoutSenders: boolean;
  /** Conditions for properties of the thread, such as its status. */
  readonly facts: readonly Fact[];
  /** The words that may be corrected. Excluded words and words in quotation marks are not corrected. */
  readonly typed: readonly TypedWord[];
}

/** A condition for a property of a thread. If `isNot` is true, the thread must not have the property. */
export interface Fact {
  readonly name: "status" | "type" | "assignee" | "unread" | "snoozed" | "before" | "after" | "number";
  readonly value: string;
  readonly isNot: boolean;
}

/** The allowed values of the operator `has:`. */
const hasNames = ["image", "video", "file", "answer", "reply", "note", "plan", "issue"] as const;

export type HasName = (typeof hasNames)[number];

/** The maximum number of words of a query. Further words are ignored, because they would take seconds. */
const mostWords = 16;

/** A search word with at least this number of characters also finds longer words that begin with it. */
const fewestOfBeginning = 3;

const exampleDays = ["2026", "2026-06", "2026-06-30"];

/** The allowed values or examples of each operator. `status` is not an operator, but people often type it. */
const valuesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["is", [...threadStatuses.map((status) => `is:${status.replaceAll("_", "-")}`), "is:unread", "is:snoozed"]],
  ["status", threadStatuses.map((status) => `is:${status.replaceAll("_", "-")}`)],
  ["type", FeedbackType.options.map((type) => `type:${type}`)],
  ["has", hasNames.map((name) => `has:${name}`)],
  ["before", exampleDays.map((example) => `before:${example}`)],
  ["after", exampleDays.map((example) => `after:${example}`)],
]);

/** An example of each operator. A hint about an unknown operator contains them. */
const examples = [
  ...["is:open", "type:bug", "tag:NAME", "from:ADDRESS", "source:NAME", "has:image", "assignee:me"],
  ...["after:YYYY-MM-DD", "before:YYYY-MM"],
];

/** The maximum number of unknown operators in the hint about a search. A pasted text may contain many. */
const mostUnknown = 3;

/**
 * Returns the operators of a query that are unknown or have an unknown value. The search treats them as
 * words. (rule F58)
 */
export function unknownValuesOf(query: string): UnknownValue[] {
  const operators = operatorsIn(query);
  const withValue = operators.flatMap(({ operator, value }) => {
    const allowed = valuesOf.get(operator);
    if (allowed === undefined || factOf(operator, value) || termsOf(operator, value)) return [];
    return [{ operator, value, allowed: [...allowed] }];
  });
  const unknown = operators
    .filter(({ operator, value }) => !known.has(operator) && /^[\p{L}\p{N}]/u.test(value))
    .map(({ operator, value }) => ({ operator, value, allowed: examples }));
  return [...withValue, ...unknown.slice(0, mostUnknown)];
}

const known: ReadonlySet<string> = new Set([...valuesOf.keys(), ...["tag", "from", "source", "assignee"]]);

/** Returns the tags and the addresses of assignees in a query. Some of them may not exist. */
export function namedValuesOf(query: string): { readonly tags: string[]; readonly assignees: string[] } {
  const valuesIn = (name: string) =>
    operatorsIn(query).flatMap(({ operator, value }) => (operator === name ? [value] : []));
  return {
    tags: [...new Set(valuesIn("tag"))].filter((name) => tagKeyOf(name) !== ""),
    assignees: [...new Set(valuesIn("assignee").map((value) => value.toLowerCase()))].filter(
      (value) => value !== "me" && value !== "none",
    ),
  };
}

/**
 * Returns the operators of a query with their values. To find unknown operators, accepts names of up to 20
 * characters.
 */
const operatorsIn = (query: string) =>
  [...query.matchAll(partsWith(20))].flatMap(({ groups = {} }) => {
    const [operator, value] = [groups.name?.toLowerCase(), groups.quoted ?? groups.bare ?? ""];
    return operator === undefined || value === "" ? [] : [{ operator, value }];
  });

/**
 * Returns the regular expression that finds the words and operators of a query. `longest` limits the name of an
 * operator.
 */
const partsWith = (longest: number) =>
  new RegExp(
    `(?<=^|\\s)(?<not>-?)(?:(?<name>[a-z]{2,${longest}}):)?(?:["“„«](?<quoted>[^"“”„«»]*)["”»]?|(?<bare>\\S+))`,
    "giu",
  );

const parts = partsWith(8);

/** Agents cannot use these operators. Otherwise an agent could guess a person's address letter by letter. */
const ofPeople: ReadonlySet<string> = new Set(["from", "assignee"]);

/**
 * Parses a query. Unknown operators are ordinary words. For an agent, operators about people are ordinary
 * words, too. (rules F57, F58)
 */
export function readQuery(query: string, by: "member" | "agent" = "member"): SearchQuery {
  const building: Building = {
    ...{ all: [], none: [], marked: [], read: [], readNone: [], facts: [], typed: [] },
    // The index contains names of senders. So for an agent, the search also checks the texts of the threads.
    ...{ left: mostWords, withoutSenders: by === "agent" },
  };
  for (const { 0: part, index, groups = {} } of query.matchAll(parts)) {
    const { not, name, quoted, bare } = groups;
    const isNot = not === "-";
    const value = quoted ?? bare ?? "";
    const operator = name?.toLowerCase();
    const isOfPeople =
      ofPeople.has(operator ?? "") || (operator === "is" && value.toLowerCase() === "unread");
    const isKnown = operator !== undefined && !(by === "agent" && isOfPeople);
    if (isKnown && addOperator(building, { name: operator, value, isNot })) continue;
    if (name === undefined && threadNumber.test(bare ?? "")) {
      building.facts.push({ name: "number", value: value.slice(1), isNot });
      continue;
    }
    const isQuoted = quoted !== undefined && name === undefined;
    const text = isQuoted ? quoted : part.slice(isNot ? 1 : 0);
    const start = index + part.indexOf(text, isNot ? 1 : 0);
    addWords(building, { text, start, isNot, isQuoted });
  }
  return building;
}

/** Whether a query has no conditions. */
export const isEmpty = ({ all, none, read, readNone, facts }: SearchQuery): boolean =>
  all.length + none.length + read.length + readNone.length + facts.length === 0;

interface Building {
  readonly all: Term[];
  readonly none: Term[];
  readonly marked: Pattern[];
  readonly read: Pattern[];
  readonly readNone: Pattern[];
  readonly facts: Fact[];
  readonly typed: TypedWord[];
  readonly withoutSenders: boolean;
  /** The number of words that may still be added. */
  left: number;
}

interface Operator {
  readonly name: string;
  readonly value: string;
  readonly isNot: boolean;
}

/** Adds an operator. Returns false if its name or value is unknown, or if there are too many words. */
function addOperator(building: Building, { name, value, isNot }: Operator): boolean {
  const fact = factOf(name, value);
  if (fact !== undefined) {
    building.facts.push({ ...fact, isNot });
    return true;
  }
  const terms = termsOf(name, value);
  if (terms === undefined || building.left < terms.length) return false;
  building.left -= terms.length;
  if (!isNot) building.all.push(...terms);
  else building.none.push(...terms);
  return true;
}

const types: readonly string[] = FeedbackType.options;

const statuses: readonly string[] = threadStatuses;

const things: readonly string[] = hasNames;

function factOf(name: string, given: string): Pick<Fact, "name" | "value"> | undefined {
  const value = given.toLowerCase();
  if (name === "is") {
    if (value === "unread" || value === "snoozed") return { name: value, value };
    const status = value.replaceAll("-", "_");
    return statuses.includes(status) ? { name: "status", value: status } : undefined;
  }
  if (name === "type") return types.includes(value) ? { name: "type", value } : undefined;
  if (name === "assignee") return value === "" ? undefined : { name: "assignee", value };
  if (name === "before" || name === "after") return isPeriod(value) ? { name, value } : undefined;
  return undefined;
}

/** The number of a thread, such as `#12`. */
const threadNumber = /^#[1-9]\d{0,8}$/;

const day = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/;

/** Whether a text is a year, a month or a day of the calendar. The result for `2026-02-31` is false. */
function isPeriod(value: string): boolean {
  if (!day.test(value)) return false;
  const [, month = 1, date = 1] = value.split("-").map(Number);
  const at = new Date(`${value.slice(0, 4)}-01-01T00:00:00Z`);
  at.setUTCMonth(month - 1, date);
  return at.getUTCDate() === date;
}

function termsOf(name: string, value: string): Term[] | undefined {
  if (name === "tag") {
    const key = tagKeyOf(value);
    return key === "" ? undefined : [exactly(indexedTag(key))];
  }
  if (name === "from") {
    if (value.includes("@")) return [exactly(indexedAddress(value))];
    return termsOfWords(kinds.sender, value);
  }
  if (name === "source") return termsOfWords(kinds.source, value);
  const thing = value.toLowerCase();
  if (name === "has" && things.includes(thing)) return [exactly(kinds.has + thing)];
  return undefined;
}

function termsOfWords(kind: string, text: string): Term[] | undefined {
  const words = wordsIn(text);
  if (words.length === 0) return undefined;
  return words.map(({ word }) => [{ word: kind + word, isBeginning: word.length >= fewestOfBeginning }]);
}

const exactly = (word: string): Term => [{ word, isBeginning: false }];

/** The number of characters of a tag or an address that are compared. Further characters are ignored. */
const longestValue = 320;

export const indexedTag = (key: string): string => kinds.tag + asOneWord(key.slice(0, longestValue));

export const indexedAddress = (address: string): string =>
  kinds.from + asOneWord(address.trim().toLowerCase().slice(0, longestValue));

interface TypedText {
  readonly text: string;
  readonly start: number;
  readonly isNot: boolean;
  /**
   * Whether the text was in quotation marks. The search does not find other forms of a word in quotation marks.
   */
  readonly isQuoted: boolean;
}

/** Adds a text to the query. The words of the text must follow each other in a thread. */
function addWords(building: Building, { text, start, isNot, isQuoted }: TypedText): void {
  const words = wordsIn(text).slice(0, building.left);
  const last = words.at(-1);
  if (last === undefined) return;
  building.left -= words.length;
  const pattern = patternOf(words, isQuoted);
  const terms = termsOfPattern(pattern, words);
  const isDecided = !building.withoutSenders && isDecidedByIndex(pattern);
  if (isNot) {
    if (isDecided) building.none.push(...terms);
    else building.readNone.push(pattern);
    return;
  }
  building.all.push(...terms);
  building.marked.push(pattern);
  if (!isDecided) building.read.push(pattern);
  if (isQuoted || last.isRun || words.length > 1) return;
  const [term = []] = terms;
  building.typed.push({ word: last.word, start: start + last.start, end: start + last.end, term });
}

function patternOf(words: readonly TextWord[], isQuoted: boolean): Pattern {
  const [first, second] = words;
  const last = words.at(-1);
  const isOpen = !isQuoted && last !== undefined && (last.isRun || last.word.length >= fewestOfBeginning);
  const isSingle = first !== undefined && second === undefined && !first.isRun && !isQuoted;
  return {
    words: words.map(({ word, isRun }) => ({ word, isRun })),
    isOpen,
    others: isSingle ? endingsOf(first.word) : [],
    isPart: isSingle && /^[a-z]{5,}$/.test(first.word),
    compound: isQuoted ? undefined : compoundOf(words),
  };
}

/** Returns words joined with hyphens as one word; undefined for other words. */
function compoundOf(words: readonly TextWord[]): string | undefined {
  const isCompound = words.every(
    ({ word, joint, isRun }, at) => !isRun && isOnlyLetters(word) && (at === 0 || joint === "-"),
  );
  return words.length > 1 && isCompound ? words.map(({ word }) => word).join("") : undefined;
}

/** Returns other forms of a word: the English singular, or the stem of a word in Cyrillic script. */
function endingsOf(word: string): Indexed[] {
  if (/^[a-z]{4,}[^s]s$/.test(word)) return [{ word: word.slice(0, -1), isBeginning: false }];
  if (/^\p{scx=Cyrillic}{4,}[аеиоуыэюяьй]$/u.test(word))
    return [{ word: word.slice(0, -1), isBeginning: true }];
  return [];
}

function isDecidedByIndex({ words }: Pattern): boolean {
  const [first, second] = words;
  return second === undefined && first !== undefined && (!first.isRun || [...first.word].length <= 2);
}

/** Returns the terms with which the index finds the threads that may contain the pattern. */
function termsOfPattern(pattern: Pattern, words: readonly TextWord[]): Term[] {
  const { isOpen, others, isPart, compound } = pattern;
  const terms = words.flatMap(({ word, isRun }, at): Term[] => {
    const isLast = at === words.length - 1;
    if (isRun) return termsOfRun(word);
    return [[{ word, isBeginning: isOpen && isLast }]];
  });
  const [only] = terms;
  if (words.length === 1 && only !== undefined && words[0]?.isRun === false) {
    const { word } = words[0];
    const part = isPart ? [{ word: kinds.reversed + reversed(word), isBeginning: true }] : [];
    return [[...only, ...others, ...part]];
  }
  if (compound !== undefined) {
    // A thread must have each word, or all words joined into one.
    const asOne: Indexed = { word: compound, isBeginning: isOpen };
    return terms.map((term) => [...term, asOne]);
  }
  return [...terms, ...pairsOf(pattern, words)];
}

function termsOfRun(run: string): Term[] {
  const pairs = pairsIn(run);
  // If `run` is one character, the term finds all pairs that begin with this character.
  if (pairs.length === 1) return pairs.map((word) => [{ word, isBeginning: true }]);
  return pairs.slice(0, -1).map(exactly);
}

/** Returns terms for pairs of words joined by punctuation. Such a pair is rarer than one short word. */
function pairsOf({ isOpen }: Pattern, words: readonly TextWord[]): Term[] {
  return words.flatMap(({ word, joint }, at) => {
    const before = words[at - 1];
    if (joint === undefined || before === undefined || before.isRun || words[at]?.isRun) return [];
    if (words.every((one) => isOnlyLetters(one.word) && one.word.length > 2)) return [];
    const isLast = at === words.length - 1;
    return [[{ word: before.word + kinds.pair + word, isBeginning: isOpen && isLast }]];
  });
}

interface TextWord {
  /** The normalised form of the word: in lower case, without accents and other differences of spelling. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Whether this is a run: letters of a script without spaces, such as Chinese. A run can contain several words. */
  readonly isRun: boolean;
  /** The punctuation before this word; undefined if there is a space. */
  readonly joint: string | undefined;
}

/**
 * Characters in the special words of the index, such as the words for tags. No text contains these
 * characters.
 */
export const kinds = {
  /** A word with its letters in reverse order. It finds the last part of a compound word. */
  reversed: "\uE004",
  /** Joins two words that are separated only by punctuation in the text. */
  pair: "\uE005",
  tag: "\uE006",
  /** The address of a sender. */
  from: "\uE007",
  /** A word of the name or the address of a sender. */
  sender: "\uE008",
  has: "\uE009",
  source: "\uE00A",
} as const;

/** The number of characters of a word that are compared. Further characters are ignored. */
const longest = 64;

/** Divides a text or a query into words. (rule F57) */
export function wordsIn(text: string): TextWord[] {
  const words: TextWord[] = [];
  let lastEnd: number | undefined;
  for (const { 0: run, index } of text.matchAll(letters)) {
    for (const { 0: piece, index: at } of run.matchAll(pieces)) {
      const start = index + at;
      const isRun = unspaced.test(piece);
      const word = isRun ? foldedRun(piece) : folded(piece);
      if (word === "") continue;
      const between = lastEnd === undefined ? undefined : text.slice(lastEnd, start);
      const joint =
        between !== undefined && between.length <= 3 && !/\s/u.test(between) ? between : undefined;
      words.push({ word, start, end: start + piece.length, isRun, joint });
      lastEnd = start + piece.length;
    }
  }
  return words;
}

// A soft hyphen (U+00AD) is part of a word, because it is usually not visible.
const letters = /[\p{L}\p{M}\p{N}\u00AD]+/gu;

const unspacedScripts =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";

const pieces = new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, "gu");

const unspaced = new RegExp(`^[${unspacedScripts}]`, "u");

function folded(piece: string): string {
  if (/^[a-z0-9]+$/.test(piece)) return piece.slice(0, longest);
  const bare = normalised(normalised(piece, "NFKC").toLowerCase(), "NFD").replace(accents, "");
  const word = normalised(bare, "NFC")
    .replace(other, (letter) => alike.get(letter) ?? "")
    .replace(notLetters, "")
    .replace(article, "");
  return beginningOf(word);
}

const foldedRun = (piece: string): string =>
  normalised(piece, "NFKC")
    .replace(/[\u30A1-\u30F6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))
    .replace(notLetters, "");

const notLetters = /[^\p{L}\p{M}\p{N}]+/gu;

// U+0306 after и is part of the letter й. The last ranges are the vowel signs of Hebrew and Arabic.
const accents = /(?<!\u0438)\u0306|[\u0300-\u0305\u0307-\u036F\u0591-\u05C7\u064B-\u065F\u0670]/g;

const alike = new Map([
  ...Object.entries({ ß: "ss", œ: "oe", æ: "ae", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ħ: "h" }),
  ...Object.entries({ ς: "σ", ٱ: "ا", ى: "ي", ی: "ي", ة: "ه", ک: "ك", ـ: "" }),
  ...[..."٠١٢٣٤٥٦٧٨٩"].map((digit, value): [string, string] => [digit, String(value)]),
  ...[..."۰۱۲۳۴۵۶۷۸۹"].map((digit, value): [string, string] => [digit, String(value)]),
]);

const other = new RegExp(`[${[...alike.keys()].join("")}]`, "gu");

/** The Arabic article at the beginning of a word, possibly after a one-letter word such as the Arabic "and". */
const article = /^(?:[وبكف]?ال|لل)(?=\p{L}{2})/u;

function beginningOf(word: string): string {
  if (word.length <= longest) return word;
  return [...word].slice(0, longest).join("");
}

/** Adds the index words of a text to `into`. */
export function addIndexed(into: Set<string>, text: string): void {
  let before: TextWord | undefined;
  let compound = "";
  for (const one of wordsIn(text)) {
    const { word, isRun, joint } = one;
    if (isRun) for (const two of pairsIn(word)) into.add(two);
    else addWord(into, word);
    if (joint !== undefined && before !== undefined && !isRun && !before.isRun)
      into.add(before.word + kinds.pair + word);
    const isPart = isOnlyLetters(word);
    const isJoined = joint === "-" && isPart && compound !== "";
    const next = isJoined ? beginningOf(compound + word) : isPart ? word : "";
    if (isJoined && next !== compound) addWord(into, next);
    compound = next;
    before = one;
  }
}

function addWord(into: Set<string>, word: string): void {
  into.add(word);
  if (isCompound(word)) into.add(kinds.reversed + reversed(word));
}

/** Returns all pairs of adjacent characters of a run. The last element is the last character alone. */
export function pairsIn(run: string): string[] {
  const characters = [...run].slice(0, mostOfRun);
  return characters.map((one, at) => one + (characters[at + 1] ?? ""));
}

const mostOfRun = 20_000;

/** Whether a word may be a compound of two words. Only long words with a to z count. */
const isCompound = (word: string): boolean => word.length >= 9 && /^[a-z]+$/.test(word);

const reversed = (word: string): string => [...word].reverse().join("");

const isOnlyLetters = (word: string): boolean => !/\p{N}/u.test(word);

/** Replaces the characters at which SQLite would divide a text into several words. */
export const asOneWord = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N}]/gu, (character) =>
    String.fromCharCode(0xe100 + ((character.codePointAt(0) ?? 0) % 0x1000)),
  );

/** The alphabets whose words are corrected. Other scripts have too many letters for corrections. */
const alphabets: readonly (readonly [script: RegExp, letters: string])[] = [
  [/^[a-z]+$/, "abcdefghijklmnopqrstuvwxyz"],
  [/^\p{Script=Cyrillic}+$/u, "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґў"],
  [/^\p{Script=Greek}+$/u, "αβγδεζηθικλμνξοπρστυφχψω"],
  [/^\p{Script=Arabic}+$/u, "ابتثجحخدذرزسشصضطظعغفقكلمنهويءپچژگ"],
  [/^\p{Script=Hebrew}+$/u, "אבגדהוזחטיכלמנסעפצקרשתםןץףך"],
];

/** Words with fewer letters are not corrected, because too many other words are similar to them. */
const fewestLetters = 4;

const mostLetters = 24;

/** Returns all texts that differ from `word` by one typing error, the more likely ones first. (rule F59) */
export function neighboursOf(word: string): string[] {
  const letters = [...word];
  const alphabet = alphabets.find(([script]) => script.test(word))?.[1];
  if (alphabet === undefined || letters.length < fewestLetters || letters.length > mostLetters) return [];
  const places = [...letters.keys()];
  const swapped = places.map((at) => changed(letters, at, 2, [letters[at + 1] ?? "", letters[at] ?? ""]));
  const shorter = places.map((at) => changed(letters, at, 1, []));
  const longer = [...places, letters.length].flatMap((at) =>
    [...alphabet].map((letter) => changed(letters, at, 0, [letter])),
  );
  const other = places.flatMap((at) => [...alphabet].map((letter) => changed(letters, at, 1, [letter])));
  return [...new Set([...swapped, ...shorter, ...longer, ...other])].filter((one) => one !== word);
}

const changed = (letters: readonly string[], at: number, count: number, by: readonly string[]): string =>
  [...letters.slice(0, at), ...by, ...letters.slice(at + count)].join("");
