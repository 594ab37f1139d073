import type { AuditChange } from "../../../src/contract/audit.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type { Assignee } from "../../../src/contract/threads.ts";
import { changesBetween } from "../../access/audit/rules.ts";
import { suffices } from "../../access/members/rules.ts";
import { members } from "../../access/members/store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import type { ThreadOfApp } from "../tags/api.ts";
import { assigneeOf } from "./store/answer.ts";
import { assignmentRefusal } from "./assignees-rules.ts";
import { assignees } from "./store/assignees-store.ts";

/** Returns the members to whom threads of the app can be assigned. These are the members who may change feedback. */
export const assignableMembers = async (reader: Reader, appId: string): Promise<Assignee[]> =>
  (await members.list(reader, appId))
    .filter(({ role }) => suffices(role, "maintainer"))
    .map(({ userId, email, name }) => ({ userId, email, name }));

interface Assignment {
  /** `me`, the id or the e-mail address of a member, or null for nobody. */
  readonly assignee: string | null;
  readonly expectedAssignee?: string | null | undefined;
  /** The account that assigns the thread. */
  readonly userId: string;
}

/**
 * Assigns a thread to a member, or to nobody. Returns the change for the audit. Throws `bad_request` for a person who
 * may not change the feedback of the app. Throws `assignee_changed` if the thread has another assignee than the one
 * that the caller saw. (rule F31)
 */
export async function assign(
  tx: Transaction,
  { id, appId, assignee, expectedAssignee: expected, userId }: ThreadOfApp & Assignment,
): Promise<readonly AuditChange[]> {
  await tx.lock(id);
  // The lock ensures that no thread is assigned to a member who is removed at the same time.
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

/**
 * Returns the id of the account whose threads a list shows. Returns null for threads without an assignee, and undefined
 * for no filter. `assignee` is `me`, `none`, or the id or e-mail address of a member.
 */
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
  return member?.userId ?? name;
}
