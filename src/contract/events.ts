import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { appId, at, threadId } from "./example-values.ts";
import { anyObject, instant, openEnum, pageLimit, queryInteger, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/** The types of events in an app that the server reports to other programs. (rule O25) */
export const eventTypes = [
  "feedback.created",
  "feedback.repeated",
  "feedback.replied",
  "feedback.changed",
  "run.proposed",
  "run.decided",
  "run.claimed",
  "run.finished",
  "faq.changed",
  "changelog.published",
  "seat.requested",
  "seat.filled",
  "seat.at_risk",
  "seat.removed",
  "day.counted",
  "cycle.started",
  "cycle.completed",
] as const;
export type EventType = (typeof eventTypes)[number];

/**
 * An event of an app. `data` has ids, states and links. A webhook gets the id in a header, and the rest as its body.
 */
export const AppEvent = z.object({
  id: uuid,
  type: openEnum(eventTypes),
  timestamp: instant,
  data: anyObject,
});
export type AppEvent = z.output<typeof AppEvent>;

export const events = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/events",
    summary: "List what happened in an app, oldest first; with `wait`, waits for the next event",
    auth: "console",
    role: "viewer",
    scope: "events:read",
    params: appParams,
    query: z.object({
      /** The `next` of an earlier answer, or a time. Without it, only events from now on are found. */
      since: z.optional(text(1, limits.eventsPosition)),
      /** The seconds to wait for an event if there is none. */
      wait: z.optional(queryInteger(0, limits.waitSeconds)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(AppEvent),
        /** The position after these events. It is the `since` of the next request. */
        next: z.string(),
      }),
    },
    errors: ["not_found"],
    rateLimit: "events",
    example: {
      answer: {
        items: [
          {
            id: "0198c1a4-5d88-7e65-8fc0-7b8c9daebfcc",
            type: "feedback.created",
            timestamp: at,
            data: {
              ...{ appId, feedbackId: threadId, type: "bug" },
              url: `http://127.0.0.1:4700/console/feedback/${appId}/${threadId}`,
            },
          },
        ],
        next: "NTk0",
      },
    },
  }),
} as const;
