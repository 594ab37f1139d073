import type { AuditChange } from "../../../src/contract/audit.ts";
import { suffices } from "../../../src/contract/endpoint.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { Assignee, ThreadChange } from "../../../src/contract/threads.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import { members } from "../../access/members/store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { threadTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { changeTags, type ThreadOfApp } from "../tags/api.ts";
import { markReadForAll, noteActivity, threadViews } from "../unread/store/read-marks.ts";
import { assignmentRefusal, isUnfinished, snoozeRefusal } from "./rules.ts";
import { changeableOf, snoozes, updateThread } from "./store/fields.ts";
import { assigneeOf, assignees } from "./store/threads.ts";

/**
 * Changes a thread. Lock the thread first. A resolved or archived thread becomes read for the caller. Throws
 * the errors of `assign`, `changeTags` and `changeSnooze`. (rules F30, F31, F42)
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
  const { assignee, expectedAssignee, addTags, removeTags, snoozedUntil, ...given } = wanted;
  const author = { caller, address };
  const onThread = { appId, target: id };
  const record = createAuditWriter(deps);
  const thread = { id, appId };
  const now = deps.clock.now();
  const at = now.toISOString();
  const changed = Object.keys(given).length === 0 ? [] : changesBetween(await changeableOf(tx, id), given);
  const fields = changed.map(({ field }) => field);
  if (assignee !== undefined) {
    const changes = await assign(tx, { ...thread, assignee, expectedAssignee, userId: caller.userId });
    if (changes.length > 0) {
      await record(tx, author, { ...onThread, action: "thread.assign", changes });
      fields.push("assignee");
    }
  }
  const tagged = await changeTags(deps, tx, { ...thread, addTags, removeTags });
  if (tagged !== undefined && tagged.length > 0) {
    await record(tx, author, { ...onThread, action: "thread.tag", changes: tagged });
    fields.push("tags");
  }
  const by = caller.userId;
  const change = valuesOf(given, fields);
  if (changed.length > 0) {
    await updateThread(tx, id, { ...change, at, by });
    await record(tx, author, { ...onThread, action: "thread.update", changes: changed });
  }
  if (snoozedUntil !== undefined) {
    const changes = await changeSnooze(tx, id, { until: snoozedUntil, now, by });
    if (changes.length > 0) {
      await record(tx, author, { ...onThread, action: "thread.snooze", changes });
      fields.push("snoozedUntil");
    }
  }
  if (fields.length > 0) {
    // The table `thread_changes` has no changes of tags and assignees, so live events about them need this
    // signal. (rule F70)
    tx.signal(threadTopic(id));
    await recordThreadChange(deps, tx, { ...thread, at, fields, status: change.status, by });
  }
  if (isFinish(given.status))
    await threadViews.mark(tx, { appId, userId: caller.userId, feedbackId: id }, true);
}

/** Returns the values of these fields. The values of the other fields are undefined. */
function valuesOf({ status, category, subject, githubIssueUrl }: ThreadChange, fields: readonly string[]) {
  const has = (field: string) => fields.includes(field);
  return {
    status: has("status") ? status : undefined,
    category: has("category") ? category : undefined,
    subject: has("subject") ? subject : undefined,
    githubIssueUrl: has("githubIssueUrl") ? githubIssueUrl : undefined,
  };
}

/**
 * Whether this status finishes a thread. A finished thread counts as read for the person who changed its
 * status. (rule F50)
 */
export const isFinish = (status: string | undefined): boolean =>
  status !== undefined && !isUnfinished(status);

/** Stores the event about changed fields of a thread. */
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

/**
 * Snoozes a thread, or ends its snooze. Throws `bad_request` for a wrong time, and `wrong_state` for a
 * finished thread. (rule F42)
 */
async function changeSnooze(
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

/** Returns the members to whom threads can be assigned: those who may change feedback. */
export const assignableMembers = async (reader: Reader, appId: string): Promise<Assignee[]> =>
  (await members.list(reader, appId))
    .filter(({ role }) => suffices(role, "maintainer"))
    .map(({ userId, email, name }) => ({ userId, email, name }));

interface Assignment {
  /** The id or the e-mail address of a member; `me` for the account `userId`; null for nobody. */
  readonly assignee: string | null;
  readonly expectedAssignee?: string | null | undefined;
  /** The account that assigns the thread. */
  readonly userId: string;
}

/**
 * Assigns a thread to a member or to nobody. Throws `bad_request` if the member may not change feedback.
 * Throws `assignee_changed` if `expectedAssignee` is not the current assignee. (rule F31)
 */
async function assign(
  tx: Transaction,
  { id, appId, assignee, expectedAssignee: expected, userId }: ThreadOfApp & Assignment,
): Promise<readonly AuditChange[]> {
  await tx.lock(id);
  // With this lock, nobody removes the new assignee from the app at the same time.
  await members.lock(tx, appId);
  const wanted = assignee === null ? null : await memberNamed(tx, { appId, assignee, userId });
  const row = await assignees.of(tx, id);
  const present = row === undefined ? null : assigneeOf(row);
  const change = { present: present?.userId ?? null, expected, to: wanted?.userId ?? null };
  const refusal = assignmentRefusal(change);
  if (refusal)
    throw new ApiError(refusal, {
      message:
        present === null
          ? "This thread is not assigned any more. Assign it again if you still want to."
          : `This thread is assigned to ${present.email} now. Assign it again if you still want to.`,
    });
  if (change.present !== change.to) await assignees.set(tx, id, change.to);
  return changesBetween({ assignee: present?.email }, { assignee: wanted?.email ?? null });
}

async function memberNamed(
  tx: Transaction,
  { appId, assignee, userId }: { readonly appId: string; readonly assignee: string; readonly userId: string },
): Promise<Assignee> {
  const name = normaliseEmail(assignee);
  const found = (await assignableMembers(tx, appId)).find(
    (member) => member.userId === (name === "me" ? userId : name) || normaliseEmail(member.email) === name,
  );
  if (!found) throw badRequest("assignee", "must be an owner or a maintainer of the app");
  return found;
}

/** Returns the account id for the filter `assignee`: null for `none`, undefined without a filter. */
export async function filteredAssignee(
  reader: Reader,
  appId: string,
  { assignee, userId }: { readonly assignee: string | undefined; readonly userId: string },
): Promise<string | null | undefined> {
  if (assignee === undefined) return undefined;
  const name = normaliseEmail(assignee);
  if (name === "none") return null;
  if (name === "me") return userId;
  const member = (await members.list(reader, appId)).find(({ email }) => normaliseEmail(email) === name);
  // If no member has the address `name`, `name` is returned, so that the filter matches no thread.
  return member?.userId ?? name;
}
