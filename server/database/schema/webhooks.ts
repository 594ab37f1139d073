import { apps } from "./access.ts";
import { events } from "./feedback.ts";
import { type AnyTable, erased, flag, id, index, instant, integer, json, ref, table, text } from "./table.ts";

/** The addresses that get an app's events. Everybody who knows a webhook's `secret` can forge its events. */
export const webhooks = table(
  "webhooks",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    url: text("sealed"),
    secret: text("sealed"),
    /** The secret before the last rotation. Events are signed with both secrets until `old_until`. */
    old_secret: text("sealed").null(),
    old_until: instant().null(),
    /** The names of the events, with a comma before and after each. Null for all events. */
    events: text("plain").null(),
    /** Whether the events that the webhook gets also contain texts of people. */
    texts: flag().default(0),
    created_at: instant(),
    disabled_at: instant().null(),
    disabled_because: text("plain").null(),
    /**
     * A number that increases when the webhook is switched off. Deliveries of an earlier generation are no longer sent.
     */
    generation: integer().default(0).since(130),
    /**
     * True while a job must still cancel deliveries of an earlier generation. During this time, the webhook
     * gets no deliveries.
     */
    clearing: flag().default(0).since(130),
    /**
     * The time at which the webhook was deleted. The row is kept until all deliveries of the webhook are deleted.
     */
    removed_at: instant().null().since(130),
  },
  {
    of: "app",
    erase: "Contains no data of senders. The owner of the app chose the address.",
    since: 124,
    indexes: [
      index("webhooks_by_app", "app_id, created_at, id"),
      index("webhooks_to_clear", "id", { where: "clearing = 1", since: 130 }),
    ],
  },
);

/** The queue and log of webhook deliveries. The server reads texts of people only when it sends an event. */
export const webhookDeliveries = table(
  "webhook_deliveries",
  {
    webhook_id: ref(webhooks, "cascade"),
    event_id: ref(events, "cascade"),
    app_id: text("plain"),
    status: text("plain"),
    /** How often the event was sent since it was queued. */
    tries: integer(),
    /** The time of the next attempt. While an attempt runs, this is the time until which the delivery is reserved. */
    due_at: instant(),
    queued_at: instant(),
    event_at: instant(),
    /** The last attempts with the receiver's answers. */
    attempts: json("json").default("[]"),
    /**
     * The `generation` of the webhook when the event was queued. If `webhooks.generation` is higher now, the
     * delivery is cancelled.
     */
    generation: integer().default(0).since(130),
  },
  {
    of: "app",
    erase: erased.texts,
    since: 124,
    notInBackup: "a restored server must not send the same events again",
    primary: ["webhook_id", "event_id"],
    indexes: [
      index("webhook_deliveries_due", "webhook_id, due_at", { where: "status = 'waiting'" }),
      index("webhook_deliveries_in_order", "webhook_id, event_at, event_id"),
      index("webhook_deliveries_by_event", "event_id"),
      index("webhook_deliveries_of_status", "webhook_id, status, event_at, event_id", { since: 130 }),
    ],
  },
);

export const webhookSchema: readonly AnyTable[] = [webhooks, webhookDeliveries];
