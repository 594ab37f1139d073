import { emailOf, nameOf, nameOfActor } from "../../../access/members/authors.ts";
import type { Reader } from "../../../database/database.ts";
import type { AuditedChange, DecidedRun, NamingRelease } from "../events-rules.ts";

/** The highest number of changes of a thread that are read. */
const mostChanges = 500;

const actions = [
  "thread.update",
  "thread.assign",
  "thread.tag",
  "thread.resolve",
  "thread.snooze",
  "thread.merge",
  "thread.unmerge",
]
  .map((action) => `'${action}'`)
  .join(", ");

/**
 * Returns the newest changes of the fields of a thread from the audit, newest first. The field `changes` is JSON.
 */
export const auditedChanges = (reader: Reader, feedbackId: string): Promise<AuditedChange[]> =>
  reader.all<AuditedChange>(
    `SELECT id, at, actor, changes, ${nameOfActor(reader.engine, "audit.app_id")} AS "byName" FROM audit
     WHERE target = ? AND changes IS NOT NULL AND action IN (${actions})
     ORDER BY at DESC, id DESC LIMIT ${mostChanges}`,
    feedbackId,
  );

/** Returns the proposals of a thread that were decided. */
export const decidedRuns = (reader: Reader, feedbackId: string): Promise<DecidedRun[]> =>
  reader.all<DecidedRun>(
    `SELECT r.id, r.decided_at AS at, r.decision, ${emailOf("r.decided_by")} AS by,
       ${nameOf("r.decided_by", "f.app_id")} AS "byName"
     FROM runs r JOIN feedback f ON f.id = r.feedback_id WHERE r.feedback_id = ? AND r.decided_at IS NOT NULL AND r.decision IS NOT NULL`,
    feedbackId,
  );

/** Returns the release notes that name a thread and were published before `now`. */
export const namingReleases = (reader: Reader, feedbackId: string, now: string): Promise<NamingRelease[]> =>
  reader.all<NamingRelease>(
    `SELECT e.id, e.published_at AS at, e.version, e.title
     FROM changelog_entries e WHERE e.published_at <= ? AND e.id IN (SELECT c.entry_id FROM changelog_feedback c
       WHERE c.feedback_id IN (SELECT k.id FROM feedback k WHERE k.id = ? OR k.merged_into = ?))`,
    ...[now, feedbackId, feedbackId],
  );
