import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { at, faqId } from "./example-values.ts";
import { instant, markdown, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { aboutTranslation, givenTranslations, translations, wantedLanguage } from "./texts.ts";

const path = "/api/v1/console/apps/:appId/faqs";

const entryPath = "/api/v1/console/faqs/:faqId";

const traits = { auth: "console", scope: "faqs:write", errors: ["not_found"] } as const;

const sortOrder = z
  .int()
  .check(
    z.minimum(limits.sortOrder.min, `must be at least ${limits.sortOrder.min}`),
    z.maximum(limits.sortOrder.max, `must be at most ${limits.sortOrder.max}`),
  );

/** The text of an entry in one language. */
const FaqText = z.object({ question: text(1, limits.question), answer: markdown(1, limits.answer) });

const GivenTranslations = givenTranslations(FaqText);

/** A new entry, with the limits of its fields. (rule C2) */
export const NewFaq = z.extend(FaqText, {
  /** The position in the list. A new entry without this field comes last. */
  sortOrder: z.optional(z.nullable(sortOrder)),
  translations: GivenTranslations,
});
export type NewFaq = z.output<typeof NewFaq>;

export const FaqChange = z.extend(z.partial(NewFaq), { sortOrder: z.optional(sortOrder) });
export type FaqChange = z.output<typeof FaqChange>;

/** An entry in the answer to a change. It has neither `createdAt` nor `updatedAt`. (rule C16) */
export const Faq = z.object({ id: uuid, question: z.string(), answer: z.string(), sortOrder: z.int() });
export type Faq = z.output<typeof Faq>;

/**
 * An entry as apps read it: only the fields of the base API, because some apps refuse unknown fields. (rules C16, C21)
 */
const PublishedFaq = z.extend(Faq, { createdAt: instant, updatedAt: instant });

const FaqTranslations = translations(
  z.object({
    ...{ question: z.string(), answer: z.string(), ...aboutTranslation },
    /** The hash of the translation from the last replacement of the whole list, or null. */
    pushedHash: z.nullable(z.string()),
  }),
);

/** An entry with the fields that `faq push` compares. */
export const ListedFaq = z.extend(PublishedFaq, {
  /**
   * The hash of the text from the last replacement of the whole list. Null if no replacement
   * contained the entry. (rule C21)
   */
  pushedHash: z.nullable(z.string()),
  pushedSortOrder: z.nullable(z.int()),
  translations: FaqTranslations,
});
export type ListedFaq = z.output<typeof ListedFaq>;

/** A FAQ entry in `FaqList`. An entry without `id` is created. With `id`, omitted fields keep their values. */
export const WantedFaq = z
  .object({
    id: z.optional(uuid),
    question: z.optional(text(1, limits.question)),
    answer: z.optional(markdown(1, limits.answer)),
    /** The position of the entry. The default for a new entry is its position in this list, from 1. */
    sortOrder: z.optional(z.nullable(sortOrder)),
    translations: GivenTranslations,
  })
  .check(
    z.superRefine(({ id, question, answer }, context) => {
      if (id !== undefined && question === undefined && answer === undefined) return;
      for (const [name, value] of Object.entries({ question, answer }))
        if (value === undefined) context.addIssue({ code: "custom", message: "is missing", path: [name] });
    }),
  );
export type WantedFaq = z.output<typeof WantedFaq>;

/** The whole FAQ of an app. */
export const FaqList = z.object({
  faqs: z
    .array(WantedFaq)
    .check(z.maxLength(limits.listedFaqs, `must have at most ${limits.listedFaqs} elements`)),
});

/** The common part of the two endpoints that replace the whole FAQ of an app. */
export const replacesFaqs = {
  method: "PUT",
  summary:
    "Replace the FAQ of the app: entries with an id are kept or changed, entries without an id are created, and missing entries are deleted",
  scope: "faqs:write",
  ifMatch: true,
  bodyBytes: limits.faqList,
  large: true,
  body: FaqList,
  /** An entry without translations has no field `translations`. */
  success: {
    status: 200,
    body: z.array(z.extend(ListedFaq, { translations: z.optional(FaqTranslations) })),
  },
} as const;

const PlainText = z.object({ question: z.string(), answer: z.string() });

const DraftTranslations = translations(z.nullable(PlainText));

/** An entry with its draft, the changed text that is not published yet. */
export const DraftedFaq = z.object({
  id: uuid,
  /** False if the entry is not published. In that case, `question` and `answer` are the texts of the draft. */
  published: z.boolean(),
  question: z.string(),
  answer: z.string(),
  /** Null for an entry that is not published. */
  sortOrder: z.nullable(z.int()),
  translations: FaqTranslations,
  draft: z.nullable(
    z.object({
      question: z.string(),
      answer: z.string(),
      /** The translations that the draft changes. Null means that the draft deletes the translation. */
      translations: DraftTranslations,
      updatedAt: instant,
      /** Whether the published text has changed since the draft was saved. If so, the draft cannot be published. */
      conflict: z.boolean(),
    }),
  ),
  createdAt: instant,
  updatedAt: instant,
});
export type DraftedFaq = z.output<typeof DraftedFaq>;

/** The text of a draft. Fields that are left out do not change. */
const FaqDraft = z.pick(FaqChange, { question: true, answer: true, translations: true });

const FaqVersion = z.object({
  id: uuid,
  question: z.string(),
  answer: z.string(),
  translations: translations(PlainText),
  /**
   * `at` is the time of publication. `by` is the address of the publisher; null for an app key or a deleted
   * account.
   */
  at: instant,
  by: z.nullable(z.string()),
  byName: z.nullable(z.string()),
});

/** The id of the earlier text to restore. */
export const RestoredVersion = z.object({ version: uuid });

export const faqParams = z.object({ faqId: uuid });

export const Success = z.object({ success: z.boolean() });

const exampleFaq = {
  id: faqId,
  question: "How do I export my recipes?",
  answer: "Open **Settings**, then *Export*.",
  sortOrder: 3,
};

const exampleListedFaq = {
  ...exampleFaq,
  createdAt: at,
  updatedAt: at,
  pushedHash: null,
  pushedSortOrder: null,
  translations: {},
};

export const consoleFaqs = {
  list: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path,
    summary: "List the FAQ entries of an app",
    large: true,
    params: appParams,
    success: { status: 200, body: z.array(ListedFaq) },
  }),
  create: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path,
    summary: "Create an FAQ entry",
    params: appParams,
    body: NewFaq,
    success: { status: 201, body: Faq },
    errors: ["not_found", "wrong_state"],
    example: { request: { question: "How do I export?", answer: "Open *Settings*." } },
  }),
  replace: endpoint({
    ...traits,
    role: "maintainer",
    ...replacesFaqs,
    path,
    params: appParams,
    errors: ["not_found", "wrong_state"],
    example: {
      request: {
        faqs: [{ id: faqId }, { question: "How do I export?", answer: "Open *Settings*." }],
      },
    },
  }),
  update: endpoint({
    ...traits,
    role: "maintainer",
    method: "PATCH",
    path: entryPath,
    summary: "Change an FAQ entry",
    params: faqParams,
    body: FaqChange,
    success: { status: 200, body: Faq },
    errors: ["not_found", "wrong_state"],
    example: { request: { sortOrder: 3 } },
  }),
  drafts: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path: `${path}/drafts`,
    summary: "List the FAQ entries that have unpublished text, the last changed first",
    large: true,
    params: appParams,
    success: { status: 200, body: z.array(DraftedFaq) },
  }),
  createDraft: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path: `${path}/drafts`,
    summary: "Create an FAQ entry as a draft, which apps do not get until it is published",
    params: appParams,
    body: z.pick(NewFaq, { question: true, answer: true, translations: true }),
    success: { status: 201, body: DraftedFaq },
    errors: ["not_found", "wrong_state"],
    example: { request: { question: "How do I export?", answer: "Open *Settings*." } },
  }),
  read: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path: entryPath,
    summary: "Read an FAQ entry with its draft",
    params: faqParams,
    success: { status: 200, body: DraftedFaq },
  }),
  saveDraft: endpoint({
    ...traits,
    role: "maintainer",
    method: "PUT",
    path: `${entryPath}/draft`,
    summary: "Save a draft of an FAQ entry; its published text does not change",
    params: faqParams,
    body: FaqDraft,
    success: { status: 200, body: DraftedFaq },
    errors: ["not_found", "wrong_state"],
    example: { request: { answer: "Open **Settings**." } },
  }),
  removeDraft: endpoint({
    ...traits,
    role: "maintainer",
    method: "DELETE",
    path: `${entryPath}/draft`,
    summary: "Discard the draft of a published FAQ entry",
    params: faqParams,
    success: { status: 200, body: DraftedFaq },
    errors: ["not_found", "wrong_state"],
  }),
  publish: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path: `${entryPath}/publish`,
    summary: "Publish the draft of an FAQ entry; a new entry comes last",
    params: faqParams,
    success: { status: 200, body: DraftedFaq },
    errors: ["not_found", "draft_conflict", "wrong_state"],
  }),
  history: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path: `${entryPath}/history`,
    summary: "List the earlier texts of an FAQ entry, newest first",
    large: true,
    params: faqParams,
    success: { status: 200, body: z.object({ items: z.array(FaqVersion) }) },
  }),
  restore: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path: `${entryPath}/restore`,
    summary: "Use an earlier text of an FAQ entry as its draft",
    params: faqParams,
    body: RestoredVersion,
    success: { status: 200, body: DraftedFaq },
    errors: ["not_found", "wrong_state"],
    example: { request: { version: faqId } },
  }),
  remove: endpoint({
    ...traits,
    role: "maintainer",
    method: "DELETE",
    path: entryPath,
    summary: "Delete an FAQ entry permanently",
    params: faqParams,
    success: { status: 200, body: Success },
  }),
} as const;

