import type { Reader, Transaction } from "../../database/database.ts";

interface FirstReport {
  readonly id: string;
  readonly subject: string;
  readonly message: string;
  readonly createdAt: string;
}

/** How many of the oldest threads of an app are searched for a first answer. */
const mostThreads = 100;

const firstThreads =
  "SELECT id FROM feedback WHERE app_id = a.id ORDER BY created_at, id LIMIT CAST(? AS INTEGER)";

const answered = `CASE WHEN EXISTS (SELECT 1 FROM (${firstThreads}) f
  JOIN messages m ON m.feedback_id = f.id WHERE m.direction = 'outbound') THEN 1 ELSE 0 END`;

const hasKey = "CASE WHEN EXISTS (SELECT 1 FROM app_keys k WHERE k.app_id = a.id) THEN 1 ELSE 0 END";

/** Reports of blocked senders are hidden, so they do not count. */
const isShown = "status <> 'blocked'";

const hasReport = `CASE WHEN EXISTS (SELECT 1 FROM feedback WHERE app_id = a.id AND ${isShown})
  THEN 1 ELSE 0 END`;

/** Which first steps with an app are done: 1 for a done step, otherwise 0. */
interface StepsRow {
  readonly hasKey: number;
  readonly answered: number;
  readonly putAwayAt: string | null;
}

/** An app whose first steps are not hidden. */
export interface StartedApp {
  readonly id: string;
  readonly name: string;
  readonly hasKey: number;
  readonly hasReport: number;
  readonly answered: number;
}

export const firstSteps = {
  read: (reader: Reader, appId: string) =>
    reader.get<StepsRow>(
      `SELECT ${hasKey} AS "hasKey", ${answered} AS "answered", a.start_put_away_at AS "putAwayAt"
       FROM apps a WHERE a.id = ?`,
      mostThreads,
      appId,
    ),

  /** Returns the first report of an app; undefined if no report has arrived. */
  firstReport: (reader: Reader, appId: string) =>
    reader.get<FirstReport>(
      `SELECT id, subject, message, created_at AS "createdAt" FROM feedback
       WHERE app_id = ? AND ${isShown} ORDER BY created_at, id LIMIT 1`,
      appId,
    ),

  /** Returns the newest apps of an owner whose first steps are not hidden. */
  started: (reader: Reader, userId: string, most: number) =>
    reader.all<StartedApp>(
      `SELECT a.id, a.name, ${hasKey} AS "hasKey", ${hasReport} AS "hasReport", ${answered} AS "answered"
       FROM app_members m JOIN apps a ON a.id = m.app_id
       WHERE m.user_id = ? AND m.role = 'owner' AND a.start_put_away_at IS NULL
       ORDER BY a.created_at DESC, a.id LIMIT ?`,
      ...[mostThreads, userId, most],
    ),

  putAway: (tx: Transaction, appId: string, at: string) =>
    tx.run("UPDATE apps SET start_put_away_at = ? WHERE id = ? AND start_put_away_at IS NULL", at, appId),
};
