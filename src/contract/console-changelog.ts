import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import {
  ChangelogChange,
  EditedChangelogEntry,
  ImportedChangelogEntry,
  NewChangelogEntry,
  ReleaseImport,
  version,
} from "./changelog.ts";
import { endpoint } from "./endpoint.ts";
import { Success } from "./faqs.ts";
import { pageLimit, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

const path = "/api/v1/console/apps/:appId/changelog";
const entryPath = "/api/v1/console/changelog/:entryId";
const entryParams = z.object({ entryId: uuid });
const traits = { auth: "console", scope: "changelog:write", errors: ["not_found"] } as const;

export const consoleChangelog = {
  list: endpoint({
    ...traits,
    role: "viewer",
    method: "GET",
    path,
    summary: "List the release notes of an app, drafts first, then newest first",
    large: true,
    params: appParams,
    query: z.object({
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
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
    summary: "Write a release note; a draft unless `publish` or `publishedAt` is given",
    params: appParams,
    body: NewChangelogEntry,
    success: { status: 201, body: EditedChangelogEntry },
    errors: ["not_found", "version_exists"],
  }),
  put: endpoint({
    ...traits,
    role: "maintainer",
    method: "PUT",
    path: `${path}/by-version/:version`,
    summary: "Write or change the release note of a version; keeps what a person wrote",
    params: z.extend(appParams, { version }),
    body: ReleaseImport,
    success: { status: 200, body: ImportedChangelogEntry },
    errors: ["not_found", "version_exists"],
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
    body: ChangelogChange,
    success: { status: 200, body: EditedChangelogEntry },
    errors: ["not_found", "version_exists"],
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
  publish: endpoint({
    ...traits,
    role: "maintainer",
    method: "POST",
    path: `${entryPath}/publish`,
    summary: "Publish a release note now; a published one keeps its date",
    params: entryParams,
    success: { status: 200, body: EditedChangelogEntry },
  }),
} as const;
