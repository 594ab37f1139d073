import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { givenInstant, instant, openEnum, uuid } from "./fields.ts";

/** What has changed. `everything`: events were missed, or too much has changed to name it. */
export const liveKinds = [
  "thread",
  "answering",
  "proposal",
  "testing",
  "content",
  "app",
  "everything",
] as const;
export type LiveKind = (typeof liveKinds)[number];

/** An event: it says what has changed, never what it is now. A client reads that where it may. (rule F70) */
export const LiveEvent = z.object({
  kind: openEnum(liveKinds),
  /** The app in which it changed. Not set for `everything`. */
  appId: z.optional(uuid),
  /** Set for `thread`, `answering` and `proposal`. */
  threadId: z.optional(uuid),
  at: instant,
});

export const live = {
  follow: endpoint({
    method: "GET",
    path: "/api/v1/console/live",
    summary: "Receive an event for each change in the apps that you may see",
    auth: "session",
    role: "viewer",
    query: z.object({
      /** When the client read what it shows. Changes since then are sent first, unless `Last-Event-ID` says more. */
      since: z.optional(givenInstant),
    }),
    success: { status: 200, events: LiveEvent },
    errors: ["rate_limited"],
  }),
} as const;
