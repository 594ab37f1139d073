import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { givenInstant, instant, openEnum, uuid } from "./fields.ts";

/**
 * The kinds of changes. `everything` means that events were missed, or that there were too many for separate events.
 */
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

/**
 * An event. It says what has changed, but does not contain the new data. A client requests the data if it may read it.
 * (rule F70)
 */
export const LiveEvent = z.object({
  kind: openEnum(liveKinds),
  /** The app in which something has changed. Not set for `everything`. */
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
      /** When the client read its data. Changes since then are sent first, unless `Last-Event-ID` is set. */
      since: z.optional(givenInstant),
    }),
    success: { status: 200, events: LiveEvent },
    errors: ["rate_limited"],
  }),
} as const;
