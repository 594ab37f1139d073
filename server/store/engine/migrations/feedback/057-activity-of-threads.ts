/**
 * The order of the inbox by the last activity. One index serves every filter: a list of one status reads its four types beside
 * each other, and a list of one type its four statuses. `activity_count` grows with everything that happens on a thread.
 */
export const activityOfThreads = {
  number: 57,
  name: "activity-of-threads",
  statements: [
    `ALTER TABLE feedback ADD COLUMN activity_count BIGINT NOT NULL DEFAULT 0`,
    `CREATE INDEX feedback_by_state_and_activity ON feedback (
       app_id, status, category, coalesce(active_at, created_at), id)`,
  ],
};
