/**
 * What people have read. A member has read everything in an app that happened up to `read_until`, or up to the joining if it is
 * null. `thread_looks` has the exceptions: a thread is unread if its `activity_count` is greater than `seen_count`, which is -1
 * after a person marked it as unread. `since_at` is the look before this visit, of a thread and of the inbox. Everything from
 * before counts as read.
 */
export const looks = {
  number: 58,
  name: "looks",
  statements: [
    `ALTER TABLE app_members ADD COLUMN read_until TEXT`,
    `ALTER TABLE app_members ADD COLUMN visited_at TEXT`,
    `ALTER TABLE app_members ADD COLUMN since_at TEXT`,
    `UPDATE app_members SET read_until = (
       SELECT coalesce(f.active_at, f.created_at) FROM feedback f WHERE f.app_id = app_members.app_id
       ORDER BY coalesce(f.active_at, f.created_at) DESC, f.id DESC LIMIT 1)`,
    `CREATE TABLE thread_looks (
      app_id TEXT NOT NULL, user_id TEXT NOT NULL,
      feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
      seen_count BIGINT NOT NULL, looked_at TEXT, since_at TEXT,
      PRIMARY KEY (app_id, user_id, feedback_id),
      FOREIGN KEY (app_id, user_id) REFERENCES app_members (app_id, user_id) ON DELETE CASCADE)`,
    `CREATE INDEX thread_looks_by_thread ON thread_looks (feedback_id)`,
  ],
};
