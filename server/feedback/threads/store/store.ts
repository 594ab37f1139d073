import type { Database, Reader, Transaction } from "../../../database/database.ts";
import type { Condition } from "../../../database/lists.ts";

/**
 * Assigns the next numbers to the threads of an app that have no number yet, in the order of their arrival. Call this
 * before the threads of an app are read. A new report gets no number at first, because otherwise reports would wait for
 * each other. (rule F40)
 */
export async function numberThreads(database: Database, appId: string): Promise<void> {
  if (!(await hasUnnumbered(database, appId))) return;
  // If the disk is full, the error is ignored, so that people can still read the threads. The threads get their numbers
  // later.
  await numberAll(database, appId).catch(() => undefined);
}

async function numberAll(database: Database, appId: string): Promise<void> {
  for (;;) if ((await database.write((tx) => numberThreadsIn(tx, appId))) < mostAtOnce) return;
}

/** An import can add very many threads. They are numbered in parts, so that no transaction takes long. */
const mostAtOnce = 2_000;

/** Numbers the next threads in a transaction, at most 2,000. Returns the number of these threads. */
async function numberThreadsIn(tx: Transaction, appId: string): Promise<number> {
  await tx.lock(`thread numbers ${appId}`);
  const last = await tx.get<{ last: number }>(
    `SELECT CASE WHEN last_thread_number < coalesce(f.highest, 0) THEN f.highest ELSE last_thread_number END AS last
     FROM apps, (SELECT max(number) AS highest FROM feedback WHERE app_id = ? AND number IS NOT NULL) AS f
     WHERE id = ?`,
    ...[appId, appId],
  );
  if (last === undefined) return 0;
  const given = await tx.run(
    `UPDATE feedback SET number = numbered.number FROM (
       SELECT seq, ? + row_number() OVER (ORDER BY seq) AS number
       FROM (SELECT seq FROM feedback WHERE app_id = ? AND ${unnumbered}
             ORDER BY seq LIMIT ${mostAtOnce}) AS next) AS numbered
     WHERE numbered.seq = feedback.seq`,
    ...[last.last, appId],
  );
  await tx.run("UPDATE apps SET last_thread_number = ? WHERE id = ?", last.last + given, appId);
  return given;
}

const unnumbered = "number IS NULL AND status <> 'blocked'";

const hasUnnumbered = async (reader: Reader, appId: string): Promise<boolean> =>
  (await reader.get<{ found: number }>(
    `SELECT 1 AS found FROM feedback WHERE app_id = ? AND ${unnumbered} LIMIT 1`,
    appId,
  )) !== undefined;

/**
 * Returns the condition for the thread with a number in one of these apps. The number of a merged thread finds the
 * thread into which it was merged. (rule F46)
 */
export const withNumber = (appIds: readonly string[], number: number): Condition => [
  `f.id IN (SELECT coalesce(k.merged_into, k.id) FROM feedback k
     WHERE k.app_id IN (${appIds.map(() => "?").join(", ")}) AND k.number = ?)`,
  ...[...appIds, number],
];
