import { FeedbackType } from "../../../src/contract/feedback.ts";
import { threadStatuses } from "../../../src/contract/find-work.ts";
import type { UnknownValue } from "../../../src/contract/found.ts";
import { tagKeyOf } from "../tags/rules.ts";
import { asOneWord, isOnlyLetters, kinds, pairsIn, reversed, type TextWord, wordsIn } from "./words.ts";

/** A word of the index. If `isBeginning` is true, this stands for all words of the index that begin with `word`. */
export interface Indexed {
  readonly word: string;
  readonly isBeginning: boolean;
}

/** Alternative words of the index. A thread matches if it has at least one of them. */
export type Term = readonly Indexed[];

/** Words that follow each other in one text. */
export interface Pattern {
  readonly words: readonly Pick<TextWord, "word" | "isRun">[];
  /** Whether the last word may be the beginning of a longer word. */
  readonly isOpen: boolean;
  /** Other words that also match a word: the same word with other endings. */
  readonly others: Term;
  /** Whether a single word may be the last part of a compound word. */
  readonly isPart: boolean;
  /** The words written as one, for example `offlinemodus` for `offline-modus`. */
  readonly compound: string | undefined;
}

/** A word as a person typed it, with its position in the query. */
export interface TypedWord extends Pick<TextWord, "word" | "start" | "end"> {
  readonly term: Term;
}

/** The search of a person. */
export interface SearchQuery {
  /** A found thread has all these terms. */
  readonly all: readonly Term[];
  readonly none: readonly Term[];
  /** The parts of the found texts that are highlighted. */
  readonly marked: readonly Pattern[];
  /** Patterns that cannot be checked with the index alone. To check them, the search reads the texts of the threads. */
  readonly read: readonly Pattern[];
  readonly readNone: readonly Pattern[];
  /** Whether the query finds no thread by the name or the address of its sender. */
  readonly withoutSenders: boolean;
  /** Conditions for properties of the thread that are not words. */
  readonly facts: readonly Fact[];
  /**
   * The typed words that the search may correct. These are single words that are neither excluded nor in quotation
   * marks.
   */
  readonly typed: readonly TypedWord[];
}

/** A condition for a property of a thread. If `isNot` is true, the thread must not have the property. */
export interface Fact {
  readonly name: "status" | "type" | "assignee" | "unread" | "snoozed" | "before" | "after" | "number";
  readonly value: string;
  readonly isNot: boolean;
}

/** The values of `has:`. */
export const hasNames = ["image", "video", "file", "answer", "reply", "note", "plan", "issue"] as const;

export type HasName = (typeof hasNames)[number];

/**
 * The maximum number of words of a query that are searched. A search for very many words would take seconds, and no
 * person types so many.
 */
const mostWords = 16;

/**
 * A word with at least this many characters is also searched as the beginning of longer words. Too many words begin
 * with a shorter text.
 */
const fewestOfBeginning = 3;

const exampleDays = ["2026", "2026-06", "2026-06-30"];

/**
 * The operators that allow only certain values, with these values or with examples of them. `status` is not an
 * operator, but people often type it in place of `is`.
 */
const valuesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["is", [...threadStatuses.map((status) => `is:${status.replaceAll("_", "-")}`), "is:unread", "is:snoozed"]],
  ["status", threadStatuses.map((status) => `is:${status.replaceAll("_", "-")}`)],
  ["type", FeedbackType.options.map((type) => `type:${type}`)],
  ["has", hasNames.map((name) => `has:${name}`)],
  ["before", exampleDays.map((example) => `before:${example}`)],
  ["after", exampleDays.map((example) => `after:${example}`)],
]);

/** Returns the operators of a query whose value is not known. They are searched as words. (rule F58) */
export const unknownValuesOf = (query: string): UnknownValue[] =>
  [...query.matchAll(parts)].flatMap(({ groups = {} }) => {
    const operator = groups.name?.toLowerCase() ?? "";
    const allowed = valuesOf.get(operator);
    const value = groups.quoted ?? groups.bare ?? "";
    if (allowed === undefined || value === "" || factOf(operator, value) || termsOf(operator, value))
      return [];
    return [{ operator, value, allowed: [...allowed] }];
  });

