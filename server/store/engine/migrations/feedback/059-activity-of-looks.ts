/**
 * When something had last happened on a thread at the look of a person. Old looks are found by it without reading the threads:
 * if something has happened since, the thread is unread without its look, too.
 */
export const activityOfLooks = {
  number: 59,
  name: "activity-of-looks",
  statements: [
    `ALTER TABLE thread_looks ADD COLUMN active_at TEXT NOT NULL DEFAULT ''`,
    `UPDATE thread_looks SET active_at = (
       SELECT coalesce(f.active_at, f.created_at) FROM feedback f WHERE f.id = thread_looks.feedback_id)`,
  ],
};
