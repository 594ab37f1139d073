import type { EventType } from "../../../src/contract/events.ts";
import type { Transaction } from "../../database/database.ts";
import { eventsTopic, webhooksTopic } from "../../database/signals.ts";
import { deliveries } from "../deliveries/store.ts";
import { events, type Facts } from "./store.ts";

/** What happened. */
export interface Happening {
  readonly appId: string;
  readonly type: EventType;
  /** The id of the object that the event is about. */
  readonly subjectId: string;
  /** Ids and states, never texts that people or agents wrote. */
  readonly facts: Facts;
  readonly at: string;
}

/**
 * Stores an event, and queues it for the webhooks of the app. It must be called in the transaction of the change, so
 * that neither the change nor the event is ever stored alone. (rule O25)
 */
export async function recordEvent(
  { newId }: { readonly newId: () => string },
  tx: Transaction,
  { appId, type, subjectId, facts, at: createdAt }: Happening,
): Promise<void> {
  const event = { id: newId(), appId, type, subjectId, facts, createdAt };
  await events.insert(tx, event);
  if ((await deliveries.queue(tx, event)) > 0) tx.signal(webhooksTopic);
  tx.signal(eventsTopic(appId));
}
