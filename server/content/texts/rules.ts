import { lookedForLanguages } from "../../../src/contract/content-text.ts";
import { limits } from "../../../src/contract/limits.ts";

const address = /\/uploads\/([\w-]{16,100}(?:\.[a-z0-9]{1,8})?)/g;

/** Returns the names of the stored pictures that these texts show, without repeats. */
export const picturesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(address)].map(([, name = ""]) => name))),
];

/** Returns the Markdown that shows a picture. Its description is the name of the file without its ending. */
export const markdownOfPicture = (url: string, fileName: string | null): string =>
  `![${descriptionOf(fileName ?? "")}](${url})`;

const descriptionOf = (fileName: string): string =>
  fileName
    .replace(/\.[A-Za-z0-9]{1,8}$/, "")
    .replace(/[\\[\]<>`*_!&\s\p{C}]+/gu, " ")
    .trim();

/** Whether an FAQ entry or a release note has all words of a search in its texts. The words are in lower case. */
export const hasWords = (texts: readonly string[], words: readonly string[]): boolean => {
  const text = texts.join("\n").toLowerCase().normalize("NFC");
  return words.every((word) => text.includes(word));
};

/** Returns the words of a search. Each word occurs once in the list. */
export const wordsOf = (query: string): readonly string[] => [
  ...new Set(
    query
      .toLowerCase()
      .normalize("NFC")
      .split(/\s+/)
      .filter((word) => word !== ""),
  ),
];

/** The stored data of a translation, without its text. */
interface AboutTranslation {
  /** Identifies the text of the default language at the time when the translation was saved. */
  readonly base: string;
  readonly at: string;
  /** The hash of the text in this language at the last replacement of the whole FAQ. */
  readonly pushedHash?: string | undefined;
}

/** The translations of a text, by language, as they are stored. */
export type Translations<Text> = Readonly<Record<string, Text & AboutTranslation>>;

/** The texts of translations; null for a translation that is deleted. */
export type TranslationTexts<Text> = Readonly<Record<string, Text | null>>;

/** The parameters of a change of translations. */
interface Merging<Text> {
  /** Identifies the text of the default language after the change. */
  readonly base: string;
  readonly at: string;
  /** Returns the hash of a text. Only a replacement of the whole FAQ has this function. */
  readonly pushed?: (text: Text) => string;
}

/**
 * Returns the translations after a change. Languages that the change leaves out stay as they are. A translation that is
 * sent again with the same text counts as checked, so it is no longer outdated. (rule C34)
 */
export function mergedTranslations<Text extends object>(
  stored: Translations<Text>,
  given: TranslationTexts<Text> = {},
  { base, at, pushed }: Merging<Text>,
): Translations<Text> {
  const all = new Map(Object.entries(stored));
  for (const [language, text] of Object.entries(given)) {
    const before = all.get(language);
    if (text === null) {
      all.delete(language);
      continue;
    }
    const isSame = before !== undefined && isSameText(before, text);
    const pushedHash = pushed ? pushed(text) : before?.pushedHash;
    all.set(language, {
      ...text,
      base,
      at: isSame && before.base === base ? before.at : at,
      ...(pushedHash !== undefined && { pushedHash }),
    });
  }
  return sorted([...all]);
}

const sorted = <Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> =>
  Object.fromEntries([...entries].sort(([one], [other]) => (one < other ? -1 : 1)));

const about: ReadonlySet<string> = new Set(["base", "at", "pushedHash"]);

const textOf = (translation: object): Content =>
  Object.fromEntries(Object.entries(translation).filter(([field]) => !about.has(field)));

const isSameText = (one: object, other: object): boolean =>
  storedContent(textOf(one)) === storedContent(textOf(other));

/** Returns why translations cannot be stored; undefined if they can. (rule C34) */
export function faultOfTranslations(translations: object): string | undefined {
  if (Object.keys(translations).length > limits.languages)
    return `must have at most ${limits.languages} languages`;
  return Buffer.byteLength(JSON.stringify(translations)) > limits.translations
    ? "must have at most 1 MB in total"
    : undefined;
}

/** Returns the given texts that differ from the stored translations. */
export const changedTexts = <Text extends object>(
  stored: Translations<Text>,
  given: TranslationTexts<Text> = {},
): TranslationTexts<Text> =>
  sorted(
    Object.entries(given).filter(([language, text]) => {
      const before = stored[language];
      return text === null ? before !== undefined : before === undefined || !isSameText(before, text);
    }),
  );

/** Whether two lists of translations have the same texts. */
export const haveSameTexts = (one: object, other: object): boolean =>
  storedContent(textsOf(one)) === storedContent(textsOf(other));

/** Returns the texts of translations, without their other stored data. */
export const textsOf = (translations: object): Content =>
  sorted(
    Object.entries(translations).map(([language, translation]) => [language, textOf(Object(translation))]),
  );

/** Scripts that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(["Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm", "Rohg"]);

/** Returns the direction in which a language is written. */
export const directionOf = (language: string): "ltr" | "rtl" =>
  rightToLeft.has(new Intl.Locale(language).maximize().script ?? "") ? "rtl" : "ltr";

/** Returns the language in which a person gets a text; undefined for the default language. (rule C35) */
export const languageFor = (
  translations: Readonly<Record<string, unknown>>,
  wanted: string,
): string | undefined => lookedForLanguages(wanted).find((tag) => Object.hasOwn(translations, tag));

/** The values of the fields of a text. */
export type Content = Readonly<Record<string, unknown>>;

/** The stored columns of a draft. All are null without a draft. */
export interface StoredDraft {
  readonly draft: string | null;
  readonly draftBase: string | null;
  readonly draftAt: string | null;
}

/** Returns a text in the form in which it is stored. The same values always have the same form. */
export const storedContent = (content: Content): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(content).sort(([a], [b]) => Number(a > b) - Number(a < b))),
  );

/**
 * Whether the published text has changed since the draft was saved. If it has, publishing the draft would undo a change
 * that the writer of the draft has not seen. (rule C30)
 */
export const isConflict = ({ draft, draftBase }: StoredDraft, published: Content): boolean =>
  draft !== null && draftBase !== null && draftBase !== storedContent(published);
