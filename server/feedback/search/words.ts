/** A word of a text, with its position in that text. */
export interface TextWord {
  /** The form of the word that is compared: without upper case, accents and other differences of spelling. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /**
   * Whether the word is a sequence of letters of a script that has no spaces between words, such as Chinese. Such a
   * sequence can contain several words.
   */
  readonly isRun: boolean;
  /**
   * The punctuation between this word and the previous one, if there is nothing else between them. Undefined after a
   * space.
   */
  readonly joint: string | undefined;
}

/**
 * Characters that mark the additional words of the index, which are not in the texts. No word of a text contains these
 * characters.
 */
export const kinds = {
  /** A word with its letters in reverse order. With this form, the search finds the last part of a compound word. */
  reversed: "\uE004",
  /** Stands between two words that only punctuation separates in the text. */
  pair: "\uE005",
  tag: "\uE006",
  /** The address of a sender. */
  from: "\uE007",
  /** A word of the name or the address of a sender. */
  sender: "\uE008",
  has: "\uE009",
  source: "\uE00A",
} as const;

/** The maximum number of characters of a word that are compared. The rest of a longer word is ignored. */
const longest = 64;

/** Returns the words of a text in order. Texts and queries are divided into words in the same way. (rule F57) */
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

// A soft hyphen is part of a word, because it is visible only at the end of a line.
const letters = /[\p{L}\p{M}\p{N}\u00AD]+/gu;

const unspacedScripts =
  "\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Bopomofo}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}";
const pieces = new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, "gu");
const unspaced = new RegExp(`^[${unspacedScripts}]`, "u");

function folded(piece: string): string {
  if (/^[a-z0-9]+$/.test(piece)) return piece.slice(0, longest);
  const word = piece
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFD")
    .replace(accents, "")
    .normalize("NFC")
    .replace(other, (letter) => alike.get(letter) ?? "")
    .replace(notLetters, "")
    .replace(article, "");
  return beginningOf(word);
}

const foldedRun = (piece: string): string =>
  piece
    .normalize("NFKC")
    .replace(/[\u30A1-\u30F6]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) - 0x60))
    .replace(notLetters, "");

const notLetters = /[^\p{L}\p{M}\p{N}]+/gu;

// The sign U+0306 after и forms the letter й, so it is not an accent there. The last ranges are the vowel points of
// Hebrew and Arabic.
const accents = /(?<!\u0438)\u0306|[\u0300-\u0305\u0307-\u036F\u0591-\u05C7\u064B-\u065F\u0670]/g;

const alike = new Map([
  ...Object.entries({ ß: "ss", œ: "oe", æ: "ae", ø: "o", ł: "l", đ: "d", ð: "d", þ: "th", ı: "i", ħ: "h" }),
  ...Object.entries({ ς: "σ", ٱ: "ا", ى: "ي", ی: "ي", ة: "ه", ک: "ك", ـ: "" }),
  ...[..."٠١٢٣٤٥٦٧٨٩"].map((digit, value): [string, string] => [digit, String(value)]),
  ...[..."۰۱۲۳۴۵۶۷۸۹"].map((digit, value): [string, string] => [digit, String(value)]),
]);

const other = new RegExp(`[${[...alike.keys()].join("")}]`, "gu");

/** The Arabic article, also together with the short words that are joined to it. */
const article = /^(?:[وبكف]?ال|لل)(?=\p{L}{2})/u;

function beginningOf(word: string): string {
  if (word.length <= longest) return word;
  return [...word].slice(0, longest).join("");
}

/** Adds to `into` the words by which the index finds a text. */
export function addIndexed(into: Set<string>, text: string): void {
  let before: TextWord | undefined;
  let compound: string[] = [];
  for (const one of wordsIn(text)) {
    const { word, isRun, joint } = one;
    if (isRun) for (const two of pairsIn(word)) into.add(two);
    else addWord(into, word);
    if (joint !== undefined && before !== undefined && !isRun && !before.isRun)
      into.add(before.word + kinds.pair + word);
    compound = joint === "-" && isOnlyLetters(word) ? [...compound, word] : isOnlyLetters(word) ? [word] : [];
    if (compound.length > 1) addWord(into, beginningOf(compound.join("")));
    before = one;
  }
}

function addWord(into: Set<string>, word: string): void {
  into.add(word);
  if (isCompound(word)) into.add(kinds.reversed + reversed(word));
}

/** Returns all pairs of adjacent characters of a run, and its last character alone. */
export function pairsIn(run: string): string[] {
  const characters = [...run].slice(0, mostOfRun);
  return characters.map((one, at) => one + (characters[at + 1] ?? ""));
}

const mostOfRun = 20_000;

/** Whether a word may be a compound of two words. Only long words with the letters a to z are treated as compounds. */
const isCompound = (word: string): boolean => word.length >= 9 && /^[a-z]+$/.test(word);

export const reversed = (word: string): string => [...word].reverse().join("");

export const isOnlyLetters = (word: string): boolean => !/\p{N}/u.test(word);

/**
 * Returns a text as one word of the index. SQLite divides words at some characters, so these characters are replaced.
 */
export const asOneWord = (text: string): string =>
  text.replace(/[^\p{L}\p{M}\p{N}]/gu, (character) =>
    String.fromCharCode(0xe100 + ((character.codePointAt(0) ?? 0) % 0x1000)),
  );
