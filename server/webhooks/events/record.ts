import type { EventType } from "../../../src/contract/events.ts";
import type { Transaction } from "../../database/database.ts";
import { eventsTopic, webhooksTopic } from "../../database/signals.ts";
import { noteEvent } from "../../notices/causes/record.ts";
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
  /** The account that did it, if a person did it. It is in no event, and gets no notice. */
  readonly by?: string | undefined;
}

/**
 * Stores an event, and queues it for the webhooks of the app. It must be called in the transaction of the change, so
 * that neither the change nor the event is ever stored alone. Also stores it as a cause of notices. (rules N2, O25)
 */
export async function recordEvent(
  { newId }: { readonly newId: () => string },
  tx: Transaction,
  happening: Happening,
): Promise<void> {
  const { appId, type, subjectId, facts, at: createdAt } = happening;
  const event = { id: newId(), appId, type, subjectId, facts, createdAt };
  await events.insert(tx, event);
  if ((await deliveries.queue(tx, event)) > 0) tx.signal(webhooksTopic);
  tx.signal(eventsTopic(appId));
  await noteEvent({ newId }, tx, happening);
}
