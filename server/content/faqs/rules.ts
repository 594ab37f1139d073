import { limits } from "../../../src/contract/limits.ts";
import { patternOfText } from "../../../src/words/pattern.ts";
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

/** The text of an entry in a list that a client sends, and the hash of this text. */
export interface WantedText extends FaqText {
  readonly pushedHash: string;
}

/** An entry in a list that a client sends. Without an id, it is new. Missing fields do not change. */
export interface WantedEntry {
  readonly id?: string | undefined;
  readonly text?: WantedText;
  readonly sortOrder?: number | null | undefined;
  readonly translations?: TranslationTexts<FaqText> | undefined;
}

interface Replacing {
  readonly at: string;
  /** Returns a hash of a default text. A translation stores the hash of its original text. */
  readonly baseOf: (text: { readonly question: string; readonly answer: string }) => string;
  /** Returns the hash of a translation, which is stored as its `pushedHash`. */
  readonly pushed: (text: FaqText) => string;
}

/**
 * `pushedHash` and `pushedSortOrder` come from the last request that replaced the list; null without such a request.
 * (rule C21)
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

/** `isEdit` is true if the texts or the sort order change. `isRewritten` is true if the texts change. */
export type UpdatedFaq = PresentFaq & { readonly isEdit: boolean; readonly isRewritten: boolean };

export interface FaqListChanges {
  readonly create: readonly CreatedFaq[];
  readonly update: readonly UpdatedFaq[];
  readonly remove: readonly string[];
}

/** The changes from the current list to the wanted list. `wrong` lists the elements with wrong ids, by index. */
export type FaqListPlan =
  | { readonly wrong: readonly { readonly at: number; readonly why: string }[] }
  | FaqListChanges;

/**
 * Compares the current list with the wanted list. A new entry's default `sortOrder` is its position, from 1.
 * (rule C5)
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
  const isRewritten = !hasSameTexts(before, after);
  const isEdit = isRewritten || before.sortOrder !== after.sortOrder;
  const isAsStored = JSON.stringify(translations) === JSON.stringify(before.translations);
  if (!isEdit && isAsStored && isSame(before, after, ["pushedHash", "pushedSortOrder"])) return [];
  return [{ ...after, isEdit, isRewritten }];
}

/** Whether two versions of an entry have the same question, answer and translations. */
export const hasSameTexts = (one: TranslatedText, other: TranslatedText): boolean =>
  one.question === other.question &&
  one.answer === other.answer &&
  haveSameTexts(one.translations, other.translations);

type TranslatedText = FaqText & Pick<PresentFaq, "translations">;

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

/** The size of the FAQ of an app, with its drafts. */
export interface FaqSize {
  readonly entries: number;
  readonly bytes: number;
}

