import * as z from "zod/mini";
import { Message, Proposal, Thread, threadParams, threadStatuses } from "../agent.ts";
import { endpoint } from "../endpoint.ts";
import { FeedbackType } from "../feedback.ts";
import { givenInstant, instant, queryInteger, text, uuid, webUrl } from "../fields.ts";
import { limits } from "../limits.ts";
import { appParams } from "./apps.ts";

export const ThreadStatus = z.enum(threadStatuses);
export type ThreadStatus = z.output<typeof ThreadStatus>;

/** A thread in the list of the inbox. */
export const ThreadSummary = z.object({
  id: uuid,
  appId: uuid,
  subject: z.string(),
  category: z.string(),
  status: ThreadStatus,
  senderName: z.nullable(z.string()),
  senderEmail: z.nullable(z.string()),
  source: z.nullable(z.string()),
  occurrences: z.int(),
  proposalStatus: z.nullable(z.string()),
  createdAt: instant,
});
export type ThreadSummary = z.output<typeof ThreadSummary>;

const Sender = z.object({ name: z.nullable(z.string()), email: z.nullable(z.string()) });

/** A message with its sender, if it repeats the report. */
export const OwnedMessage = z.extend(Message, { sender: z.optional(Sender) });
export type OwnedMessage = z.output<typeof OwnedMessage>;

/** The thread as an agent reads it, with the fields that only its owner may read. */
export const OwnedThread = z.extend(Thread, {
  sender: Sender,
  messages: z.array(OwnedMessage),
  proposals: z.array(Proposal),
});
export type OwnedThread = z.output<typeof OwnedThread>;

const changes = z.object({
  status: z.optional(ThreadStatus),
  category: z.optional(FeedbackType),
  subject: z.optional(text(1, limits.subject)),
  githubIssueUrl: z.optional(z.nullable(webUrl(limits.url))),
});
export type ThreadChange = z.output<typeof changes>;

const filters = z.object({
  status: z.optional(ThreadStatus),
  type: z.optional(FeedbackType),
  q: z.optional(text(1, 200)),
  from: z.optional(givenInstant),
  to: z.optional(givenInstant),
  cursor: z.optional(text(1, 500)),
  limit: z.optional(queryInteger(1, limits.listPage.max)),
});
export type ThreadFilters = z.output<typeof filters>;

const path = "/api/v1/console/feedback/:id";

export const threads = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/feedback",
    summary: "List, filter and search the feedback of an app, newest first",
    auth: "console",
    scope: "feedback:read",
    params: appParams,
    query: filters,
    success: {
      status: 200,
      body: z.object({ items: z.array(ThreadSummary), nextCursor: z.nullable(z.string()) }),
    },
    errors: ["not_found"],
  }),
  read: endpoint({
    method: "GET",
    path,
    summary: "Read a thread with its sender and all its proposals",
    large: true,
    auth: "console",
    scope: "feedback:read",
    params: threadParams,
    success: { status: 200, body: OwnedThread },
    errors: ["not_found"],
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change a thread's status, category, subject or linked issue",
    auth: "console",
    scope: "feedback:write",
    params: threadParams,
    body: changes,
    success: { status: 200, body: OwnedThread },
    errors: ["not_found"],
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete a thread and its files permanently",
    auth: "console",
    scope: "feedback:write",
    params: threadParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
  addMessage: endpoint({
    method: "POST",
    path: "/api/v1/console/feedback/:id/messages",
    summary: "Add an internal note, or a reply to the sender",
    auth: "console",
    scope: "feedback:write",
    params: threadParams,
    body: z.object({ direction: z.enum(["note", "outbound"]), body: text(1, limits.message) }),
    success: { status: 201, body: Message },
    errors: ["not_found"],
  }),
} as const;
