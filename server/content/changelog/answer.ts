import * as z from "zod/mini";
import type { ReleaseTranslation } from "../../../src/contract/changelog.ts";
import { baseOf } from "../languages/base.ts";
import type { Translations } from "../languages/rules.ts";
import type { ChangelogRow } from "./store.ts";

/** The text of a release note in another language, in the form in which drafts and versions store it. */
export const TranslatedText = z.object({
  ...{ title: z.string(), body: z.string() },
  items: z.array(z.object({ type: z.string(), text: z.string() })),
});

const StoredTranslations = z.record(
  z.string(),
  z.extend(TranslatedText, { base: z.string(), at: z.string() }),
);

/** Reads the translations of a row. */
export const releaseTranslations = ({
  translations,
}: {
  readonly translations: string | null;
}): Translations<ReleaseTranslation> =>
  translations === null ? {} : StoredTranslations.parse(JSON.parse(translations));

/** Returns a value that identifies the default text of a note, from which its translations are made. */
export const baseOfRelease = ({
  title,
  body,
  items,
}: Pick<ChangelogRow, "title" | "body" | "items">): string => baseOf({ title, body, items });

/** Returns the translations in the form that members read. */
export const translationsAnswer = (row: ChangelogRow) => {
  const current = baseOfRelease(row);
  return Object.fromEntries(
    Object.entries(releaseTranslations(row)).map(([language, { base, at, ...text }]) => [
      language,
      { ...text, outdated: base !== current, updatedAt: at },
    ]),
  );
};
