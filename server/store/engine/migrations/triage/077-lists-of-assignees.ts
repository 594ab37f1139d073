/**
 * The lists of the threads of an assignee, by age and by activity. The indexes hold what the lists filter by, so that a list of one
 * status or type does not read the threads of the others.
 */
export const listsOfAssignees = {
  number: 77,
  name: "lists-of-assignees",
  statements: [
    `DROP INDEX feedback_by_assignee`,
    `CREATE INDEX feedback_by_assignee ON feedback (
      assignee_id, app_id, coalesce(active_at, created_at), id, status, category) WHERE assignee_id IS NOT NULL`,
    `CREATE INDEX feedback_by_assignee_and_age ON feedback (
      assignee_id, app_id, created_at, id, status, category) WHERE assignee_id IS NOT NULL`,
  ],
};
