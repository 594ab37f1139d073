/**
 * A row of `thread_tags` has a copy of who looks after its thread, so that the list of one tag and one person reads only the threads of
 * both. Without it a tag and a person that rarely meet cost a read of all threads of the tag.
 */
const statements = [
  `ALTER TABLE thread_tags ADD COLUMN assignee_id TEXT`,
  `UPDATE thread_tags SET assignee_id = (SELECT f.assignee_id FROM feedback f WHERE f.id = thread_tags.feedback_id)
   WHERE feedback_id IN (SELECT id FROM feedback WHERE assignee_id IS NOT NULL)`,
  `CREATE INDEX thread_tags_by_assignee ON thread_tags (
    tag_id, assignee_id, active_at, feedback_id, status) WHERE assignee_id IS NOT NULL`,
  `CREATE INDEX thread_tags_by_assignee_and_age ON thread_tags (
    tag_id, assignee_id, created_at, feedback_id, status) WHERE assignee_id IS NOT NULL`,
];

const copy = `UPDATE thread_tags SET assignee_id = NEW.assignee_id WHERE feedback_id = NEW.id`;
const changed = "AFTER UPDATE OF assignee_id ON feedback";

export const assigneesOfTags = {
  number: 88,
  name: "assignees-of-tags",
  statements: {
    sqlite: [...statements, `CREATE TRIGGER thread_tags_assigned ${changed} BEGIN ${copy}; END`],
    postgres: [
      ...statements,
      `CREATE FUNCTION copy_assignee_to_thread_tags() RETURNS trigger LANGUAGE plpgsql AS '
       BEGIN
         ${copy};
         RETURN NULL;
       END'`,
      `CREATE TRIGGER thread_tags_assigned ${changed} FOR EACH ROW EXECUTE FUNCTION copy_assignee_to_thread_tags()`,
    ],
  },
};
