import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { faqId } from "./example-values.ts";
import { text, uuid } from "./fields.ts";
import { normalised } from "./json.ts";
import { limits } from "./limits.ts";

export const tagColours = ["grey", "red", "orange", "yellow", "green", "blue", "purple", "pink"] as const;
const Colour = z.enum(tagColours);
export type TagColour = z.output<typeof Colour>;

/** Matches the characters that a tag cannot contain: invisible characters and the comma, which separates tags. */
const refused = /[\p{Cc}\p{Co}\p{Zl}\p{Zp},]|(?!\u200C|\u200D|\uFE0E|\uFE0F)[\p{Cf}\p{DI}]/u;
const visible = /(?!\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/** The name of a tag, in the Unicode form NFC and with single spaces between words. (rule F30) */
export const TagName = z.pipe(
  z.string(),
  z.pipe(
    z.transform((given: string) => normalised(given, "NFC").replace(/\s+/gu, " ")),
    text(1, limits.tagName).check(
      z.refine((name) => !refused.test(name), "must not contain commas or invisible characters"),
      z.refine((name) => visible.test(name), "must contain a visible character"),
    ),
  ),
);

/** A tag as a field of a thread. */
export const ThreadTag = z.object({ id: uuid, name: z.string(), colour: z.nullable(z.string()) });
export type ThreadTag = z.output<typeof ThreadTag>;

/** A tag of an app, and how many threads have it. */
export const Tag = z.extend(ThreadTag, { threads: z.int() });
export type Tag = z.output<typeof Tag>;

const colour = z.optional(z.nullable(Colour));
const tagParams = z.object({ tagId: uuid });
const appPath = "/api/v1/console/apps/:appId/tags";
const path = "/api/v1/console/tags/:tagId";

export const tags = {
  list: endpoint({
    method: "GET",
    path: appPath,
    summary: "List the tags of an app by name",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(Tag) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: appPath,
    summary: "Create a tag",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({ name: TagName, colour }),
    success: { status: 201, body: Tag },
    errors: ["not_found", "tag_exists", "wrong_state"],
    example: { request: { name: "crash", colour: "red" } },
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change the name or the colour of a tag",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: tagParams,
    body: z.object({ name: z.optional(TagName), colour }),
    success: { status: 200, body: Tag },
    errors: ["not_found", "tag_exists"],
    example: { request: { name: "crashes" } },
  }),
  merge: endpoint({
    method: "POST",
    path: `${path}/merge`,
    summary: "Move all threads of a tag to another tag, and delete the first tag",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: tagParams,
    body: z.object({ into: uuid }),
    success: { status: 200, body: Tag },
    errors: ["not_found"],
    example: { request: { into: faqId } },
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete a tag; the threads stay",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: tagParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
