import type {
  Delivery,
  DeliveryAttempt,
  DeliveryState,
  EventType,
  Webhook,
} from "../../../src/contract/events.ts";

/** How many hours the old secret stays valid if the request names no number. */
export const oldSecretHours = 24;

/** Returns the chosen events as they are stored: names with a comma before and after each. Null means all events. */
export const storedEvents = (events: readonly EventType[] | null): string | null =>
  events === null ? null : `,${[...new Set(events)].join(",")},`;

/** Returns the names of stored events; null if the webhook gets all events. */
const eventsIn = (stored: string | null): string[] | null =>
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

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** The pauses after failed attempts. A delivery has 10 attempts within 75 hours. (rule O28) */
const pauses = [
  ...[5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour],
  ...[10 * hour, 14 * hour, 20 * hour, 23 * hour],
];

export const mostTries = pauses.length + 1;

/** Returns when to send a delivery again after `tries` failed attempts; undefined if no attempt follows. */
export function nextTry(tries: number, now: Date): Date | undefined {
  const pause = pauses[tries - 1];
  return pause === undefined ? undefined : new Date(now.getTime() + pause);
}

/** The status with which a receiver declines further events. (rule O28) */
export const goneStatus = 410;

export const isDelivered = ({ status }: Pick<DeliveryAttempt, "status">): boolean =>
  status !== null && status >= 200 && status < 300;

/** How many attempts of one delivery the log contains at most. */
const keptAttempts = 20;

/** Adds an attempt to the attempts of a delivery. Keeps only the newest attempts. */
export const withAttempt = (
  attempts: readonly DeliveryAttempt[],
  attempt: DeliveryAttempt,
): readonly DeliveryAttempt[] => [...attempts, attempt].slice(-keptAttempts);
