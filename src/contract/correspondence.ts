import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, openEnum, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

export const automaticMarks = ["auto_submitted", "precedence", "no_sender"] as const;

/** A mail that was not added to its thread, because a header says that a program wrote the mail. */
export const AutomaticMail = z.object({
  id: uuid,
  threadId: uuid,
  from: z.string(),
  subject: z.string(),
  /** The beginning of the text. */
  text: z.string(),
  /** The kind of header that shows that a program wrote the mail. */
  reason: openEnum(automaticMarks),
  createdAt: instant,
  /** The time at which the server deletes the mail. */
  keptUntil: instant,
});

export type AutomaticMail = z.output<typeof AutomaticMail>;

const mailParams = z.object({ mailId: uuid });

/** Incoming mails. Only people can read the original mails. Agents and tokens cannot. */
export const incomingMails = {
  listAutomatic: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/automatic-mails",
    summary: "List the newest 100 mails that programs seem to have written; these mails are kept for 30 days",
    auth: "console",
    role: "maintainer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(AutomaticMail) }) },
    errors: ["not_found"],
  }),
  take: endpoint({
    method: "POST",
    path: "/api/v1/console/automatic-mails/:mailId/take",
    summary: "Add a mail to its thread, although a program seemed to have written it",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: mailParams,
    success: { status: 200, body: z.object({ threadId: uuid, messageId: uuid }) },
    errors: ["not_found", "wrong_state"],
  }),
  original: endpoint({
    method: "GET",
    path: "/api/v1/console/mail-originals/:mailId",
    summary: "Download an original mail; it is kept for 30 days",
    auth: "session",
    role: "maintainer",
    params: mailParams,
    success: { status: 200, download: ["message/rfc822"] },
    errors: ["not_found"],
  }),
} as const;

/** The placeholders of a saved reply. `name` is the sender, `statusUrl` the sender's page. */
export const placeholders = ["name", "app", "statusUrl"] as const;

/** Returns the placeholders of a text that are not in `placeholders`, without duplicates. */
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
    `must not have placeholders other than ${placeholders.map((name) => `{${name}}`).join(", ")}`,
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

const savedReplyTitle = text(1, limits.savedReplyTitle);

const savedReplyParams = z.object({ savedReplyId: uuid });

const savedRepliesPath = "/api/v1/console/apps/:appId/saved-replies";

const savedReplyPath = "/api/v1/console/saved-replies/:savedReplyId";

export const savedReplies = {
  list: endpoint({
    method: "GET",
    path: savedRepliesPath,
    summary: "List the saved replies of an app, sorted by title",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(SavedReply) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: savedRepliesPath,
    summary: "Save a reply for later use",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({ title: savedReplyTitle, body: SavedReplyText }),
    success: { status: 201, body: SavedReply },
    errors: ["not_found", "wrong_state"],
    example: { request: { title: "Thanks", body: "Thank you, {name}! See {statusUrl}." } },
  }),
  update: endpoint({
    method: "PATCH",
    path: savedReplyPath,
    summary: "Change a saved reply",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: savedReplyParams,
    body: z.object({ title: z.optional(savedReplyTitle), body: z.optional(SavedReplyText) }),
    success: { status: 200, body: SavedReply },
    errors: ["not_found"],
    example: { request: { title: "Many thanks" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: savedReplyPath,
    summary: "Delete a saved reply",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: savedReplyParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;

/**
 * A blocked e-mail address, or a blocked mail domain with its subdomains. The app hides feedback of blocked
 * senders.
 */
export const BlockedSender = z.object({
  id: uuid,
  kind: z.enum(["address", "domain"]),
  /** The normalised address or domain with which the server compares senders. */
  sender: z.string(),
  /** The e-mail address of the member who blocked the sender. */
  blockedBy: z.nullable(z.string()),
  blockedByName: z.nullable(z.string()),
  createdAt: instant,
});

export type BlockedSender = z.output<typeof BlockedSender>;

/** A report, a repeated report or an answer that is hidden because its sender is blocked. */
export const HiddenFeedback = z.object({
  id: uuid,
  threadId: uuid,
  senderName: z.nullable(z.string()),
  senderEmail: z.nullable(z.string()),
  /** The beginning of the text. */
  text: z.string(),
  createdAt: instant,
});

export type HiddenFeedback = z.output<typeof HiddenFeedback>;

const blockedSendersPath = "/api/v1/console/apps/:appId/blocked-senders";

export const blockedSenders = {
  list: endpoint({
    method: "GET",
    path: blockedSendersPath,
    summary: "List the senders whose feedback the app does not show",
    auth: "console",
    role: "maintainer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(BlockedSender) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: blockedSendersPath,
    summary: "Hide all further feedback from an e-mail address; an owner can also block a mail domain",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({ kind: z.enum(["address", "domain"]), sender: text(1, limits.email) }),
    success: { status: 201, body: BlockedSender },
    errors: ["not_found", "wrong_state"],
    example: { request: { kind: "address", sender: "eve@example.org" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/blocked-senders/:blockedSenderId",
    summary: "Unblock a sender, and show the feedback that was hidden",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: z.object({ blockedSenderId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
  listHidden: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/hidden-feedback",
    summary: "List the newest 100 reports and answers of blocked senders; they are kept for 30 days",
    auth: "console",
    role: "maintainer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(HiddenFeedback) }) },
    errors: ["not_found"],
  }),
  release: endpoint({
    method: "POST",
    path: "/api/v1/console/hidden-feedback/:hiddenId/release",
    summary: "Make one hidden report or answer visible; its sender stays blocked",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: z.object({ hiddenId: uuid }),
    success: { status: 200, body: HiddenFeedback },
    errors: ["not_found"],
  }),
} as const;
