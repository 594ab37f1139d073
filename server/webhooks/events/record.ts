import type { EventType } from "../../../src/contract/events.ts";
import type { Transaction } from "../../database/database.ts";
import { eventsTopic, webhooksTopic } from "../../database/signals.ts";
import { noteEvent } from "../../notices/causes/record.ts";
import { deliveries } from "../endpoints/store.ts";
import { events, type Facts } from "./store.ts";

/** A change that is reported as an event. */
export interface Happening {
  readonly appId: string;
  readonly type: EventType;
  /** The id of the object that the event is about. */
  readonly subjectId: string;
  /** Contains ids and states, never texts that people or agents wrote. */
  readonly facts: Facts;
  readonly at: string;
  /**
   * The account of the person who made the change; undefined if no person made it. No event contains this account,
   * and this person gets no notice of the change.
   */
  readonly by?: string | undefined;
}

/**
 * Stores an event, queues it for the webhooks of the app, and stores it as a cause of notices. Call this in the
 * transaction of the change, so that the change and the event are always stored together. (rules N2, O25)
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
