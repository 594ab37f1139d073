import { limits } from "../../../src/contract/limits.ts";
import { firstSentence } from "../../feedback/reports/rules.ts";
import {
  haveSameTexts,
  mergedTranslations,
  type Translations,
  type TranslationTexts,
} from "../texts/rules.ts";

/** The text of an entry in one language. */
export interface FaqText {
  readonly question: string;
  readonly answer: string;
}

/** The text of an entry in the wanted list, and the hash of this text. */
export interface WantedText extends FaqText {
  readonly pushedHash: string;
}

/** An entry of the wanted list. An entry without an id is new. In an existing entry, missing fields do not change. */
export interface WantedEntry {
  readonly id?: string | undefined;
  readonly text?: WantedText;
  readonly sortOrder?: number | null | undefined;
  readonly translations?: TranslationTexts<FaqText> | undefined;
}

interface Replacing {
  readonly at: string;
  /**
   * Returns a hash of a text in the default language. Each translation stores this hash, to detect that the translation
   * is outdated.
   */
  readonly baseOf: (text: { readonly question: string; readonly answer: string }) => string;
  /** Returns the hash of a translation, which is stored as its `pushedHash`. */
  readonly pushed: (text: FaqText) => string;
}

/**
 * A stored entry. `pushedHash` and `pushedSortOrder` come from the last request that replaced the whole list; null if
 * there was no such request. (rule C21)
 */
export interface PresentFaq {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly sortOrder: number;
  readonly pushedHash: string | null;
  readonly pushedSortOrder: number | null;
  readonly translations: Translations<FaqText>;
}

type CreatedFaq = WantedText & {
  readonly sortOrder: number;
  readonly pushedSortOrder: number;
  readonly translations: Translations<FaqText>;
};

/** A changed entry. `isEdit` is false if only stored metadata changes, and neither the texts nor the sort order. */
export type UpdatedFaq = PresentFaq & { readonly isEdit: boolean };

export interface FaqListChanges {
  readonly create: readonly CreatedFaq[];
  readonly update: readonly UpdatedFaq[];
  readonly remove: readonly string[];
}

/**
 * The changes that turn the current list into the wanted list. If the wanted list contains wrong ids, there are no
 * changes, but a list of the wrong elements: `at` is the index in the wanted list, `why` is the reason.
 */
export type FaqListPlan =
  | { readonly wrong: readonly { readonly at: number; readonly why: string }[] }
  | FaqListChanges;

/**
 * Compares the current list with the wanted list. A new entry without a `sortOrder` gets its position in the wanted
 * list as `sortOrder`, counted from 1. (rule C5)
 */
export function planFaqList(
  present: readonly PresentFaq[],
  wanted: readonly WantedEntry[],
  replacing: Replacing,
): FaqListPlan {
  const byId = new Map(present.map((faq) => [faq.id, faq]));
  const wrong = wrongIds(byId, wanted);
  if (wrong.length > 0) return { wrong };
  const keptIds = new Set(wanted.map(({ id }) => id));
  return {
    create: wanted.flatMap((faq, at) => createdFrom(faq, at, replacing)),
    update: wanted.flatMap((faq) => {
      const before = faq.id === undefined ? undefined : byId.get(faq.id);
      return before ? updateOf(before, faq, replacing) : [];
    }),
    remove: present.map(({ id }) => id).filter((id) => !keptIds.has(id)),
  };
}

function createdFrom(
  { id, text, sortOrder: given, translations: wanted }: WantedEntry,
  place: number,
  replacing: Replacing,
): CreatedFaq[] {
  if (id !== undefined || text === undefined) return [];
  const sortOrder = given ?? place + 1;
  const translations = translationsAfter({ ...text, translations: {} }, wanted, replacing);
  return [{ ...text, sortOrder, pushedSortOrder: sortOrder, translations }];
}

function updateOf(before: PresentFaq, wanted: WantedEntry, replacing: Replacing): UpdatedFaq[] {
  const { text, sortOrder } = wanted;
  const changed = {
    ...before,
    ...text,
    ...(typeof sortOrder === "number" && { sortOrder, pushedSortOrder: sortOrder }),
  };
  const translations = translationsAfter(changed, wanted.translations, replacing);
  const after = { ...changed, translations };
  const isEdit =
    !isSame(before, after, ["question", "answer", "sortOrder"]) ||
    !haveSameTexts(before.translations, translations);
  const isAsStored = JSON.stringify(translations) === JSON.stringify(before.translations);
  if (!isEdit && isAsStored && isSame(before, after, ["pushedHash", "pushedSortOrder"])) return [];
  return [{ ...after, isEdit }];
}

const translationsAfter = (
  { question, answer, translations }: FaqText & Pick<PresentFaq, "translations">,
  given: TranslationTexts<FaqText> | undefined,
  { at, baseOf, pushed }: Replacing,
): Translations<FaqText> =>
  mergedTranslations(translations, given, { base: baseOf({ question, answer }), at, pushed });

const isSame = (one: PresentFaq, other: PresentFaq, fields: readonly (keyof PresentFaq)[]): boolean =>
  fields.every((field) => one[field] === other[field]);

function wrongIds(byId: ReadonlyMap<string, PresentFaq>, wanted: readonly WantedEntry[]) {
  const seen = new Set<string>();
  return wanted.flatMap(({ id }, at) => {
    if (id === undefined) return [];
    if (!byId.has(id)) return [{ at, why: "is not the id of an entry of this app" }];
    if (seen.has(id)) return [{ at, why: "is also the id of an earlier element" }];
    seen.add(id);
    return [];
  });
}

