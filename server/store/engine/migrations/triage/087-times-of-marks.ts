/**
 * A look that says that its thread is unread has the time of the last activity of its thread, too. So these are counted in an index,
 * without reading a thread for each. `seen_count` is -2 for a thread that stays hidden while its sender is blocked; it becomes -1 with
 * the activity of its release.
 */
const statements = [
  `UPDATE thread_looks SET active_at = (
     SELECT coalesce(f.active_at, f.created_at) FROM feedback f WHERE f.id = thread_looks.feedback_id) WHERE seen_count = -1`,
  `DROP INDEX thread_looks_marked`,
  `CREATE INDEX thread_looks_marked ON thread_looks (app_id, user_id, active_at) WHERE seen_count = -1`,
];

const mark = `UPDATE thread_looks SET seen_count = -1, active_at = coalesce(NEW.active_at, NEW.created_at)
  WHERE feedback_id = NEW.id AND seen_count < NEW.activity_count`;

export const timesOfMarks = {
  number: 87,
  name: "times-of-marks",
  statements: {
    sqlite: [
      ...statements,
      `DROP TRIGGER thread_looks_marked`,
      `CREATE TRIGGER thread_looks_marked AFTER UPDATE OF activity_count ON feedback BEGIN ${mark}; END`,
    ],
    postgres: [
      ...statements,
      `CREATE OR REPLACE FUNCTION mark_looks() RETURNS trigger LANGUAGE plpgsql AS '
       BEGIN
         ${mark};
         RETURN NULL;
       END'`,
    ],
  },
};
