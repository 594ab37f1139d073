import * as z from "zod/mini";
import {
  BodyFormat,
  EditedChangelogEntry,
  NewChangelogEntry,
  ReleaseType,
} from "../../../src/contract/changelog.ts";
import { canonicalLanguage, feedbackIdsIn } from "../../../src/contract/content-text.ts";
import { imageTypes, limits } from "../../../src/contract/limits.ts";
import * as content from "../../database/schema/content.ts";
import * as feedback from "../../database/schema/feedback.ts";
import {
  accepted,
  type Field,
  flag,
  id,
  instant,
  json,
  newer,
  oneOf,
  orNull,
  picture,
  showing,
  text,
  uploadColumns,
  whole,
} from "../fields.ts";
import { recordOf } from "./record.ts";

/** The pictures of the FAQ and of release notes. In the file they come before the texts that show them. */
export const pictureUploads = recordOf(feedback.uploads, {
  type: "picture",
  parent: "app_id",
  order: ["created_at", "name"],
  columns: { ...uploadColumns, name: picture, media_type: oneOf(...imageTypes) },
  where: "feedback_id IS NULL AND proof_id IS NULL AND media_type <> 'message/rfc822'",
  left: { feedback_id: "only files of reports have it", proof_id: "only pictures of proofs have it" },
});

const FaqText = z.object({ question: z.string(), answer: z.string() });

/** Texts by language. Each language is a canonical tag. */
const byLanguage = <Text extends z.ZodMiniType>(text: Text) =>
  z.record(z.string(), text).check(
    z.refine((texts) => Object.keys(texts).every((tag) => canonicalLanguage(tag) === tag)),
    z.refine((texts) => Object.keys(texts).length <= limits.languages),
  );

/** The stored data about a translation. */
const aboutTranslation = {
  base: z.string().check(z.maxLength(64)),
  at: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
  pushedHash: z.optional(z.string().check(z.maxLength(200))),
};

const faqText = showing(
  json(
    z.extend(FaqText, { translations: z.optional(byLanguage(z.nullable(FaqText))) }),
    "a question and an answer",
    12 * limits.answer + limits.translations,
  ),
);

const faqTranslations = showing(
  json(byLanguage(z.extend(FaqText, aboutTranslation)), "translations by language", limits.translations),
);

/** The columns of an earlier published text. */
export const version = { id, at: instant, written_by: orNull(id) };

const faqVersions = recordOf(content.contentVersions, {
  type: "faqVersion",
  parent: "faq_id",
  order: ["id"],
  columns: { ...version, content: faqText },
  app: ["app_id"],
  people: ["written_by"],
  left: { entry_id: "only texts of release notes have it" },
});

export const faqs = recordOf(content.faqs, {
  type: "faq",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    question: text(2 * limits.question),
    answer: showing(text(2 * limits.answer)),
    sort_order: whole(limits.sortOrder.min, limits.sortOrder.max),
    created_at: instant,
    updated_at: instant,
    pushed_hash: orNull(text(200)),
    pushed_sort_order: orNull(whole(limits.sortOrder.min, limits.sortOrder.max)),
    updated_by: orNull(id),
    unpublished: newer(flag, 0),
    draft: newer(orNull(faqText), null),
    draft_base: newer(orNull(faqText), null),
    draft_at: newer(orNull(instant), null),
    draft_by: newer(orNull(id), null),
    translations: newer(orNull(faqTranslations), null),
  },
  people: ["updated_by", "draft_by"],
  below: [faqVersions],
});

const namedThreads = recordOf(content.changelogFeedback, {
  type: "namedThread",
  parent: "entry_id",
  order: ["feedback_id"],
  columns: { feedback_id: id },
});

/** Returns the same field, but an import replaces the ids of threads that its text names. (rule C17) */
const naming = (field: Field): Field => ({
  ...field,
  stored(value, place) {
    const stored = String(field.stored(value, place));
    return feedbackIdsIn(linesIn(stored)).reduce(
      (text, old) => text.replaceAll(old, place.idOf(old)),
      stored,
    );
  },
});

/** Splits JSON at quotes and escaped line feeds, so that each line of a text is on its own line. */
const linesIn = (stored: string): string => stored.replaceAll(/\\n|(?<!\\)"/g, "\n");

const ReleaseText = z.pick(NewChangelogEntry, {
  ...{ title: true, version: true, versions: true, releaseType: true },
  ...{ bodyFormat: true, body: true, items: true },
});

const TranslatedRelease = z.object({
  ...{
    title: z.string(),
    body: z.string(),
    items: z.array(z.object({ type: z.string(), text: z.string() })),
  },
});

const mostOfRelease = 4_000_000;

const releaseText = showing(
  naming(
    json(
      z.extend(ReleaseText, { translations: z.optional(byLanguage(z.nullable(TranslatedRelease))) }),
      "the text of a release note",
      mostOfRelease,
    ),
  ),
);

const releaseTranslations = showing(
  naming(
    json(
      byLanguage(z.extend(TranslatedRelease, aboutTranslation)),
      "translations by language",
      limits.translations,
    ),
  ),
);

const releaseVersions = recordOf(content.contentVersions, {
  type: "releaseVersion",
  parent: "entry_id",
  order: ["id"],
  columns: { ...version, content: releaseText },
  app: ["app_id"],
  people: ["written_by"],
  left: { faq_id: "only texts of FAQ entries have it" },
});

export const releaseNotes = recordOf(content.changelogEntries, {
  type: "releaseNote",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    title: text(2 * limits.changelogTitle),
    version: text(2 * limits.version),
    versions: json(NewChangelogEntry.shape.versions, "a list of platforms with their versions"),
    release_type: accepted(ReleaseType, "major, minor or patch"),
    body_format: accepted(BodyFormat, "markdown or items"),
    body: showing(naming(text(2 * limits.changelogBody))),
    items: showing(naming(json(NewChangelogEntry.shape.items, "a list of items with type and text"))),
    published_at: orNull(instant),
    created_at: instant,
    updated_at: instant,
    edited_fields: json(EditedChangelogEntry.shape.editedFields, "a list of fields"),
    updated_by: orNull(id),
    draft: newer(orNull(releaseText), null),
    draft_base: newer(orNull(releaseText), null),
    draft_at: newer(orNull(instant), null),
    draft_by: newer(orNull(id), null),
    translations: newer(orNull(releaseTranslations), null),
  },
  // `told_at` is set, so that the new server sends no mails about these release notes. The old server has already sent
  // them.
  adjusted: (row, now) => ({ ...row, told_at: row.published_at === null ? null : now }),
  people: ["updated_by", "draft_by"],
  left: { told_at: "it records which mails one server has sent" },
  below: [namedThreads, releaseVersions],
});
