import type { EditedChangelogEntry, ReleaseTranslation } from "../../contract/changelog.ts";
import { lookedForLanguages } from "../../contract/content-text.ts";

/**
 * Returns a release note with the texts that a user with this language gets. Changes nothing in an answer for an app
 * key, because the server has already chosen the language there.
 */
export function inLanguage<Entry extends ReleaseTranslation>(entry: Entry, wanted: string): Entry {
  if (!isWritten(entry)) return entry;
  const tag = lookedForLanguages(wanted).find((one) => Object.hasOwn(entry.translations, one));
  const text = tag === undefined ? undefined : entry.translations[tag];
  return text ? { ...entry, title: text.title, body: text.body, items: text.items } : entry;
}

const isWritten = <Entry>(entry: Entry): entry is Entry & Pick<EditedChangelogEntry, "translations"> =>
  typeof entry === "object" && entry !== null && "translations" in entry;

/**
 * Returns the languages of the translations as text. Marks outdated translations. Returns undefined if there are none.
 */
export const languagesIn = (translations: EditedChangelogEntry["translations"]): string | undefined =>
  Object.entries(translations)
    .map(([language, { outdated }]) => (outdated ? `${language} (outdated)` : language))
    .join(", ") || undefined;
