import type { Transaction } from "../../../database/database.ts";
import { threadTopic } from "../../../database/signals.ts";
import { proposalState } from "../../threads/proposal-state.ts";
import { makeRoom } from "./read-marks.ts";
import { activeAt, isUnread } from "./unread.ts";

/** When something happened, and the member who did it; none for a sender, an agent or the server. */
export interface Activity {
  readonly at: string;
  readonly by?: string | null | undefined;
  /** Whether the state of its newest proposal has changed, too. */
  readonly ofProposal?: boolean;
}

/** The later one of an instant, which is given twice, and the last activity of a thread `f`. */
const later = `CASE WHEN ${activeAt} < ? THEN ? ELSE ${activeAt} END`;

/**
 * Notes that something happened on a thread. For the member who did it the thread stays read, if it was. The time of the last
 * activity never goes back, so a thread only ever moves to the front of the inbox. (rules F50, F51)
 */
export async function noteActivity(
  tx: Transaction,
  feedbackId: string,
  { at, by, ofProposal = false }: Activity,
): Promise<void> {
  if (by) await keepRead(tx, { feedbackId, userId: by, at });
  await tx.run(
    `UPDATE feedback SET activity_count = activity_count + 1,
       active_at = ${later.replaceAll("f.", "")} ${ofProposal ? `, ${proposalState}` : ""}
     WHERE id = ?`,
    ...[at, at, feedbackId],
  );
  tx.signal(threadTopic(feedbackId));
}

interface OwnAct {
  readonly feedbackId: string;
  readonly userId: string;
  readonly at: string;
}

/**
 * Counts what the member is about to do as seen, unless something else on the thread is unread. The thread is locked before its looks, as
 * everywhere: what happens on a thread changes its looks, too.
 */
async function keepRead(tx: Transaction, { feedbackId, userId, at }: OwnAct): Promise<void> {
  const kept = await tx.get<{ appId: string }>(
    `INSERT INTO thread_looks (app_id, user_id, feedback_id, seen_count, active_at, looked_at)
     SELECT v.app_id, v.user_id, f.id, f.activity_count + 1, ${later}, ?
     FROM feedback f JOIN app_members v ON v.app_id = f.app_id AND v.user_id = ?
     WHERE f.id = ? AND NOT (${isUnread}) ${tx.engine === "postgres" ? "FOR NO KEY UPDATE OF f" : ""}
     ON CONFLICT (app_id, user_id, feedback_id) DO UPDATE SET seen_count = excluded.seen_count,
       active_at = excluded.active_at
     RETURNING app_id AS "appId"`,
    ...[at, at, at, userId, feedbackId],
  );
  if (kept) await makeRoom(tx, { appId: kept.appId, userId });
}
