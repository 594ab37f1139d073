import type { NoticeKind } from "../../../src/contract/notices.ts";
import type { Transaction } from "../../database/database.ts";
import { aboutEvent, type Told } from "./rules.ts";
import { noticeCauses } from "./store.ts";

/** An event of an app. */
interface Happened extends Told {
  readonly appId: string;
  readonly at: string;
  /** The account that did it, if a person did it. */
  readonly by?: string | undefined;
}

/** Notes an event if members may be told about it. It must be called in the transaction of the change. (rule N2) */
export async function noteEvent(
  { newId }: { readonly newId: () => string },
  tx: Transaction,
  event: Happened,
): Promise<void> {
  const about = aboutEvent(event);
  if (about === undefined) return;
  const { appId, at: createdAt, by: actorId = null } = event;
  const cause = { id: newId(), appId, ...about, actorId, createdAt };
  await (about.kind === "report" ? noticeCauses.insertReport(tx, cause) : noticeCauses.insert(tx, cause));
}

/** Something that is noted at most once until members were told. */
interface Ongoing {
  readonly appId: string;
  readonly kind: Extract<NoticeKind, "storm" | "delivery" | "work">;
  readonly subjectId: string;
  readonly feedbackId?: string | null;
  readonly at: string;
}

/** Notes that a failure is reported again, that messages cannot be delivered, or that a worker is silent. (rule N2) */
export const noteOngoing = (
  tx: Transaction,
  { kind, subjectId, feedbackId = null, appId, at: createdAt }: Ongoing,
): Promise<void> =>
  noticeCauses.insertOnce(tx, {
    ...{ id: `${kind}:${subjectId}`, appId, kind, subjectId },
    ...{ feedbackId, actorId: null, createdAt },
  });