/** An entry of the list that apps read. */
const FaqAnswer = z.extend(PublishedFaq, {
  /** Only included if the query parameter `include` contains `push` or `translations`. */
  pushedHash: z.optional(ListedFaq.shape.pushedHash),
  pushedSortOrder: z.optional(ListedFaq.shape.pushedSortOrder),
  translations: z.optional(FaqTranslations),
  /** The language of the text. Null for the default language. Only included if the request has a language. */
  language: z.optional(z.nullable(z.string())),
});

export const faqs = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/faqs/remote",
    summary: "List the FAQ entries, ordered by sortOrder",
    large: true,
    auth: "appKey",
    query: z.object({
      include: z.optional(
        z.enum(["push", "translations"]).check(
          z.meta({
            description:
              "`push` adds the fields `pushedHash` and `pushedSortOrder` to each entry. `translations` adds these two and all translations.",
          }),
        ),
      ),
      lang: wantedLanguage,
    }),
    success: { status: 200, body: z.array(FaqAnswer) },
    errors: [],
    example: { answer: [exampleListedFaq] },
  }),
  replace: endpoint({
    ...replacesFaqs,
    path: "/api/v1/faqs/remote",
    auth: "appKey",
    errors: ["wrong_state"],
    rateLimit: "faqWrites",
    countsRefusals: true,
    example: {
      request: { faqs: [{ id: faqId }, { question: "Is it free?", answer: "Yes.", sortOrder: 4 }] },
      answer: [exampleListedFaq],
    },
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/faqs/remote",
    summary: "Create an FAQ entry",
    auth: "appKey",
    scope: "faqs:write",
    body: NewFaq,
    success: { status: 201, body: Faq },
    errors: ["wrong_state"],
    rateLimit: "faqWrites",
    countsRefusals: true,
    example: { request: { question: exampleFaq.question, answer: exampleFaq.answer }, answer: exampleFaq },
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/v1/faqs/remote/:faqId",
    summary: "Change an FAQ entry",
    auth: "appKey",
    scope: "faqs:write",
    params: faqParams,
    body: FaqChange,
    success: { status: 200, body: Faq },
    errors: ["not_found", "wrong_state"],
    rateLimit: "faqWrites",
    countsRefusals: true,
    example: { request: { sortOrder: 3 }, answer: exampleFaq },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/faqs/remote/:faqId",
    summary: "Delete an FAQ entry permanently",
    auth: "appKey",
    scope: "faqs:write",
    params: faqParams,
    success: { status: 200, body: Success },
    errors: ["not_found"],
    rateLimit: "faqWrites",
    countsRefusals: true,
    example: { answer: { success: true } },
  }),
} as const;
