/** When something last happened on a thread; null if nothing did since it came. */
const activity = [
  `ALTER TABLE feedback ADD COLUMN active_at TEXT`,
  `UPDATE feedback SET active_at = (SELECT max(at) FROM (
     SELECT max(created_at) AS at FROM messages WHERE feedback_id = feedback.id
     UNION ALL SELECT max(decided_at) FROM runs WHERE feedback_id = feedback.id) AS events)
   WHERE proposal_status IS NOT NULL OR EXISTS (SELECT 1 FROM messages WHERE feedback_id = feedback.id)`,
  // With status and category, so that a filter that few threads pass reads no thread that does not.
  `CREATE INDEX feedback_by_activity ON feedback (
     app_id, coalesce(active_at, created_at), id, status, category, waiting)`,
];

/** What the newest proposal of a thread waits for; null if nothing, or if there is no proposal. */
const waiting = [
  `ALTER TABLE feedback ADD COLUMN waiting TEXT`,
  `UPDATE feedback SET waiting = CASE proposal_status WHEN 'approved' THEN 'approved' ELSE 'approval' END
   WHERE proposal_status IN ('awaiting_approval', 'approved')`,
  // It also serves what awaits a decision.
  `DROP INDEX feedback_awaiting`,
  `CREATE INDEX feedback_by_waiting ON feedback (app_id, waiting, created_at, id) WHERE waiting IS NOT NULL`,
];

const appsOfRuns = [
  `ALTER TABLE runs ADD COLUMN app_id TEXT`,
  `UPDATE runs SET app_id = (SELECT app_id FROM feedback WHERE id = runs.feedback_id)`,
  `CREATE INDEX runs_by_app ON runs (app_id, created_at, id)`,
  `CREATE INDEX runs_by_status ON runs (app_id, status, created_at, id)`,
];

// What an agent sees of a thread in its list. A change of anything else is no change of the list.
const seen = "status, category, subject, occurrences, waiting, proposal_status, active_at";

const changesInSqlite = [
  `CREATE TABLE thread_changes (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     feedback_seq BIGINT NOT NULL UNIQUE REFERENCES feedback (seq) ON DELETE CASCADE, app_id TEXT NOT NULL)`,
  `CREATE TRIGGER thread_came AFTER INSERT ON feedback BEGIN
     INSERT INTO thread_changes (feedback_seq, app_id) VALUES (NEW.seq, NEW.app_id);
   END`,
  `CREATE TRIGGER thread_changed AFTER UPDATE OF ${seen} ON feedback BEGIN
     DELETE FROM thread_changes WHERE feedback_seq = NEW.seq;
     INSERT INTO thread_changes (feedback_seq, app_id) VALUES (NEW.seq, NEW.app_id);
   END`,
  `CREATE TABLE change_counts (name TEXT NOT NULL)`,
  `INSERT INTO change_counts (name) VALUES (lower(hex(randomblob(6))))`,
];

const changesInPostgres = [
  `CREATE TABLE thread_changes (
     feedback_seq BIGINT PRIMARY KEY REFERENCES feedback (seq) ON DELETE CASCADE, app_id TEXT NOT NULL,
     number XID8 NOT NULL)`,
  `CREATE INDEX thread_changes_in_order ON thread_changes (number, feedback_seq)`,
  `CREATE FUNCTION note_thread_change() RETURNS trigger LANGUAGE plpgsql AS '
   BEGIN
     INSERT INTO thread_changes (feedback_seq, app_id, number)
     VALUES (NEW.seq, NEW.app_id, pg_current_xact_id())
     ON CONFLICT (feedback_seq) DO UPDATE SET number = excluded.number;
     RETURN NULL;
   END'`,
  `CREATE TRIGGER thread_came AFTER INSERT ON feedback
   FOR EACH ROW EXECUTE FUNCTION note_thread_change()`,
  `CREATE TRIGGER thread_changed AFTER UPDATE OF ${seen} ON feedback
   FOR EACH ROW EXECUTE FUNCTION note_thread_change()`,
  `CREATE TABLE change_counts (name TEXT NOT NULL)`,
  `INSERT INTO change_counts (name) VALUES (left(md5(CAST(random() AS text)), 12))`,
];

/**
 * What an agent needs to find work: threads by their activity and by what their newest proposal waits for, proposals by
 * app, and in `thread_changes` the last change of each thread. Its `number` is on SQLite a count in the order of the
 * commits, on PostgreSQL the id of the transaction. `change_counts` has the name of this count: a restored database
 * begins another one. Threads from before have no row.
 */
export const changesOfThreads = {
  number: 24,
  name: "changes-of-threads",
  statements: {
    sqlite: [...waiting, ...activity, ...appsOfRuns, ...changesInSqlite],
    postgres: [...waiting, ...activity, ...appsOfRuns, ...changesInPostgres],
  },
};
