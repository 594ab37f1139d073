/**
 * Tags of threads. A row of `thread_tags` has copies of what the lists of threads sort and filter by, so that a list of one tag
 * reads no thread that it does not show. The trigger keeps them up to date.
 */
const tables = [
  `CREATE TABLE tags (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    name TEXT NOT NULL, name_key TEXT NOT NULL, colour TEXT, created_at TEXT NOT NULL, UNIQUE (app_id, name_key))`,
  `CREATE TABLE thread_tags (
    feedback_id TEXT NOT NULL REFERENCES feedback (id) ON DELETE CASCADE,
    tag_id TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL, active_at TEXT NOT NULL, status TEXT NOT NULL,
    PRIMARY KEY (feedback_id, tag_id))`,
  `CREATE INDEX thread_tags_by_age ON thread_tags (tag_id, created_at, feedback_id, status)`,
  `CREATE INDEX thread_tags_by_activity ON thread_tags (tag_id, active_at, feedback_id, status)`,
];

const copy = `UPDATE thread_tags SET status = NEW.status, active_at = coalesce(NEW.active_at, NEW.created_at)
  WHERE feedback_id = NEW.id`;
const changed = "AFTER UPDATE OF status, active_at ON feedback";

export const tags = {
  number: 69,
  name: "tags",
  statements: {
    sqlite: [...tables, `CREATE TRIGGER thread_tags_copied ${changed} BEGIN ${copy}; END`],
    postgres: [
      ...tables,
      `CREATE FUNCTION copy_to_thread_tags() RETURNS trigger LANGUAGE plpgsql AS '
       BEGIN
         ${copy};
         RETURN NULL;
       END'`,
      `CREATE TRIGGER thread_tags_copied ${changed} FOR EACH ROW EXECUTE FUNCTION copy_to_thread_tags()`,
    ],
  },
};
