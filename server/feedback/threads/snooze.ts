import type { AuditChange } from "../../../src/contract/audit.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Transaction } from "../../database/database.ts";
import { markReadForAll, noteActivity } from "../unread/store/read-marks.ts";
import { snoozeRefusal } from "./rules.ts";
import { snoozes } from "./store/snooze-store.ts";

/**
 * Snoozes a thread, or ends its snooze. A snoozed thread counts as read for all members. When the snooze ends, the
 * thread is unread for all members. Returns the changes for the audit log. They are empty if nothing changes. Throws
 * `bad_request` and `wrong_state`. (rule F42)
 */
export async function changeSnooze(
  tx: Transaction,
  feedbackId: string,
  { until, now, by }: { readonly until: string | null; readonly now: Date; readonly by: string },
): Promise<readonly AuditChange[]> {
  await tx.lock(feedbackId);
  const thread = await snoozes.of(tx, feedbackId);
  if (thread === undefined) return [];
  const refusal = snoozeRefusal({ status: thread.status, until }, now);
  if (refusal) throw refusal;
  const changes = changesBetween({ snoozedUntil: thread.snoozedUntil }, { snoozedUntil: until });
  if (changes.length === 0) return changes;
  await snoozes.set(tx, feedbackId, until);
  if (until === null) await noteActivity(tx, feedbackId, { at: now.toISOString(), by });
  else await markReadForAll(tx, feedbackId);
  return changes;
}
