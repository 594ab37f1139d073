import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { appId, at, threadId } from "./example-values.ts";
import {
  anyObject,
  givenInstant,
  instant,
  openEnum,
  pageLimit,
  queryInteger,
  text,
  uuid,
  webUrl,
} from "./fields.ts";
import { limits } from "./limits.ts";

/**
 * Why a webhook is off. With `person`, a person switched it off. With `gone`, its receiver answered with status
 * 410.
 */
const webhookEnds = ["person", "gone"] as const;

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

/** A webhook of an app: an address that gets the events of the app. */
export const Webhook = z.object({
  id: uuid,
  url: z.string(),
  /** The types of events that the webhook gets. Null means all types, including types of later versions. */
  events: z.nullable(z.array(openEnum(eventTypes))),
  /** Whether the events also contain texts, such as the message of a report. */
  texts: z.boolean(),
  createdAt: instant,
  /** When the webhook was switched off; null while it is on. */
  disabledAt: z.nullable(instant),
  disabledBecause: z.nullable(openEnum(webhookEnds)),
  /** The time until which events are also signed with the previous secret. */
  oldSecretUntil: z.nullable(instant),
  /** The number of deliveries that wait, at most 99. */
  waiting: z.int(),
  /** The state of the last delivery that ended; null if no delivery has ended yet. */
  lastStatus: z.nullable(openEnum(["delivered", "failed"])),
});

export type Webhook = z.output<typeof Webhook>;

/** One attempt to deliver an event. */
export const DeliveryAttempt = z.object({
  at: instant,
  /** The HTTP status of the answer; null if there was no answer. */
  status: z.nullable(z.int()),
  /** Why there was no answer; null if the receiver answered. */
  error: z.nullable(z.string()),
  /** The beginning of the answer; null if there was no answer. */
  answer: z.nullable(z.string()),
  milliseconds: z.int(),
});

export type DeliveryAttempt = z.output<typeof DeliveryAttempt>;

const deliveryStates = ["waiting", "delivered", "failed"] as const;

export type DeliveryState = (typeof deliveryStates)[number];

/** The delivery of an event to a webhook. Here, `id` is the event's id, which is in the header `webhook-id`. */
export const Delivery = z.object({
  id: uuid,
  type: openEnum([...eventTypes, "webhook.test"]),
  eventAt: instant,
  status: openEnum(deliveryStates),
  /** The time of the next attempt; null if there are no more attempts. */
  nextAt: z.nullable(instant),
  /** The attempts, oldest first. Only the newest attempts are kept. */
  attempts: z.array(DeliveryAttempt),
});

export type Delivery = z.output<typeof Delivery>;

/** A webhook with its new secret, which no other answer contains. */
const WebhookSecret = z.object({ id: uuid, secret: z.string(), oldSecretUntil: z.nullable(instant) });

const chosenEvents = z.array(z.enum(eventTypes)).check(z.minLength(1), z.maxLength(eventTypes.length));

const hookParams = z.extend(appParams, { webhookId: uuid });

const webhooksPath = "/api/v1/console/apps/:appId/webhooks";

const webhookPath = `${webhooksPath}/:webhookId`;

const hookId = "0198c1a5-6e99-7f76-90d1-8c9daebfc0dd";

const exampleHook = {
  ...{ id: hookId, url: "https://ci.example/innkeep", events: ["feedback.created"], texts: false },
  ...{ createdAt: at, disabledAt: null, disabledBecause: null, oldSecretUntil: null },
  ...{ waiting: 0, lastStatus: "delivered" },
};