const parts =
  /(?<=^|\s)(?<not>-?)(?:(?<name>[a-z]{2,8}):)?(?:["“„«](?<quoted>[^"“”„«»]*)["”»]?|(?<bare>\S+))/giu;

/**
 * The operators with which an agent could guess the address of a sender or a member, letter by letter. An agent has no
 * unread threads either.
 */
const ofPeople: ReadonlySet<string> = new Set(["from", "assignee"]);

/**
 * Parses a query. Operators with unknown names or values are searched as words. In the query of an agent, the operators
 * about people are searched as words, too. The index also contains the names and addresses of senders. An agent must
 * not find these, so the search also reads the texts of the threads that the index finds. (rules F57, F58)
 */
export function readQuery(query: string, by: "member" | "agent" = "member"): SearchQuery {
  const building: Building = {
    ...{ all: [], none: [], marked: [], read: [], readNone: [], facts: [], typed: [] },
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

/** Whether a query contains no conditions. */
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
  /** How many more words may be added. */
  left: number;
}

interface Operator {
  readonly name: string;
  readonly value: string;
  readonly isNot: boolean;
}

/** Adds an operator. Returns false if there is no operator with this name or value. */
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
  if (name === "before" || name === "after") return day.test(value) ? { name, value } : undefined;
  return undefined;
}

/** The number of a thread as pages show it. */
const threadNumber = /^#[1-9]\d{0,8}$/;

/** A year, a month or a day. */
const day = /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)?$/;

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

/** The maximum number of characters of a tag or an address that are compared. */
const longestValue = 320;

export const indexedTag = (key: string): string => kinds.tag + asOneWord(key.slice(0, longestValue));

export const indexedAddress = (address: string): string =>
  kinds.from + asOneWord(address.trim().toLowerCase().slice(0, longestValue));

interface TypedText {
  readonly text: string;
  readonly start: number;
  readonly isNot: boolean;
  /** Whether the text was in quotation marks. Then only exactly this text is found. */
  readonly isQuoted: boolean;
}

/** Adds a text whose words must follow each other. */
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

/** Returns words that are joined with hyphens as one word. Undefined if the words are not joined in this way. */
function compoundOf(words: readonly TextWord[]): string | undefined {
  const isCompound = words.every(
    ({ word, joint, isRun }, at) => !isRun && isOnlyLetters(word) && (at === 0 || joint === "-"),
  );
  return words.length > 1 && isCompound ? words.map(({ word }) => word).join("") : undefined;
}

/** Returns other forms of a word: the singular of an English plural, or the stem of a word in Cyrillic script. */
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

/** Returns the terms that a thread must have to match the pattern. */
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
    // A thread must have each word of the pattern, or all of them written as one word.
    const asOne: Indexed = { word: compound, isBeginning: isOpen };
    return terms.map((term) => [...term, asOne]);
  }
  return [...terms, ...pairsOf(pattern, words)];
}

function termsOfRun(run: string): Term[] {
  const pairs = pairsIn(run);
  // A run of one character has no pairs. It is searched as the first character of a pair.
  if (pairs.length === 1) return pairs.map((word) => [{ word, isBeginning: true }]);
  return pairs.slice(0, -1).map(exactly);
}

/**
 * Returns terms for pairs of neighbouring words. Many threads contain a short word or a number, but few threads contain
 * it together with the next or previous word.
 */
function pairsOf({ isOpen }: Pattern, words: readonly TextWord[]): Term[] {
  return words.flatMap(({ word, joint }, at) => {
    const before = words[at - 1];
    if (joint === undefined || before === undefined || before.isRun || words[at]?.isRun) return [];
    if (words.every((one) => isOnlyLetters(one.word) && one.word.length > 2)) return [];
    const isLast = at === words.length - 1;
    return [[{ word: before.word + kinds.pair + word, isBeginning: isOpen && isLast }]];
  });
}
