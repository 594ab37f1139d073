import type { NoticeKind } from "../../../src/contract/notices.ts";
import type { Transaction } from "../../database/database.ts";
import { aboutEvent, type EventFacts } from "./rules.ts";
import { noticeCauses } from "./store.ts";

interface AppEvent extends EventFacts {
  readonly appId: string;
  readonly at: string;
  /** The account of the person who caused the event; undefined if no person did. */
  readonly by?: string | undefined;
}

/**
 * Stores an event as a cause of notices, if notices exist for its type. Call it in the transaction of the change.
 * (rule N2)
 */
export async function noteEvent(
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
