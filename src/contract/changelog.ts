import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { givenInstant, instant, pageLimit, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

export const ReleaseType = z.enum(["major", "minor", "patch"]);
export type ReleaseType = z.output<typeof ReleaseType>;
export const BodyFormat = z.enum(["markdown", "items"]);
export const itemTypes = ["added", "changed", "deprecated", "removed", "fixed", "security"] as const;

export const version = text(1, limits.version);

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
  body: z.optional(text(0, limits.changelogBody)),
  items: z.optional(
    z
      .array(z.object({ type: z.enum(itemTypes), text: text(1, limits.changelogItem) }))
      .check(z.maxLength(limits.changelogItems, `must have at most ${limits.changelogItems} elements`)),
  ),
  publishedAt: z.optional(z.nullable(givenInstant)),
  publish: z.optional(
    z.boolean().check(
      z.meta({
        description: "Publish it now, by the server's clock. An entry that is published keeps its instant.",
      }),
    ),
  ),
  allowDuplicate: z.optional(
    z.boolean().check(z.meta({ description: "Take it also where the app has an entry of this version." })),
  ),
});
export type NewChangelogEntry = z.output<typeof NewChangelogEntry>;

export const ChangelogChange = z.partial(NewChangelogEntry);
export type ChangelogChange = z.output<typeof ChangelogChange>;

/** A release note that a program imports, usually many times. It is found by its version. */
export const ReleaseImport = z.extend(z.omit(ChangelogChange, { version: true, allowDuplicate: true }), {
  overwrite: z.optional(
    z.boolean().check(z.meta({ description: "Also overwrite what a person wrote since the last import." })),
  ),
});
export type ReleaseImport = z.output<typeof ReleaseImport>;

/** A release note as apps read it. Item types are open: a reader must accept unknown ones. */
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
]);

/** A release note as its maintainer reads it. A draft has no `publishedAt`. */
export const EditedChangelogEntry = z.extend(ChangelogEntry, {
  publishedAt: z.nullable(instant),
  /** The threads that the text names (rule C17). */
  feedbackIds: z.array(uuid),
  /** The fields that a person has written since the last import (rule C11). */
  editedFields: z.array(importedField),
  createdAt: instant,
  updatedAt: instant,
});
export type EditedChangelogEntry = z.output<typeof EditedChangelogEntry>;

/** The result of an import. */
export const ImportedChangelogEntry = z.extend(EditedChangelogEntry, {
  created: z.boolean(),
  changedFields: z.array(importedField),
  /** The fields that a person had written and the import did not change. */
  keptFields: z.array(importedField),
});
export type ImportedChangelogEntry = z.output<typeof ImportedChangelogEntry>;

export const changelog = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/changelog/remote",
    summary: "List the published release notes, newest first",
    large: true,
    auth: "appKey",
    ready: true,
    query: z.object({
      since: z.optional(
        z.string().check(
          z.meta({
            description:
              "The version that the user has. The answer holds what was published after it, and what is greater.",
          }),
        ),
      ),
      limit: pageLimit(limits.changelogPage),
    }),
    success: { status: 200, body: z.object({ entries: z.array(ChangelogEntry) }) },
    errors: ["changelog_disabled"],
  }),
} as const;
