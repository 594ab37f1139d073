/**
 * A look alone says whether its thread is unread for the member: then `seen_count` is -1. Each change of a thread sets it in the
 * looks that have not seen the change. `active_at` of a look that saw everything is that of its thread. So unread threads are counted in two indexes
 * of the looks and one of the threads, without reading a thread for each look.
 */
const statements = [
  `UPDATE thread_looks SET seen_count = -1 WHERE seen_count >= 0 AND seen_count < (
     SELECT f.activity_count FROM feedback f WHERE f.id = thread_looks.feedback_id)`,
  `UPDATE thread_looks SET active_at = (
     SELECT coalesce(f.active_at, f.created_at) FROM feedback f WHERE f.id = thread_looks.feedback_id) WHERE seen_count >= 0`,
  `CREATE INDEX thread_looks_marked ON thread_looks (app_id, user_id) WHERE seen_count = -1`,
  `CREATE INDEX thread_looks_current ON thread_looks (app_id, user_id, active_at) WHERE seen_count >= 0`,
];

const mark = `UPDATE thread_looks SET seen_count = -1
  WHERE feedback_id = NEW.id AND seen_count >= 0 AND seen_count < NEW.activity_count`;
const happened = "AFTER UPDATE OF activity_count ON feedback";

export const marksOfLooks = {
  number: 75,
  name: "marks-of-looks",
  statements: {
    sqlite: [...statements, `CREATE TRIGGER thread_looks_marked ${happened} BEGIN ${mark}; END`],
    postgres: [
      ...statements,
      `CREATE FUNCTION mark_looks() RETURNS trigger LANGUAGE plpgsql AS '
       BEGIN
         ${mark};
         RETURN NULL;
       END'`,
      `CREATE TRIGGER thread_looks_marked ${happened} FOR EACH ROW EXECUTE FUNCTION mark_looks()`,
    ],
  },
};
