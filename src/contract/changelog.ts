import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { at } from "./example-values.ts";
import { RestoredVersion, Success } from "./faqs.ts";
import { givenInstant, instant, markdown, pageLimit, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { aboutTranslation, givenTranslations, translations, wantedLanguage } from "./texts.ts";

const path = "/api/v1/console/apps/:appId/changelog";

const entryPath = "/api/v1/console/changelog/:entryId";

const entryParams = z.object({ entryId: uuid });

const traits = { auth: "console", scope: "changelog:write", errors: ["not_found"] } as const;

export const ReleaseType = z.enum(["major", "minor", "patch"]);
export type ReleaseType = z.output<typeof ReleaseType>;

export const BodyFormat = z.enum(["markdown", "items"]);

/** The types of items that a release note may have. (rule C13) */
export const itemTypes = ["added", "changed", "deprecated", "removed", "fixed", "security"] as const;

export const version = text(1, limits.version);

/** The list of changes in a release note. */
const Items = z
  .array(z.object({ type: z.enum(itemTypes), text: text(1, limits.changelogItem) }))
  .check(z.maxLength(limits.changelogItems, `must have at most ${limits.changelogItems} elements`));

/** The text of a release note in another language. */
const GivenTranslation = z.object({
  title: text(1, limits.changelogTitle),
  body: z.optional(markdown(0, limits.changelogBody)),
  items: z.optional(Items),
});

/** A new release note in a request. (rule C15) */
export const NewChangelogEntry = z.object({
  title: text(1, limits.changelogTitle),
  version,
  versions: z.optional(
    z
      .array(z.object({ platform: text(1, limits.platform), version }))
      .check(z.maxLength(limits.platformVersions, `must have at most ${limits.platformVersions} elements`)),
  ),
  releaseType: z.optional(ReleaseType),
  bodyFormat: z.optional(BodyFormat),
  body: z.optional(markdown(0, limits.changelogBody)),
  items: z.optional(Items),
  translations: givenTranslations(GivenTranslation),
  publishedAt: z.optional(z.nullable(givenInstant)),
  publish: z.optional(
    z.boolean().check(
      z.meta({
        description:
          "Publish the entry now, by the server's clock. An entry that is already published keeps its date.",
      }),
    ),
  ),
  allowDuplicate: z.optional(
    z
      .boolean()
      .check(
        z.meta({ description: "Accept the entry even if the app already has an entry with this version." }),
      ),
  ),
});
export type NewChangelogEntry = z.output<typeof NewChangelogEntry>;

export const ChangelogChange = z.partial(NewChangelogEntry);
export type ChangelogChange = z.output<typeof ChangelogChange>;

/**
 * A change of a release note. The threads in `fixes` are added to the threads that the text already names.
 * (rule C32)
 */
const ChangelogUpdate = z.extend(ChangelogChange, {
  fixes: z.optional(
    z.array(uuid).check(
      z.maxLength(limits.changelogFeedback, `must have at most ${limits.changelogFeedback} elements`),
      z.meta({
        description: "Threads to add to those that the text of the release note already names",
      }),
    ),
  ),
});

/** A release note that a program imports. The server finds an existing note by its version. */
export const ReleaseImport = z.extend(z.omit(ChangelogChange, { version: true, allowDuplicate: true }), {
  overwrite: z.optional(
    z
      .boolean()
      .check(
        z.meta({ description: "Also overwrite the fields that a person has written since the last import." }),
      ),
  ),
});
export type ReleaseImport = z.output<typeof ReleaseImport>;

/** A release note as apps read it. Later versions may add item types, so a reader must accept unknown types. */
export const ChangelogEntry = z.object({
  id: uuid,
  title: z.string(),
  version: z.string(),
  versions: z.array(z.object({ platform: z.string(), version: z.string() })),
  releaseType: ReleaseType,
  bodyFormat: BodyFormat,
  body: z.string(),
  items: z.array(z.object({ type: z.string(), text: z.string() })),
  publishedAt: instant,
});
export type ChangelogEntry = z.output<typeof ChangelogEntry>;

/** The fields of a release note that an import can change. */
const importedField = z.enum([
  "title",
  "versions",
  "releaseType",
  "bodyFormat",
  "body",
  "items",
  "publishedAt",
  "translations",
]);

/** The fields that a draft of a published release note can change. */
const ReleaseDraft = z.pick(NewChangelogEntry, {
  ...{ title: true, version: true, versions: true, releaseType: true },
  ...{ bodyFormat: true, body: true, items: true, translations: true },
});
export type ReleaseDraft = z.output<typeof ReleaseDraft>;

const ReleaseContent = z.omit(ChangelogEntry, { id: true, publishedAt: true });
export type ReleaseContent = z.output<typeof ReleaseContent>;

const ReleaseTranslation = z.pick(ReleaseContent, { title: true, body: true, items: true });
export type ReleaseTranslation = z.output<typeof ReleaseTranslation>;

/** A release note as maintainers read it. A draft has no `publishedAt`. */
export const EditedChangelogEntry = z.extend(ChangelogEntry, {
  publishedAt: z.nullable(instant),
  /** The threads whose ids are in the text (rule C17). */
  feedbackIds: z.array(uuid),
  /** The fields that a person has written since the last import (rule C11). */
  editedFields: z.array(importedField),
  createdAt: instant,
  updatedAt: instant,
  translations: translations(z.extend(ReleaseTranslation, aboutTranslation)),
  /** The changed text that is not published yet; null if there is none. */
  draft: z.nullable(
    z.extend(ReleaseContent, {
      /** The translations that the draft changes. Null means that the draft deletes the translation. */
      translations: translations(z.nullable(ReleaseTranslation)),
      updatedAt: instant,
      /** Whether the published text has changed since the draft was saved. If so, the draft cannot be published. */
      conflict: z.boolean(),
    }),
  ),
});
export type EditedChangelogEntry = z.output<typeof EditedChangelogEntry>;

const ReleaseVersion = z.extend(ReleaseContent, {
  id: uuid,
  translations: translations(ReleaseTranslation),
  /** `at` is the time when the text was saved. `by` is its writer; null if the account was deleted. */
  at: instant,
  by: z.nullable(z.string()),
  byName: z.nullable(z.string()),
});

/** The result of an import. */
export const ImportedChangelogEntry = z.extend(EditedChangelogEntry, {
  created: z.boolean(),
  changedFields: z.array(importedField),
  /** The fields that the import did not change, because a person had written them. */
  keptFields: z.array(importedField),
});
export type ImportedChangelogEntry = z.output<typeof ImportedChangelogEntry>;

const exampleEntry = {
  id: "0198c1a3-5d88-7e65-8fc0-7b8c9daebfcc",
  title: "Faster search",
  version: "2.4.0",
  versions: [{ platform: "android", version: "2.4.0 (240)" }],
  releaseType: "minor",
  bodyFormat: "items",
  body: "",
  items: [{ type: "added", text: "Search finds ingredients" }],
  publishedAt: at,
};

const exampleNote = {
  title: "Faster search",
  versions: [{ platform: "android", version: "2.4.0 (240)" }],
  releaseType: "minor",
  bodyFormat: "items",
  items: [{ type: "added", text: "Search finds ingredients" }],
  publish: true,
};

export const consoleChangelog = {
  list: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path,
    summary: "List the release notes of an app: first the drafts, then the published notes, newest first",
    large: true,
    params: appParams,
    query: z.object({
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
      q: z.optional(
        text(1, limits.contentSearch).check(
          z.meta({
            description:
              "Words that a note must contain in its texts, its draft or its versions. A page can have fewer notes than `limit` although more pages follow.",
          }),
        ),
      ),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(EditedChangelogEntry), nextCursor: z.nullable(z.string()) }),
    },
  }),
  create: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path,
    summary: "Write a release note; it is a draft unless `publish` or `publishedAt` is given",
    params: appParams,
    body: NewChangelogEntry,
    success: { status: 201, body: EditedChangelogEntry },
    errors: ["not_found", "version_exists"],
    example: { request: { ...exampleNote, version: "2.4.0" } },
  }),
  put: endpoint({
    ...traits,
    role: "maintainer",
    method: "PUT",
    path: `${path}/by-version/:version`,
    summary: "Create or change the release note of a version; the fields that a person wrote do not change",
    params: z.extend(appParams, { version }),
    body: ReleaseImport,
    success: { status: 200, body: ImportedChangelogEntry },
    errors: ["not_found", "version_exists"],
    example: { request: exampleNote },
  }),
  read: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path: entryPath,
    summary: "Read a release note",
    params: entryParams,
    success: { status: 200, body: EditedChangelogEntry },
  }),
  update: endpoint({
    ...traits,
    role: "maintainer",
    method: "PATCH",
    path: entryPath,
    summary: "Change a release note",
    params: entryParams,
    body: ChangelogUpdate,
    success: { status: 200, body: EditedChangelogEntry },
    errors: ["not_found", "version_exists"],
    example: { request: { title: "Faster search" } },
  }),
  publish: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path: `${entryPath}/publish`,
    summary: "Publish a release note now, with the text of its draft; a published note keeps its date",
    params: entryParams,
    success: { status: 200, body: EditedChangelogEntry },
    errors: ["not_found", "version_exists", "draft_conflict"],
  }),
  saveDraft: endpoint({
    ...traits,
    role: "maintainer",
    method: "PUT",
    path: `${entryPath}/draft`,
    summary: "Save a draft of a published release note; its published text does not change",
    params: entryParams,
    body: z.partial(ReleaseDraft),
    success: { status: 200, body: EditedChangelogEntry },
    errors: ["not_found", "wrong_state"],
    example: { request: { title: "Faster search" } },
  }),
  removeDraft: endpoint({
    ...traits,
    role: "maintainer",
    method: "DELETE",
    path: `${entryPath}/draft`,
    summary: "Discard the draft of a published release note",
    params: entryParams,
    success: { status: 200, body: EditedChangelogEntry },
  }),
  history: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path: `${entryPath}/history`,
    summary: "List the earlier texts of a release note, newest first",
    large: true,
    params: entryParams,
    success: { status: 200, body: z.object({ items: z.array(ReleaseVersion) }) },
  }),
  restore: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path: `${entryPath}/restore`,
    summary:
      "Restore an earlier text of a release note; if the note is published, the text becomes its draft",
    params: entryParams,
    body: RestoredVersion,
    success: { status: 200, body: EditedChangelogEntry },
    example: { request: { version: "0198c1a3-5d88-7e65-8fc0-7b8c9daebfcc" } },
  }),
  remove: endpoint({
    ...traits,
    role: "maintainer",
    method: "DELETE",
    path: entryPath,
    summary: "Delete a release note permanently",
    params: entryParams,
    success: { status: 200, body: Success },
  }),
} as const;

/** A release note as an app reads it, in one language. */
const ReadChangelogEntry = z.extend(ChangelogEntry, {
  /** The language of the text. Null for the default language. Only included if the request has a language. */
  language: z.optional(z.nullable(z.string())),
});

export const changelog = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/changelog/remote",
    summary: "List the published release notes, newest first",
    large: true,
    auth: "appKey",
    query: z.object({
      since: z.optional(
        z.string().check(
          z.meta({
            description:
              "The version of the app that the user has. The answer has the entries that were published after that version, and the entries with a greater version.",
          }),
        ),
      ),
      limit: pageLimit(limits.changelogPage),
      lang: wantedLanguage,
    }),
    success: { status: 200, body: z.object({ entries: z.array(ReadChangelogEntry) }) },
    errors: ["changelog_disabled"],
    example: { answer: { entries: [exampleEntry] } },
  }),
} as const;
