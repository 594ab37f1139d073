import type { Assignee } from "../../../../src/contract/threads.ts";
import type { AssigneeRow } from "./assignees-store.ts";

/** Returns the assignee of a thread; null if it has none. */
export const assigneeOf = ({ assigneeId, assigneeEmail, assigneeName }: AssigneeRow): Assignee | null =>
  assigneeId === null || assigneeEmail === null
    ? null
    : { userId: assigneeId, email: assigneeEmail, name: assigneeName };
