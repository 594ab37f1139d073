import type { EventType } from "../../../src/contract/events.ts";
import type { NoticeKind } from "../../../src/contract/notices.ts";
import type { Transaction } from "../../database/database.ts";
import { eventsTopic, webhooksTopic } from "../../database/transaction.ts";
import { aboutEvent, type EventFacts } from "../../notices/causes/rules.ts";
import { noticeCauses } from "../../notices/causes/store.ts";
import { deliveries, events, type Facts } from "../endpoints/store.ts";

/** A change that is reported as an event. */
export interface Happening {
  readonly appId: string;
  readonly type: EventType;
  /** The id of the object that the event is about. */
  readonly subjectId: string;
  /** Contains ids and states, never texts that people or agents wrote. */
  readonly facts: Facts;
  readonly at: string;
  /** The person who made the change; undefined if no person did. Events do not contain the person. */
  readonly by?: string | undefined;
}

/** Stores an event for webhooks and notices. `tx` must be the transaction of the change. (rules N2, O25) */
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

interface AppEvent extends EventFacts {
  readonly appId: string;
  readonly at: string;
  /** The account of the person who caused the event; undefined if no person did. */
  readonly by?: string | undefined;
}

async function noteEvent(
  { newId }: { readonly newId: () => string },
  tx: Transaction,
  event: AppEvent,
): Promise<void> {
  const about = aboutEvent(event);
  if (about === undefined) return;
  const { appId, at: createdAt, by: actorId = null } = event;
  const cause = { id: newId(), appId, ...about, actorId, createdAt };
  await (about.kind === "report" ? noticeCauses.insertReport(tx, cause) : noticeCauses.insert(tx, cause));
}

/** A problem that lasts. It is stored at most once until members are notified. */
interface Ongoing {
  readonly appId: string;
  readonly kind: Extract<NoticeKind, "storm" | "delivery" | "work">;
  readonly subjectId: string;
  readonly feedbackId?: string | null;
  readonly at: string;
}

/** Stores that a failure is reported again, that messages cannot be delivered, or that a worker is silent. (rule N2) */
export const noteOngoing = (
  tx: Transaction,
  { kind, subjectId, feedbackId = null, appId, at: createdAt }: Ongoing,
): Promise<void> =>
  noticeCauses.insertOnce(tx, {
    ...{ id: `${kind}:${subjectId}`, appId, kind, subjectId },
    ...{ feedbackId, actorId: null, createdAt },
  });
