import * as z from "zod/mini";
import { canonicalLanguage } from "./language-tags.ts";
import { limits } from "./limits.ts";

/** Checks the languages of an object, and writes them in their canonical form. */
const inCanonicalForm = <Text>() =>
  z.check<Record<string, Text>>((payload) => {
    const entries = Object.entries(payload.value);
    if (entries.length > limits.languages)
      payload.issues.push({
        ...{ code: "custom", input: payload.value, continue: true },
        message: `must have at most ${limits.languages} languages`,
      });
    payload.value = Object.fromEntries(
      entries.flatMap(([language, text]) => {
        const canonical = canonicalLanguage(language);
        if (canonical !== undefined) return [[canonical, text]];
        payload.issues.push({
          ...{ code: "custom", input: language, continue: true, path: [language.slice(0, 100)] },
          message: "must be a language tag such as de or pt-BR",
        });
        return [];
      }),
    );
  });

/** Translations in a request, by language. Null deletes one; languages that are left out do not change. (rule C34) */
export const givenTranslations = <Text extends z.ZodMiniType>(translation: Text) =>
  z.optional(
    z.record(z.string(), z.nullable(translation)).check(
      inCanonicalForm(),
      z.meta({
        description:
          "Texts in other languages, by BCP 47 tag. Null deletes one. Languages that are left out do not change.",
      }),
    ),
  );

/** Translations in an answer, by language. */
export const translations = <Shape extends z.ZodMiniType>(translation: Shape) =>
  z.record(z.string(), translation);

/** What an answer says about a translation in addition to its text. */
export const aboutTranslation = {
  /** Whether the text of the default language has changed since this translation was saved. */
  outdated: z.boolean(),
  updatedAt: z.string().check(z.meta({ format: "date-time" })),
};

/** The query parameter for the language of the texts that apps read. */
export const wantedLanguage = z.optional(
  z.string().check(
    z.meta({
      description:
        "The language of the user, such as `de-AT`. Texts are in `de-AT`, else in `de`, else in the default language. Without it, or if it is not a language tag, the answer is in the default language.",
    }),
  ),
);