/** Returns an error message if a change makes the FAQ too large. A too large FAQ must not grow. (rule C38) */
export function faultOfSize(before: FaqSize, after: FaqSize): string | undefined {
  if (after.entries > Math.max(limits.listedFaqs, before.entries))
    return `The FAQ of this app would have ${after.entries} entries with its drafts. ${limits.listedFaqs} is the maximum. Delete some entries first.`;
  if (after.bytes > Math.max(limits.faqList, before.bytes))
    return `The texts of this FAQ would have ${after.bytes} bytes with translations and drafts. ${limits.faqList} (32 MB) is the maximum. Shorten or delete some entries first.`;
  return undefined;
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
 * Makes an FAQ entry from a thread: the subject, and the team's newest reply. Salutations and personal data are
 * removed. (rule C33)
 */
export function entryFromThread({ subject, message, sender, messages }: AnsweredThread): {
  readonly question: string;
  readonly answer: string;
} {
  const names = namesOf(sender);
  const reply = messages.findLast(({ direction }) => direction === "outbound")?.body ?? "";
  const text = reply.replaceAll("{statusUrl}", "").replace(/\r\n?/g, "\n");
  return {
    question: hidden(questionFrom(wholeSubject(subject, message).trim(), names), names).trim(),
    answer: hidden(answerFrom(text.trim(), names), names).trim(),
  };
}

/**
 * Returns the first sentence of the report if the subject is a shortened form of this sentence; otherwise the
 * subject.
 */
function wholeSubject(subject: string, message: string): string {
  const sentence = firstSentence(message);
  const isShortened = subject.endsWith("…") && sentence.startsWith(subject.slice(0, -1));
  return isShortened && sentence.length <= limits.question ? sentence : subject;
}

/** The minimum number of words that must remain. If fewer words would remain, the salutation is not removed. */
const fewestWords = 3;

/** Removes the salutation of a subject. In a subject, the text before a colon is the topic. */
function questionFrom(subject: string, names: Names): string {
  const opening = openingOf(subject, names);
  const isSalutation = opening !== undefined && /^[,!،]$/.test(opening.end) && opening.unknown.length <= 1;
  const rest = withoutNames(isSalutation ? opening.rest : subject, names, ",!،");
  return rest.split(/\s+/).length < fewestWords ? subject : asSentence(rest, subject);
}

/** Removes the salutation of a reply. A reply that is only a salutation is not changed. */
function answerFrom(reply: string, names: Names): string {
  const opening = openingOf(reply, names);
  const isSalutation = opening !== undefined && addressesPerson(opening);
  const rest = withoutNames(isSalutation ? opening.rest : reply, names, ",!:،");
  return rest === "" ? reply : asSentence(rest, reply);
}

/** The beginning of a text that may be a salutation. */
interface Opening {
  /** The words after the greeting that are neither a title nor a name of the sender. */
  readonly unknown: readonly string[];
  /** The punctuation after the possible salutation; empty at the end of a line. */
  readonly end: string;
  /** Whether the text continues on another line. */
  readonly isLine: boolean;
  /** The text after the possible salutation. */
  readonly rest: string;
}

/**
 * Whether an opening is a salutation. For example, "Hey Siri works" has no salutation, because "Hey Siri" is
 * the topic.
 */
function addressesPerson({ unknown, end, isLine }: Opening): boolean {
  if (unknown.length === 0) return true;
  if (unknown.length === 1) return end !== ":" || isLine;
  return /^[,،]$/.test(end) && (isLine || unknown.every((word) => /^\p{Lu}/u.test(word)));
}

const greetings =
  "hi|hello|hey|dear|good (?:morning|afternoon|evening)|hallo|liebe[rs]?|guten (?:tag|morgen|abend)|moin|servus|bonjour|salut|hola|ciao|olá|hej|hei|salam|مرحبا|السلام عليكم|привет|здравствуйте";

const greetedWord = "(?:[ \\t]+(?:(?:mr|mrs|ms|dr|prof)\\.|[^\\s,!:;.?،]+))";

const beginning = new RegExp(
  `^(?:${greetings})(?![\\p{L}\\p{M}])(?<greeted>${greetedWord}{0,3})[ \\t]*(?<end>[,،]|[!:](?![\\p{L}\\p{N}])|\\.(?=\\s+\\S)|(?=\\n))(?<space>\\s*)`,
  "iu",
);

const title = /^(?:mr|mrs|ms|dr|prof|herrn?|frau|team)\.?$/i;

function openingOf(text: string, { words }: Names): Opening | undefined {
  const found = beginning.exec(text);
  if (found === null) return undefined;
  const { greeted = "", end = "", space = "" } = found.groups ?? {};
  const unknown = greeted
    .split(/[ \t]+/)
    .filter((word) => word !== "" && !title.test(word) && !words.has(word.toLowerCase()));
  return { unknown, end, isLine: space.includes("\n"), rest: text.slice(found[0].length) };
}

/**
 * Removes the sender's name where it is only a salutation. `ends` has the characters that can follow the name.
 */
function withoutNames(text: string, { person }: Names, ends: string): string {
  if (person === undefined) return text;
  return text
    .replace(new RegExp(`^${person}\\s*[${ends}]\\s*`, "iu"), "")
    .replace(new RegExp(`,[ \\t]+${person}(?=\\s*[.!?,;](?![\\p{L}\\p{N}]))`, "giu"), "");
}

/** Returns the rest of a text, with a capital letter at its beginning if something was removed. */
const asSentence = (rest: string, whole: string): string =>
  rest === whole ? whole : rest.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** The names of a sender. The patterns are undefined if the sender has no name that is long enough. */
interface Names {
  /** Every word of the name, in lower case. */
  readonly words: ReadonlySet<string>;
  /** The pattern for the whole name or some words of it. */
  readonly person: string | undefined;
  /** The pattern for the whole name or one word of it. It does not match inside a longer word. */
  readonly anywhere: string | undefined;
}

// The pattern `person` matches several single words, but the whole name only once. With repeated whole names, a
// search could take exponential time.
function namesOf({ name, email }: AnsweredThread["sender"]): Names {
  const parts = (name ?? "").split(/\s+/).filter((part) => part !== "");
  const written = [...parts, ...parts.flatMap((part) => part.split(/[,;]/)), email?.split("@")[0] ?? ""];
  const words = new Map(
    written.flatMap((text) => text.split(/\s+/)).map((word) => [word.toLowerCase(), word]),
  );
  const one = longestFirst([...words.values()].filter((word) => word.length > 1).map(patternOfText));
  const full = parts.length > 1 ? [parts.map(patternOfText).join("\\s+")] : [];
  const some = one.length > 0 ? [`(?:${one.join("|")})(?:\\s+(?:${one.join("|")})){0,3}`] : [];
  const all = longestFirst([...full, ...one]).join("|");
  if (all === "") return { words: new Set(), person: undefined, anywhere: undefined };
  return {
    words: new Set(words.keys()),
    person: `(?:${[...full, ...some].join("|")})`,
    anywhere: `(?<![\\p{L}\\p{N}])(?:${all})(?![\\p{L}\\p{N}])`,
  };
}

const longestFirst = (sources: readonly string[]): string[] =>
  [...sources].sort((one, other) => other.length - one.length);

/** Replaces personal data in a text by `…`. */
function hidden(text: string, { anywhere }: Names): string {
  const masked = text
    .replace(/[^\s@<>()[\],;:"]{1,64}@[^\s@<>()[\],;:"]{1,255}/g, "…")
    .replace(/https?:\/\/[^\s<>)]*\/p\/t\/[^\s<>)]*/g, "…")
    .replace(/(?<![\p{L}\p{N}.:/-])\+?\d[\d ()/-]{7,18}\d(?![\p{L}\p{N}.:/-])/gu, "…");
  return anywhere === undefined ? masked : masked.replace(new RegExp(anywhere, "giu"), "…");
}
