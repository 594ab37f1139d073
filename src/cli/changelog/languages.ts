import type { EditedChangelogEntry, ReleaseTranslation } from "../../contract/changelog.ts";
import { lookedForLanguages } from "../../contract/language-tags.ts";

/** Returns a note as a user with a language gets it. An app key has already got it in that language. */
export function inLanguage<Entry extends ReleaseTranslation>(entry: Entry, wanted: string): Entry {
  if (!isWritten(entry)) return entry;
  const tag = lookedForLanguages(wanted).find((one) => Object.hasOwn(entry.translations, one));
  const text = tag === undefined ? undefined : entry.translations[tag];
  return text ? { ...entry, title: text.title, body: text.body, items: text.items } : entry;
}

const isWritten = <Entry>(entry: Entry): entry is Entry & Pick<EditedChangelogEntry, "translations"> =>
  typeof entry === "object" && entry !== null && "translations" in entry;

/** Returns the languages of translations, with a mark for those that are outdated; undefined without any. */
export const languagesIn = (translations: EditedChangelogEntry["translations"]): string | undefined =>
  Object.entries(translations)
    .map(([language, { outdated }]) => (outdated ? `${language} (outdated)` : language))
    .join(", ") || undefined;
