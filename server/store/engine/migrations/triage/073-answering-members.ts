/**
 * Which member of an app writes an answer in a thread, and when that was last noted. A person writes in one thread at a time, so
 * there is one row for each. (rule F36)
 */
export const answeringMembers = {
  number: 73,
  name: "answering-members",
  statements: [
    `CREATE TABLE answering_members (
      user_id TEXT PRIMARY KEY, app_id TEXT NOT NULL,
      feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
      noted_at TEXT NOT NULL,
      FOREIGN KEY (app_id, user_id) REFERENCES app_members (app_id, user_id) ON DELETE CASCADE)`,
    `CREATE INDEX answering_members_by_thread ON answering_members (feedback_id)`,
  ],
};
