import type { EventType } from "../../../src/contract/events.ts";
import type { Delivery, DeliveryState, Webhook } from "../../../src/contract/webhooks.ts";

/** How many hours the old secret stays valid if the request names no number. */
export const oldSecretHours = 24;

/** Returns the chosen events in the form in which they are stored; null for all events. */
export const storedEvents = (events: readonly EventType[] | null): string | null =>
  events === null ? null : `,${[...new Set(events)].join(",")},`;

/** Returns the names of stored events; null for all events. */
export const eventsIn = (stored: string | null): string[] | null =>
  stored === null ? null : stored.split(",").filter((name) => name !== "");

interface StoredState {
  readonly id: string;
  readonly events: string | null;
  readonly texts: number;
  readonly createdAt: string;
  readonly disabledAt: string | null;
  readonly disabledBecause: string | null;
  readonly oldUntil: string | null;
  readonly waiting: number;
  readonly lastStatus: "delivered" | "failed" | null;
}

/** Returns the answer for a webhook. It does not contain a secret. */
export const webhookAnswer = (
  row: StoredState,
  { url, now }: { readonly url: string; readonly now: Date },
): Webhook => ({
  id: row.id,
  url,
  events: eventsIn(row.events),
  texts: row.texts === 1,
  createdAt: row.createdAt,
  disabledAt: row.disabledAt,
  disabledBecause: row.disabledBecause,
  oldSecretUntil: row.oldUntil !== null && row.oldUntil > now.toISOString() ? row.oldUntil : null,
  waiting: Number(row.waiting),
  lastStatus: row.lastStatus,
});

interface StoredDelivery {
  readonly id: string;
  readonly type: string;
  readonly eventAt: string;
  readonly status: DeliveryState;
  readonly dueAt: string;
  readonly attempts: string;
}

export const deliveryAnswer = ({ dueAt, attempts, ...row }: StoredDelivery): Delivery => ({
  id: row.id,
  type: row.type,
  eventAt: row.eventAt,
  status: row.status,
  nextAt: row.status === "waiting" ? dueAt : null,
  attempts: JSON.parse(attempts),
});
