import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/**
 * The placeholders of a saved reply: the name of the sender, the name of the app, and the link to the sender's page.
 */
export const placeholders = ["name", "app", "statusUrl"] as const;

/** Returns the placeholders of a text that have no value, without duplicates. */
export const unknownPlaceholders = (body: string): string[] => [
  ...new Set(
    [...body.matchAll(/\{([a-z]\w*)\}/giu)]
      .map(([, name = ""]) => name)
      .filter((name) => !placeholders.some((known) => known === name)),
  ),
];

const SavedReplyText = text(1, limits.message).check(
  z.refine(
    (body) => unknownPlaceholders(body).length === 0,
    `must have no other placeholders than ${placeholders.map((name) => `{${name}}`).join(", ")}`,
  ),
);

/** A text that a team uses in many replies. */
export const SavedReply = z.object({
  id: uuid,
  title: z.string(),
  body: z.string(),
  createdAt: instant,
  updatedAt: instant,
});
export type SavedReply = z.output<typeof SavedReply>;

const title = text(1, limits.savedReplyTitle);
const params = z.object({ savedReplyId: uuid });
const appPath = "/api/v1/console/apps/:appId/saved-replies";
const path = "/api/v1/console/saved-replies/:savedReplyId";

export const savedReplies = {
  list: endpoint({
    method: "GET",
    path: appPath,
    summary: "List the saved replies of an app by title",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(SavedReply) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: appPath,
    summary: "Save a reply for later use",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({ title, body: SavedReplyText }),
    success: { status: 201, body: SavedReply },
    errors: ["not_found", "wrong_state"],
    example: { request: { title: "Thanks", body: "Thank you, {name}! See {statusUrl}." } },
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change a saved reply",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params,
    body: z.object({ title: z.optional(title), body: z.optional(SavedReplyText) }),
    success: { status: 200, body: SavedReply },
    errors: ["not_found"],
    example: { request: { title: "Many thanks" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete a saved reply",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