/** A thread from which an FAQ entry is created. */
interface AnsweredThread {
  readonly subject: string;
  /** The text of the first report. */
  readonly message: string;
  readonly sender: { readonly name: string | null; readonly email: string | null };
  readonly messages: readonly { readonly direction: string; readonly body: string }[];
}

/**
 * Returns an FAQ entry made from a thread. The question is the subject. The answer is the team's newest reply. Both
 * begin with a whole sentence, without a salutation. Personal data is removed from both: the sender's name, mail
 * addresses, phone numbers, and links to the sender's page. (rule C33)
 */
export function entryFromThread({ subject, message, sender, messages }: AnsweredThread): {
  readonly question: string;
  readonly answer: string;
} {
  const reply = messages.findLast(({ direction }) => direction === "outbound")?.body ?? "";
  const names = namesOf(sender);
  const prepared = (text: string) => hidden(withoutSalutation(text, names), names).trim();
  return {
    question: prepared(wholeSubject(subject, message)),
    answer: prepared(reply.replaceAll("{statusUrl}", "").replace(/\r\n?/g, "\n")),
  };
}

/** Returns the first sentence of the report if the subject is a shortened form of it; otherwise the subject. */
function wholeSubject(subject: string, message: string): string {
  const sentence = firstSentence(message);
  const isShortened = subject.endsWith("…") && sentence.startsWith(subject.slice(0, -1));
  return isShortened && sentence.length <= limits.question ? sentence : subject;
}

const greetings =
  "hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|guten (?:tag|morgen|abend)|moin|servus|bonjour|salut|hola|ciao|olá|hej|hei|salam|مرحبا|السلام عليكم|привет|здравствуйте";

const greetedWord = "(?:[ \\t]+(?:(?:mr|mrs|ms|dr|prof)\\.|[^\\s,!:;.?،]+))";

/**
 * Short greetings: one that ends with a comma or a similar character, one that is a sentence before another sentence,
 * and one that is a line before other lines.
 */
const salutations = [
  new RegExp(`^(?:${greetings})(?![\\p{L}\\p{M}])${greetedWord}{0,3}[ \\t]*[,!:،]\\s*`, "iu"),
  new RegExp(`^(?:${greetings})(?![\\p{L}\\p{M}])${greetedWord}{0,2}\\.\\s+(?=\\S)`, "iu"),
  new RegExp(`^(?:${greetings})(?![\\p{L}\\p{M}])${greetedWord}{0,3}[ \\t]*(?:\\n\\s*|$)`, "iu"),
];

/** Removes the salutation at the beginning, and the name of the sender where it only addresses the sender. */
function withoutSalutation(text: string, names: SenderNames | undefined): string {
  const whole = text.trim();
  const rest = salutations.reduce(
    (left, salutation) => (left === whole ? left.replace(salutation, "") : left),
    whole,
  );
  const unnamed =
    names === undefined
      ? rest
      : rest
          .replace(new RegExp(`^${names.addressed}\\s*[,!:]\\s*`, "iu"), "")
          .replace(new RegExp(`,[ \\t]+${names.addressed}(?=\\s*[.!?,;])`, "giu"), "");
  return unnamed === whole ? whole : unnamed.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** Patterns for the names of a sender. */
interface SenderNames {
  /** Matches a name or a word of it. */
  readonly single: string;
  /** Matches a name or several words of it, as in a salutation. */
  readonly addressed: string;
}

/** Returns patterns for the names of a sender; undefined if the sender has none. */
function namesOf({ name, email }: AnsweredThread["sender"]): SenderNames | undefined {
  const names = [name ?? "", email?.split("@")[0] ?? ""];
  const words = names.flatMap((one) => one.split(/\s+/));
  const single = anyOf([...names, ...words]);
  if (single === undefined) return undefined;
  // Each word of a text must match in one way only. Otherwise the time would grow exponentially with a repeated name.
  const word = anyOf([...new Map(words.map((one) => [withoutCase(one), one])).values()]);
  const several = word === undefined ? [] : [`${word}(?:\\s+${word})*`];
  return { single, addressed: `(?:${[anyOf(names), ...several].join("|")})` };
}

/** Returns a pattern for texts of at least two characters, the longest first; undefined if there are none. */
function anyOf(texts: readonly string[]): string | undefined {
  const escaped = texts
    .map((text) => text.trim())
    .filter((text) => text.length > 1)
    .sort((one, other) => other.length - one.length)
    .map((text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return escaped.length === 0 ? undefined : `(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})(?![\\p{L}\\p{N}])`;
}

/** Two texts that the same pattern matches with the flags `iu` have the same result. */
const withoutCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase();

/** Replaces personal data in a text by `…`. */
function hidden(text: string, names: SenderNames | undefined): string {
  const masked = text
    .replace(/[^\s@<>()[\],;:"]{1,64}@[^\s@<>()[\],;:"]{1,255}/g, "…")
    .replace(/https?:\/\/[^\s<>)]*\/p\/t\/[^\s<>)]*/g, "…")
    .replace(/(?<![\p{L}\p{N}.:/-])\+?\d[\d ()/-]{7,18}\d(?![\p{L}\p{N}.:/-])/gu, "…");
  return names === undefined ? masked : masked.replace(new RegExp(names.single, "giu"), "…");
}
