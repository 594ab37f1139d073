import * as z from "zod/mini";
import {
  BodyFormat,
  type EditedChangelogEntry,
  type ReleaseContent,
  type ReleaseTranslation,
  ReleaseType,
} from "../../../src/contract/changelog.ts";
import {
  isConflict,
  type StoredDraft,
  type Translations,
  type TranslationTexts,
  textsOf,
} from "../texts/rules.ts";
import { baseOf } from "../texts/store.ts";
import type { ReleaseField } from "./rules.ts";
import type { ChangelogRow, OwnedChangelogRow } from "./store.ts";

/** One translation of a release note, as it is stored in the JSON of drafts and of earlier versions. */
const TranslatedText = z.object({
  ...{ title: z.string(), body: z.string() },
  items: z.array(z.object({ type: z.string(), text: z.string() })),
});

const StoredTranslations = z.record(
  z.string(),
  z.extend(TranslatedText, { base: z.string(), at: z.string() }),
);

/** Parses the stored translations of a row. */
export const releaseTranslations = ({
  translations,
}: {
  readonly translations: string | null;
}): Translations<ReleaseTranslation> =>
  translations === null ? {} : StoredTranslations.parse(JSON.parse(translations));

/** Returns a hash of the default text of a note. Translations from a text with another hash are outdated. */
export const baseOfRelease = ({
  title,
  body,
  items,
}: Pick<ChangelogRow, "title" | "body" | "items">): string => baseOf({ title, body, items });

/** Returns the translations by language, in the form in which the API returns them to members. */
export const translationsAnswer = (row: ChangelogRow) => {
  const current = baseOfRelease(row);
  return Object.fromEntries(
    Object.entries(releaseTranslations(row)).map(([language, { base, at, ...text }]) => [
      language,
      { ...text, outdated: base !== current, updatedAt: at },
    ]),
  );
};

/**
 * Returns the published content that a draft replaces: the text, and the translations into the languages of
 * `changed`. (rule C30)
 */
export function baseOfDraft(row: ChangelogRow, changed: TranslationTexts<ReleaseTranslation> = {}) {
  const published = textsOf(releaseTranslations(row));
  const languages = Object.keys(changed).sort();
  const translations = Object.fromEntries(languages.map((one) => [one, published[one] ?? null]));
  return { ...contentOf(row), ...(languages.length > 0 && { translations }) };
}

/** Whether the published text has changed since the draft of a note was written. (rule C30) */
export const isConflicting = (row: ChangelogRow & StoredDraft): boolean =>
  isConflict(row, baseOfDraft(row, row.draft === null ? {} : contentIn(row.draft).translations));

/** Returns the translations that are not null. Null means that a draft deletes the translation. */
export const keptOf = (texts: TranslationTexts<ReleaseTranslation>): Record<string, ReleaseTranslation> =>
  Object.fromEntries(Object.entries(texts).flatMap(([language, text]) => (text ? [[language, text]] : [])));

/** Returns the text of a release note. The date and the ids are left out. */
export const contentOf = (row: ChangelogRow): ReleaseContent => ({
  title: row.title,
  version: row.version,
  versions: JSON.parse(row.versions),
  releaseType: row.releaseType,
  bodyFormat: row.bodyFormat,
  body: row.body,
  items: JSON.parse(row.items),
});

function draftAnswer(row: ChangelogRow & Partial<StoredDraft>): EditedChangelogEntry["draft"] {
  const { draft = null, draftBase = null, draftAt = null } = row;
  if (draft === null) return null;
  const conflict = isConflicting({ ...row, draft, draftBase, draftAt });
  const { translations = {}, ...text } = contentIn(draft);
  return { ...text, translations, updatedAt: draftAt ?? row.updatedAt, conflict };
}

const StoredContent = z.object({
  ...{ title: z.string(), version: z.string(), body: z.string(), bodyFormat: BodyFormat },
  ...{ versions: z.array(z.object({ platform: z.string(), version: z.string() })), releaseType: ReleaseType },
  items: z.array(z.object({ type: z.string(), text: z.string() })),
  translations: z.optional(z.record(z.string(), z.nullable(TranslatedText))),
});

/** The text of a draft or of an earlier version. A draft contains only the translations that it changes. */
export interface StoredContent extends ReleaseContent {
  readonly translations?: TranslationTexts<ReleaseTranslation> | undefined;
}

export const contentIn = (stored: string): StoredContent => StoredContent.parse(JSON.parse(stored));

/** Returns a release note with its linked threads, in the form in which the API returns it to members. */
export const entryAnswer = (
  row: ChangelogRow & Pick<OwnedChangelogRow, "editedFields"> & Partial<StoredDraft>,
  feedbackIds: readonly string[] = [],
): EditedChangelogEntry => ({
  id: row.id,
  title: row.title,
  version: row.version,
  versions: JSON.parse(row.versions),
  releaseType: row.releaseType,
  bodyFormat: row.bodyFormat,
  body: row.body,
  items: JSON.parse(row.items),
  publishedAt: row.publishedAt,
  feedbackIds: [...feedbackIds],
  editedFields: [...editedIn(row)],
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  translations: translationsAnswer(row),
  draft: draftAnswer(row),
});

/** Returns the text of a note and its translations, in the form in which the history stores them. */
export function versionOf(row: ChangelogRow) {
  const translations = releaseTranslations(row);
  const hasSome = Object.keys(translations).length > 0;
  return { ...contentOf(row), ...(hasSome && { translations: textsOf(translations) }) };
}

/** Returns the fields of an entry that people have changed since the last import. */
export const editedIn = ({
  editedFields,
}: Pick<OwnedChangelogRow, "editedFields">): readonly ReleaseField[] => JSON.parse(editedFields);
