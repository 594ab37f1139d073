import * as access from "./access.ts";
import * as content from "./content.ts";
import * as deployment from "./deployment.ts";
import * as feedback from "./feedback.ts";
import * as mail from "./mail.ts";
import * as notices from "./notices.ts";
import * as search from "./search.ts";
import * as statistics from "./statistics.ts";
import { type AnyTable, isTable, type Statement } from "./table.ts";
import * as testing from "./testing.ts";
import * as hooks from "./webhooks.ts";

/** Returns a trigger that runs a statement for each changed row. */
const onEachRow = ({
  name,
  when,
  calls,
  does,
}: {
  readonly name: string;
  readonly when: string;
  /** The name of the trigger function on PostgreSQL. */
  readonly calls: string;
  readonly does: string;
}): Statement[] => [
  { sqlite: null, postgres: functionOf(calls, does) },
  {
    sqlite: `CREATE TRIGGER ${name} ${when} BEGIN ${does}; END`,
    postgres: `CREATE TRIGGER ${name} ${when} FOR EACH ROW EXECUTE FUNCTION ${calls}()`,
  },
];

const functionOf = (name: string, statement: string) =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS '
   BEGIN
     ${statement};
     RETURN NULL;
   END'`;

// The columns that an agent sees in its list of threads. Changes of other columns are not recorded.
const seen = "status, category, subject, occurrences, waiting, proposal_status, active_at";

const changes: readonly Statement[] = [
  {
    sqlite: null,
    postgres: functionOf(
      "note_thread_change",
      `INSERT INTO thread_changes (feedback_seq, app_id, number)
       VALUES (NEW.seq, NEW.app_id, pg_current_xact_id())
       ON CONFLICT (feedback_seq) DO UPDATE SET number = excluded.number`,
    ),
  },
  {
    sqlite: `CREATE TRIGGER thread_came AFTER INSERT ON feedback BEGIN
      INSERT INTO thread_changes (feedback_seq, app_id) VALUES (NEW.seq, NEW.app_id);
    END`,
    postgres: `CREATE TRIGGER thread_came AFTER INSERT ON feedback
      FOR EACH ROW EXECUTE FUNCTION note_thread_change()`,
  },
  {
    sqlite: `CREATE TRIGGER thread_changed AFTER UPDATE OF ${seen} ON feedback BEGIN
      DELETE FROM thread_changes WHERE feedback_seq = NEW.seq;
      INSERT INTO thread_changes (feedback_seq, app_id) VALUES (NEW.seq, NEW.app_id);
    END`,
    postgres: `CREATE TRIGGER thread_changed AFTER UPDATE OF ${seen} ON feedback
      FOR EACH ROW EXECUTE FUNCTION note_thread_change()`,
  },
];

// On PostgreSQL, this update runs once per statement, because a merge of tags changes many threads.
const counted = (sign: "+" | "-") => `UPDATE tags SET threads = threads ${sign} c.number
  FROM (SELECT tag_id, count(*) AS number FROM changed GROUP BY tag_id) AS c WHERE tags.id = c.tag_id`;

const counts: readonly Statement[] = [
  { sqlite: null, postgres: functionOf("count_tags_up", counted("+")) },
  { sqlite: null, postgres: functionOf("count_tags_down", counted("-")) },
  {
    sqlite: `CREATE TRIGGER tags_counted_up AFTER INSERT ON thread_tags BEGIN
      UPDATE tags SET threads = threads + 1 WHERE id = NEW.tag_id; END`,
    postgres: `CREATE TRIGGER tags_counted_up AFTER INSERT ON thread_tags REFERENCING NEW TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION count_tags_up()`,
  },
  {
    sqlite: `CREATE TRIGGER tags_counted_down AFTER DELETE ON thread_tags BEGIN
      UPDATE tags SET threads = threads - 1 WHERE id = OLD.tag_id; END`,
    postgres: `CREATE TRIGGER tags_counted_down AFTER DELETE ON thread_tags REFERENCING OLD TABLE AS changed
      FOR EACH STATEMENT EXECUTE FUNCTION count_tags_down()`,
  },
];

/** Triggers that update copies of a thread's columns, count the threads of tags, and record changes. */
const triggerSchema: readonly Statement[] = [
  ...changes,
  ...onEachRow({
    name: "thread_tags_copied",
    when: "AFTER UPDATE OF status, active_at ON feedback",
    calls: "copy_to_thread_tags",
    does: `UPDATE thread_tags SET status = NEW.status, active_at = coalesce(NEW.active_at, NEW.created_at)
      WHERE feedback_id = NEW.id`,
  }),
  ...onEachRow({
    name: "thread_looks_marked",
    when: "AFTER UPDATE OF activity_count ON feedback",
    calls: "mark_looks",
    does: `UPDATE thread_looks SET seen_count = -1, active_at = coalesce(NEW.active_at, NEW.created_at)
      WHERE feedback_id = NEW.id AND seen_count < NEW.activity_count`,
  }),
  ...counts,
  ...onEachRow({
    name: "thread_tags_assigned",
    when: "AFTER UPDATE OF assignee_id ON feedback",
    calls: "copy_assignee_to_thread_tags",
    does: "UPDATE thread_tags SET assignee_id = NEW.assignee_id WHERE feedback_id = NEW.id",
  }),
];

/**
 * The whole schema: all tables, and statements for everything else. Each part comes after the parts to which it refers.
 */
export const schema: readonly (Statement | AnyTable)[] = [
  ...access.accessSchema,
  ...testing.testingSchema,
  ...feedback.feedbackSchema,
  ...search.searchSchema,
  search.threadsToIndex,
  search.threadsSetApart,
  ...triggerSchema,
  ...content.contentSchema,
  ...mail.mailSchema,
  ...deployment.deploymentSchema,
  ...statistics.statisticsSchema,
  ...hooks.webhookSchema,
  ...notices.noticeSchema,
  ...notices.browserNoticeSchema,
];

/** All tables except the list of migrations. */
export const allTables: readonly AnyTable[] = schema.filter(isTable);

export type TableName =
  | NamesIn<typeof access>
  | NamesIn<typeof content>
  | NamesIn<typeof deployment>
  | NamesIn<typeof feedback>
  | NamesIn<typeof mail>
  | NamesIn<typeof search>
  | NamesIn<typeof statistics>
  | NamesIn<typeof testing>
  | NamesIn<typeof hooks>
  | NamesIn<typeof notices>;

type NamesIn<Module> = {
  [Key in keyof Module]: Module[Key] extends {
    readonly name: infer Name extends string;
    readonly columns: object;
  }
    ? Name
    : never;
}[keyof Module];
