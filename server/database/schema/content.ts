import { apps } from "./access.ts";
import { feedback } from "./feedback.ts";
import {
  type AnyTable,
  erased,
  flag,
  id,
  index,
  instant,
  integer,
  json,
  other,
  ref,
  table,
  text,
} from "./table.ts";

/** `draft` is the unpublished text. `draft_base` is the text that was published when the draft was saved. */
const draftColumns = (since: number) => ({
  draft: json("json").null().since(since),
  draft_base: json("json").null().since(since),
  draft_at: instant().null().since(since),
  draft_by: text("author").null().since(since),
});

/**
 * The entries of FAQs. The columns `pushed_…` contain the values of the last request that replaced a whole
 * FAQ.
 */
export const faqs = table(
  "faqs",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    question: text("text"),
    answer: text("text"),
    sort_order: integer(),
    created_at: instant(),
    updated_at: instant(),
    /** The hash of the text from the last request that replaced the whole FAQ; null without such a request. */
    pushed_hash: text("plain").null(),
    pushed_sort_order: other<number>("INTEGER").null(),
    updated_by: text("author").null(),
    /** 1 for an entry that was not published yet. Only the console shows this entry. */
    unpublished: flag().default(0).since(127),
    ...draftColumns(127),
    /** The texts in other languages, as JSON; null if there are none. */
    translations: json("json").null().since(138),
    /** The time of the last change of the texts. If it is null, this time is `updated_at`. */
    text_at: instant().null().since(149),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [index("faqs_in_order", "app_id, sort_order, created_at, id")],
  },
);

export const changelogEntries = table(
  "changelog_entries",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    title: text("text"),
    version: text("text"),
    versions: json("json"),
    release_type: text<"major" | "minor" | "patch">("plain"),
    body_format: text<"markdown" | "items">("plain"),
    body: text("text"),
    items: json("json"),
    published_at: instant().null(),
    created_at: instant(),
    updated_at: instant(),
    /** The fields that a person has edited in the console. An import does not overwrite these fields. */
    edited_fields: json("plain").default(
      '["title","versions","releaseType","bodyFormat","body","items","publishedAt"]',
    ),
    updated_by: text("author").null(),
    /** The time at which the mails about this note were queued for the senders of its threads. */
    told_at: instant().null(),
    ...draftColumns(127),
    /** The texts in other languages, as JSON; null if there are none. */
    translations: json("json").null().since(138),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [
      index("changelog_by_publication", "app_id, published_at, created_at, id"),
      index("changelog_untold", "published_at", { where: "told_at IS NULL AND published_at IS NOT NULL" }),
    ],
  },
);

/** The threads to which a release note refers. */
export const changelogFeedback = table(
  "changelog_feedback",
  { entry_id: ref(changelogEntries, "cascade"), feedback_id: ref(feedback, "cascade") },
  {
    of: "app",
    erase: erased.withThread,
    primary: ["entry_id", "feedback_id"],
    indexes: [index("changelog_feedback_by_thread", "feedback_id")],
  },
);

/** Earlier published texts of FAQ entries and release notes. A row belongs to one entry or to one note. */
export const contentVersions = table(
  "content_versions",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    faq_id: ref(faqs, "cascade").null(),
    entry_id: ref(changelogEntries, "cascade").null(),
    content: json("json"),
    /** The time at which this text was published. */
    at: instant(),
    written_by: text("author").null(),
  },
  {
    of: "app",
    erase: erased.texts,
    since: 127,
    indexes: [
      index("content_versions_of_faq", "faq_id, id"),
      index("content_versions_of_note", "entry_id, id"),
      index("content_versions_of_app", "app_id"),
    ],
  },
);

/** The tables of the FAQ and of the release notes. */
export const contentSchema: readonly AnyTable[] = [
  faqs,
  changelogEntries,
  changelogFeedback,
  contentVersions,
];
