import * as z from "zod/mini";
import type { ListedFaq } from "../../../src/contract/faqs.ts";
import { baseOf } from "../texts/base.ts";
import { languageFor, type Translations } from "../texts/languages-rules.ts";
import type { FaqText } from "./rules.ts";
import type { ListedFaqRow } from "./store.ts";

const StoredTranslation = z.object({
  ...{ question: z.string(), answer: z.string(), base: z.string(), at: z.string() },
  pushedHash: z.optional(z.string()),
});

const StoredTranslations = z.record(z.string(), StoredTranslation);

/** Parses the stored translations of a row. */
export const faqTranslations = ({
  translations,
}: {
  readonly translations: string | null;
}): Translations<FaqText> =>
  translations === null ? {} : StoredTranslations.parse(JSON.parse(translations));

/** Returns the translations as the API returns them to members. */
export const translationsAnswer = (
  { question, answer }: FaqText,
  translations: Translations<FaqText>,
): ListedFaq["translations"] => {
  const current = baseOf({ question, answer });
  return Object.fromEntries(
    Object.entries(translations).map(([language, { base, at, pushedHash = null, ...text }]) => [
      language,
      { ...text, outdated: base !== current, updatedAt: at, pushedHash },
    ]),
  );
};

/** Returns an entry as the API returns it to members. */
export const listedFaq = (row: ListedFaqRow): ListedFaq => ({
  ...row,
  translations: translationsAnswer(row, faqTranslations(row)),
});

/**
 * Returns an entry for the answer to a request that replaces the whole list. An entry without translations has no field
 * `translations`.
 */
export function replacedFaq(row: ListedFaqRow) {
  const { translations, ...faq } = listedFaq(row);
  return Object.keys(translations).length === 0 ? faq : { ...faq, translations };
}

/** Returns an entry without translations, but with the values of the last push. */
export const pushedFaq = ({ translations: _, ...faq }: ListedFaqRow) => faq;

/** Returns an entry as the API returns it to apps. (rule C21) */
export const publishedFaq = ({
  translations: _,
  pushedHash: __,
  pushedSortOrder: ___,
  ...faq
}: ListedFaqRow) => faq;

/** Returns an entry in a language, as the API returns it to apps. (rule C35) */
export function faqIn(row: ListedFaqRow, wanted: string) {
  const translations = faqTranslations(row);
  const language = languageFor(translations, wanted);
  const found = language === undefined ? undefined : translations[language];
  const text = found && { question: found.question, answer: found.answer };
  return { ...publishedFaq(row), ...text, language: language ?? null };
}
