import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/** An e-mail address, or a mail domain with its subdomains. The app does not show feedback from it. */
export const BlockedSender = z.object({
  id: uuid,
  kind: z.enum(["address", "domain"]),
  /** The normalised address, by which senders are compared. */
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

const path = "/api/v1/console/apps/:appId/blocked-senders";

export const blockedSenders = {
  list: endpoint({
    method: "GET",
    path,
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
    path,
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
    summary: "Unblock a sender, and show all that was hidden",
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
    summary: "List the newest 100 reports and answers of blocked senders, which are kept for 30 days",
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
    summary: "Show one hidden report or answer; its sender stays blocked",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: z.object({ hiddenId: uuid }),
    success: { status: 200, body: HiddenFeedback },
    errors: ["not_found"],
  }),
} as const;
