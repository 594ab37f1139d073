import * as z from "zod/mini";
import type { ListedFaq } from "../../../src/contract/faqs.ts";
import { baseOf } from "../languages/base.ts";
import { languageFor, type Translations } from "../languages/rules.ts";
import type { FaqText } from "./rules.ts";
import type { ListedFaqRow } from "./store.ts";

const StoredTranslation = z.object({
  ...{ question: z.string(), answer: z.string(), base: z.string(), at: z.string() },
  pushedHash: z.optional(z.string()),
});

const StoredTranslations = z.record(z.string(), StoredTranslation);

/** Reads the translations of a row. */
export const faqTranslations = ({
  translations,
}: {
  readonly translations: string | null;
}): Translations<FaqText> =>
  translations === null ? {} : StoredTranslations.parse(JSON.parse(translations));

/** Returns the translations in the form that members read. */
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

/** Returns an entry in the form that members read. */
export const listedFaq = (row: ListedFaqRow): ListedFaq => ({
  ...row,
  translations: translationsAnswer(row, faqTranslations(row)),
});

/**
 * Returns an entry in the form of the answer to a replacement of the whole list. It has no field for translations if
 * there are none.
 */
export function replacedFaq(row: ListedFaqRow) {
  const { translations, ...faq } = listedFaq(row);
  return Object.keys(translations).length === 0 ? faq : { ...faq, translations };
}

/** Returns an entry without translations, but with the values of the last push. */
export const pushedFaq = ({ translations: _, ...faq }: ListedFaqRow) => faq;

/** Returns an entry in the form that apps read. (rule C21) */
export const publishedFaq = ({
  translations: _,
  pushedHash: __,
  pushedSortOrder: ___,
  ...faq
}: ListedFaqRow) => faq;

/** Returns an entry in a language, in the form that an app reads. (rule C35) */
export function faqIn(row: ListedFaqRow, wanted: string) {
  const translations = faqTranslations(row);
  const language = languageFor(translations, wanted);
  const found = language === undefined ? undefined : translations[language];
  const text = found && { question: found.question, answer: found.answer };
  return { ...publishedFaq(row), ...text, language: language ?? null };
}
