import { lookedForLanguages } from "../../../src/contract/content-text.ts";
import { normalised } from "../../../src/contract/json.ts";
import { limits } from "../../../src/contract/limits.ts";

const address = /\/uploads\/([\w-]{16,100}(?:\.[a-z0-9]{1,8})?)/g;

/** Returns the names of the uploaded pictures in these texts. Each name occurs once in the list. */
export const picturesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(address)].map(([, name = ""]) => name))),
];

/** Returns the Markdown that shows a picture. The description in it is the file name without the extension. */
export const markdownOfPicture = (url: string, fileName: string | null): string =>
  `![${descriptionOf(fileName ?? "")}](${url})`;

const descriptionOf = (fileName: string): string =>
  fileName
    .replace(/\.[A-Za-z0-9]{1,8}$/, "")
    .replace(/[\\[\]<>`*_!&\s\p{C}]+/gu, " ")
    .trim();

/** Whether these texts together contain all words of a search. The words must be in lower case. */
export const hasWords = (texts: readonly string[], words: readonly string[]): boolean => {
  const text = normalised(texts.join("\n").toLowerCase(), "NFC");
  return words.every((word) => text.includes(word));
};

/** Returns the words of a search in lower case. Each word occurs once in the list. */
export const wordsOf = (query: string): readonly string[] => [
  ...new Set(
    normalised(query.toLowerCase(), "NFC")
      .split(/\s+/)
      .filter((word) => word !== ""),
  ),
];

/** The metadata that is stored with the text of a translation. */
interface AboutTranslation {
  /** The hash of the default text from the time when the translation was saved. */
  readonly base: string;
  readonly at: string;
  /** The hash of the text that the last replacement of the whole FAQ gave to this translation. */
  readonly pushedHash?: string | undefined;
}

/** The stored translations of a text, by language. */
export type Translations<Text> = Readonly<Record<string, Text & AboutTranslation>>;

/** Texts by language. Null means that the translation is deleted. */
export type TranslationTexts<Text> = Readonly<Record<string, Text | null>>;

interface Merging<Text> {
  /** The hash of the default text after the request. Each given translation is stored with this hash. */
  readonly base: string;
  readonly at: string;
  /** Returns the hash of a text. Only set for a request that replaces the whole FAQ. */
  readonly pushed?: (text: Text) => string;
}

/**
 * Returns the translations after a change. A translation that is sent again counts as up to date, even if
 * unchanged. (rule C34)
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

/** The fields of stored translations, and of translations in answers, that are not text. */
const about: ReadonlySet<string> = new Set(["base", "at", "pushedHash", "outdated", "updatedAt"]);

const textOf = (translation: object): Content =>
  Object.fromEntries(Object.entries(translation).filter(([field]) => !about.has(field)));

const isSameText = (one: object, other: object): boolean =>
  storedContent(textOf(one)) === storedContent(textOf(other));

/** Returns an error message if there are too many or too long translations; otherwise undefined. (rule C34) */
export function faultOfTranslations(translations: object): string | undefined {
  if (Object.keys(translations).length > limits.languages)
    return `must have at most ${limits.languages} languages`;
  return Buffer.byteLength(JSON.stringify(translations)) > limits.translations
    ? "must have at most 1 MB in total"
    : undefined;
}

/** Returns those of the given texts that change the stored translations. */
export const changedTexts = <Text extends object>(
  stored: Readonly<Record<string, Text>>,
  given: TranslationTexts<Text> = {},
): TranslationTexts<Text> =>
  sorted(
    Object.entries(given).filter(([language, text]) => {
      const before = stored[language];
      return text === null ? before !== undefined : before === undefined || !isSameText(before, text);
    }),
  );

/** Whether two sets of translations have the same texts. The metadata may differ. */
export const haveSameTexts = (one: object, other: object): boolean =>
  storedContent(textsOf(one)) === storedContent(textsOf(other));

/** Returns the texts of translations without their metadata. */
export const textsOf = (translations: object): Content =>
  sorted(
    Object.entries(translations).map(([language, translation]) => [language, textOf(Object(translation))]),
  );

/** Scripts that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(["Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm", "Rohg"]);

export const directionOf = (language: string): "ltr" | "rtl" =>
  rightToLeft.has(new Intl.Locale(language).maximize().script ?? "") ? "rtl" : "ltr";

/** Returns the best translation for a wanted language; undefined means the default text. (rule C35) */
export const languageFor = (
  translations: Readonly<Record<string, unknown>>,
  wanted: string,
): string | undefined => lookedForLanguages(wanted).find((tag) => Object.hasOwn(translations, tag));

/** Returns the language of the translation for a tag such as `de-AT`; empty if there is none. (rule C35) */
export const effectiveLanguage = (wanted: string, languages: readonly string[]): string =>
  lookedForLanguages(wanted).find((tag) => languages.includes(tag)) ?? "";

/** The fields of a text, such as `question` and `answer`. */
export type Content = Readonly<Record<string, unknown>>;

/** The columns of a draft. All of them are null if there is no draft. */
export interface StoredDraft {
  readonly draft: string | null;
  readonly draftBase: string | null;
  readonly draftAt: string | null;
}

/** Converts a text to JSON. The keys are sorted, so equal texts have equal JSON. */
export const storedContent = (content: Content): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(content).sort(([a], [b]) => Number(a > b) - Number(a < b))),
  );

/** Whether the published text has changed since the draft was saved. (rule C30) */
export const isConflict = ({ draft, draftBase }: StoredDraft, published: Content): boolean =>
  draft !== null && draftBase !== null && draftBase !== storedContent(published);
