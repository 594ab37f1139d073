/** Who looks after a thread: a member of its app, or nobody. */
export const assignees = {
  number: 70,
  name: "assignees",
  statements: [
    `ALTER TABLE feedback ADD COLUMN assignee_id TEXT REFERENCES users (id) ON DELETE SET NULL`,
    `CREATE INDEX feedback_by_assignee ON feedback (
      assignee_id, app_id, coalesce(active_at, created_at), id) WHERE assignee_id IS NOT NULL`,
  ],
};
