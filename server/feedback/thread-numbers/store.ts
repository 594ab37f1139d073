import type { Database, Reader, Transaction } from "../../database/database.ts";

/**
 * Gives each thread of the app without a number the next one, in the order of arrival. Call it before the threads of an
 * app are read: a new report gets no number, because reports would then wait for each other. (rule F40)
 */
export async function numberThreads(database: Database, appId: string): Promise<void> {
  if (!(await hasUnnumbered(database, appId))) return;
  // On a full disk, people can still read the threads. They get their numbers later.
  await database.write((tx) => numberThreadsIn(tx, appId)).catch(() => undefined);
}

/** Does the same as `numberThreads` in a transaction. */
export async function numberThreadsIn(tx: Transaction, appId: string): Promise<void> {
  await tx.lock(`thread numbers ${appId}`);
  const last = await tx.get<{ last: number }>(
    `SELECT CASE WHEN last_thread_number < coalesce(f.highest, 0) THEN f.highest ELSE last_thread_number END AS last
     FROM apps, (SELECT max(number) AS highest FROM feedback WHERE app_id = ?) AS f WHERE id = ?`,
    ...[appId, appId],
  );
  if (last === undefined) return;
  const given = await tx.run(
    `UPDATE feedback SET number = numbered.number FROM (
       SELECT seq, ? + row_number() OVER (ORDER BY seq) AS number
       FROM feedback WHERE app_id = ? AND ${unnumbered}) AS numbered
     WHERE numbered.seq = feedback.seq`,
    ...[last.last, appId],
  );
  await tx.run("UPDATE apps SET last_thread_number = ? WHERE id = ?", last.last + given, appId);
}

const unnumbered = "number IS NULL AND status <> 'blocked'";

const hasUnnumbered = async (reader: Reader, appId: string): Promise<boolean> =>
  (await reader.get<{ found: number }>(
    `SELECT 1 AS found FROM feedback WHERE app_id = ? AND ${unnumbered} LIMIT 1`,
    appId,
  )) !== undefined;
