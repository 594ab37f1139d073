import type { ThreadChange } from "../../../../src/contract/threads.ts";
import type { Reader, Transaction } from "../../../database/database.ts";
import * as tables from "../../../database/schema/feedback.ts";
import { threadTopic } from "../../../database/signals.ts";
import { update } from "../../../database/statements.ts";
import { isUnfinished } from "../rules.ts";
import { noteActivity } from "../../unread/store/read-marks.ts";

type Changeable = Pick<ThreadChange, "status" | "category" | "subject" | "githubIssueUrl">;

/** Returns the current values of the fields that `updateThread` can change. */
export const changeableOf = async (
  reader: Reader,
  id: string,
): Promise<Readonly<Record<string, unknown>>> => ({
  ...(await reader.get<Changeable>(
    `SELECT status, category, subject, github_issue_url AS "githubIssueUrl" FROM feedback WHERE id = ?`,
    id,
  )),
});

const setFields = update(tables.feedback, "WHERE id = ?");

/**
 * Sets the given fields as a change by the member `by`. If the new status finishes the thread, its snooze ends.
 * Triggers of the database add the thread to the queue of the search index.
 */
export async function updateThread(
  tx: Transaction,
  id: string,
  { at, by, ...change }: ThreadChange & { readonly at: string; readonly by: string },
): Promise<void> {
  const { status, category, subject, githubIssueUrl } = change;
  const fields = { status, category, subject, githubIssueUrl };
  if (Object.values(fields).every((value) => value === undefined)) return;
  await noteActivity(tx, id, { at, by });
  const snoozedUntil = status === undefined || isUnfinished(status) ? undefined : null;
  await setFields(tx, { ...fields, snoozedUntil }, id);
  tx.signal(threadTopic(id));
}
