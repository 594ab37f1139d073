import type { ThreadChange } from "../../../src/contract/threads.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import type { Transaction } from "../../database/database.ts";
import { threadTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { assign } from "./assign.ts";
import { isUnfinished } from "./rules.ts";
import { changeSnooze } from "./snooze.ts";
import { changeTags } from "../tags/api.ts";
import { threadViews } from "../unread/store/read-marks.ts";
import { changeableOf, updateThread } from "./store/fields.ts";

/**
 * Changes the fields, tags, assignee and snooze of a thread, and records the changes in the audit log. (rules F30, F31,
 * F42)
 */
export async function changeThread(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  {
    caller,
    address,
    id,
    appId,
    change: wanted,
  }: {
    readonly caller: ConsoleCaller;
    readonly address: string;
    readonly id: string;
    readonly appId: string;
    readonly change: ThreadChange;
  },
): Promise<void> {
  const { assignee, expectedAssignee, addTags, removeTags, snoozedUntil, ...change } = wanted;
  const author = { caller, address };
  const onThread = { appId, target: id };
  const record = createAuditWriter(deps);
  const thread = { id, appId };
  const now = deps.clock.now();
  const at = now.toISOString();
  const fields: string[] = Object.keys(change);
  if (assignee !== undefined) {
    const changes = await assign(tx, { ...thread, assignee, expectedAssignee, userId: caller.userId });
    await record(tx, author, { ...onThread, action: "thread.assign", changes });
    fields.push("assignee");
  }
  const tagged = await changeTags(deps, tx, { ...thread, addTags, removeTags });
  if (tagged) {
    await record(tx, author, { ...onThread, action: "thread.tag", changes: tagged });
    fields.push("tags");
  }
  const by = caller.userId;
  if (Object.keys(change).length > 0) {
    const changes = changesBetween(await changeableOf(tx, id), change);
    await updateThread(tx, id, { ...change, at, by });
    await record(tx, author, { ...onThread, action: "thread.update", changes });
  }
  if (snoozedUntil !== undefined) {
    const changes = await changeSnooze(tx, id, { until: snoozedUntil, now, by });
    if (changes.length > 0) {
      await record(tx, author, { ...onThread, action: "thread.snooze", changes });
      fields.push("snoozedUntil");
    }
  }
  if (fields.length > 0) {
    // Live events also come from the sequence of thread changes. Changes of tags and assignees are not in that
    // sequence, so they need this signal. (rule F70)
    tx.signal(threadTopic(id));
    await recordThreadChange(deps, tx, { ...thread, at, fields, status: change.status, by });
  }
  if (isFinish(change.status))
    await threadViews.mark(tx, { appId, userId: caller.userId, feedbackId: id }, true);
}

/**
 * Whether a person who sets this status finishes the thread. The thread then counts as read for that person. (rule F50)
 */
export const isFinish = (status: string | undefined): boolean =>
  status !== undefined && !isUnfinished(status);

/** Stores the event that says that fields of a thread were changed. */
export const recordThreadChange = (
  deps: Pick<Deps, "newId">,
  tx: Transaction,
  {
    id,
    appId,
    at,
    fields,
    status,
    by,
  }: {
    readonly id: string;
    readonly appId: string;
    readonly at: string;
    readonly fields: readonly string[];
    /** The new status, if it was changed. */
    readonly status?: string | undefined;
    /** The id of the account that changed the fields, if a person changed them. */
    readonly by?: string | undefined;
  },
): Promise<void> =>
  recordEvent(deps, tx, {
    ...{ appId, type: "feedback.changed", subjectId: id, at, by },
    facts: { fields, ...(status === undefined ? {} : { status }) },
  });