export const webhooks = {
  list: endpoint({
    method: "GET",
    path: webhooksPath,
    summary: "List the webhooks of an app",
    auth: "session",
    role: "owner",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(Webhook) }) },
    errors: ["not_found"],
    example: { answer: { items: [exampleHook] } },
  }),
  create: endpoint({
    method: "POST",
    path: webhooksPath,
    summary: "Send the events of an app to an address; only this answer has the secret that signs them",
    auth: "session",
    role: "owner",
    params: appParams,
    body: z.object({
      url: webUrl(limits.url),
      events: z.optional(z.nullable(chosenEvents)),
      texts: z.optional(z.boolean()),
    }),
    success: { status: 201, body: z.extend(Webhook, { secret: z.string() }) },
    errors: ["not_found", "wrong_state"],
    answersSecret: true,
    example: { request: { url: "https://ci.example/innkeep", events: ["feedback.created"] } },
  }),
  update: endpoint({
    method: "PATCH",
    path: webhookPath,
    summary:
      "Change a webhook, or switch it off or on; when it is switched off, its waiting events are cancelled",
    auth: "session",
    role: "owner",
    params: hookParams,
    body: z.object({
      url: z.optional(webUrl(limits.url)),
      events: z.optional(z.nullable(chosenEvents)),
      texts: z.optional(z.boolean()),
      enabled: z.optional(z.boolean()),
    }),
    success: { status: 200, body: Webhook },
    errors: ["not_found"],
    example: { request: { enabled: false } },
  }),
  remove: endpoint({
    method: "DELETE",
    path: webhookPath,
    summary: "Delete a webhook with its log",
    auth: "session",
    role: "owner",
    params: hookParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
  rotate: endpoint({
    method: "POST",
    path: `${webhookPath}/rotate`,
    summary: "Replace the secret of a webhook; events are signed with both secrets until the old one expires",
    auth: "session",
    role: "owner",
    params: hookParams,
    /** `oldSecretHours` is the number of hours for which the old secret stays valid. The default is 24. */
    body: z.object({
      oldSecretHours: z.optional(z.int().check(z.minimum(0), z.maximum(limits.oldSecretHours))),
    }),
    success: { status: 200, body: WebhookSecret },
    errors: ["not_found"],
    answersSecret: true,
    example: { request: { oldSecretHours: 24 } },
  }),
  deliveries: endpoint({
    method: "GET",
    path: `${webhookPath}/deliveries`,
    summary: "List the deliveries of a webhook with the answers of its receiver, newest first",
    auth: "session",
    role: "owner",
    params: hookParams,
    query: z.object({
      status: z.optional(z.enum(deliveryStates)),
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({ items: z.array(Delivery), nextCursor: z.nullable(z.string()) }),
    },
    errors: ["not_found"],
  }),
  resend: endpoint({
    method: "POST",
    path: `${webhookPath}/deliveries/:deliveryId/resend`,
    summary: "Deliver an event again, with the same id",
    auth: "session",
    role: "owner",
    params: z.extend(hookParams, { deliveryId: uuid }),
    success: { status: 200, body: Delivery },
    errors: ["not_found", "wrong_state"],
    rateLimit: "webhookSends",
  }),
  test: endpoint({
    method: "POST",
    path: `${webhookPath}/test`,
    summary: "Send an event of the type `webhook.test`",
    auth: "session",
    role: "owner",
    params: hookParams,
    success: { status: 200, body: Delivery },
    errors: ["not_found", "wrong_state"],
    rateLimit: "webhookSends",
  }),
  replay: endpoint({
    method: "POST",
    path: `${webhookPath}/replay`,
    summary: "Deliver the events of a period again, oldest first, at most 10,000 with one request",
    auth: "session",
    role: "owner",
    params: hookParams,
    body: z.object({ from: givenInstant, to: givenInstant }),
    success: {
      status: 200,
      body: z.object({
        queued: z.int(),
        /** The value of `from` for the next request; null if no more events are left in the period. */
        next: z.nullable(instant),
      }),
    },
    errors: ["not_found", "wrong_state"],
    rateLimit: "webhookSends",
    example: { request: { from: at, to: "2026-11-21T12:00:00.000Z" }, answer: { queued: 12, next: null } },
  }),
} as const;

export type EventType = (typeof eventTypes)[number];

/** An event of an app. `data` has ids, states and links. A webhook gets the `id` in a header. */
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
    summary: "List what happened in an app, oldest first; with `wait`, wait for the next event",
    auth: "console",
    role: "viewer",
    scope: "events:read",
    params: appParams,
    query: z.object({
      /**
       * The value of `next` in an earlier answer, or a time. Without `since`, only events after this request
       * are found.
       */
      since: z.optional(text(1, limits.eventsPosition)),
      /** For how many seconds the server waits for an event if there is no event yet. */
      wait: z.optional(queryInteger(0, limits.waitSeconds)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(AppEvent),
        /** The position after these events: the value of `since` for the next request. */
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

/**
 * The kinds of live events. `everything` means that any data may have changed, for example after missed events.
 */
const liveKinds = ["thread", "answering", "proposal", "testing", "content", "app", "everything"] as const;

export type LiveKind = (typeof liveKinds)[number];

/** A live event says what changed, without the data. A client that may read the data requests it. (rule F70) */
const LiveEvent = z.object({
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
      /**
       * The time at which the client read its data. Without `Last-Event-ID`, changes after this time are sent first.
       */
      since: z.optional(givenInstant),
    }),
    success: { status: 200, events: LiveEvent },
    errors: ["rate_limited"],
  }),
} as const;
