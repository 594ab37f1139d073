import type { Reader, Transaction } from "../../../database/database.ts";

/** The columns that describe the assignee of a thread `f`. */
export const assigneeColumns = `f.assignee_id AS "assigneeId",
  (SELECT email FROM users WHERE id = f.assignee_id) AS "assigneeEmail",
  (SELECT name FROM users WHERE id = f.assignee_id) AS "assigneeName"`;

/** A row with `assigneeColumns`. */
export interface AssigneeRow {
  readonly assigneeId: string | null;
  readonly assigneeEmail: string | null;
  readonly assigneeName: string | null;
}

/** The assignees of threads. (rule F31) */
export const assignees = {
  of: (reader: Reader, feedbackId: string) =>
    reader.get<AssigneeRow>(`SELECT ${assigneeColumns} FROM feedback f WHERE f.id = ?`, feedbackId),

  set: (tx: Transaction, feedbackId: string, userId: string | null) =>
    tx.run("UPDATE feedback SET assignee_id = ? WHERE id = ?", userId, feedbackId),

  /** Removes a member as the assignee from all threads of an app. */
  takeAll: (tx: Transaction, appId: string, userId: string) =>
    tx.run("UPDATE feedback SET assignee_id = NULL WHERE assignee_id = ? AND app_id = ?", userId, appId),
};
