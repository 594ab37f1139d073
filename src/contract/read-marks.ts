import * as z from "zod/mini";
import { threadParams } from "./agent.ts";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { FeedbackType } from "./feedback.ts";
import { givenInstant } from "./fields.ts";
import { ThreadStatus } from "./threads.ts";

/** What the caller's account has read. Nobody else sees it. (rules F50, F52) */
export const readMarks = {
  update: endpoint({
    method: "PUT",
    path: "/api/v1/console/feedback/:id/read",
    summary: "Mark a thread as read or as unread, for the own account",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: threadParams,
    body: z.object({ read: z.boolean() }),
    success: { status: 200, body: z.object({ unread: z.boolean() }) },
    errors: ["not_found"],
  }),
  updateAll: endpoint({
    method: "PUT",
    path: "/api/v1/console/apps/:appId/feedback/read",
    summary: "Mark all threads with a status and a type as read, for the own account",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({
      status: z.optional(ThreadStatus),
      type: z.optional(FeedbackType),
      /** What happened later stays unread, such as what a page did not show yet. */
      until: z.optional(givenInstant),
    }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
