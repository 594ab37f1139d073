import { FeedbackType } from "../../../../src/contract/feedback.ts";
import { forgetSubjects } from "../../../access/audit/store.ts";
import type { Engine, Reader, Transaction, Value } from "../../../database/database.ts";
import { plannedEachTime, proposalTopic, threadsTopic } from "../../../database/transaction.ts";
import type { Deps } from "../../../deps.ts";
import { mails } from "../../../mail/outgoing/store.ts";
import { notices } from "../../../notices/waiting/store.ts";
import { tooOldBefore } from "../rules.ts";

const atOnce = 200;

type RemovalDeps = Pick<Deps, "database" | "keptFiles" | "log">;

/** Deletes the threads of an app and their files. Other writes wait only for small transactions. */
export async function removeThreads(deps: RemovalDeps, appId: string): Promise<void> {
  for (;;) {
    const { count, hashes } = await deps.database.write((tx) => removeOldestThreads(tx, appId, atOnce));
    removeFiles(deps, hashes);
    if (count < atOnce) return;
  }
}

/** Deletes the threads that arrived while `removeThreads` ran. Returns the hashes of their files. */
export async function removeLastThreads(tx: Transaction, appId: string): Promise<string[]> {
  const gone: string[] = [];
  for (;;) {
    const { count, hashes } = await removeOldestThreads(tx, appId, atOnce);
    gone.push(...hashes);
    if (count < atOnce) return gone;
  }
}

/** Deletes unused files in the background. Errors are only logged, because the thread or app is already deleted. */
export function removeFiles({ keptFiles, log }: RemovalDeps, hashes: readonly string[]): void {
  keptFiles.removeLater(hashes, (error) => log.warn({ err: error }, "unused files could not be deleted"));
}

/** An app that has a limit for the age of resolved threads. */
export interface RetentionOfApp {
  readonly id: string;
  readonly ownerId: string;
}

const isWorkedOn = `EXISTS (
    SELECT 1 FROM runs r JOIN run_claims c ON c.run_id = r.id
    WHERE r.feedback_id = feedback.id AND c.released_at IS NULL AND c.outcome_status IS NULL)`;

// A thread with a waiting proposal or an unfinished claim is not deleted.
const isFree: Record<Engine, string> = {
  // Most threads have no proposal, and the check of `proposal_status` is fast.
  sqlite: `waiting IS NULL AND (proposal_status IS NULL OR NOT ${isWorkedOn})`,
  // In an OR, PostgreSQL could not turn `NOT EXISTS` into a join.
  postgres: `waiting IS NULL AND NOT ${isWorkedOn}`,
};

const due = (engine: Engine): string =>
  `app_id = ? AND status = 'resolved' AND category = ? AND coalesce(active_at, created_at) < ? AND ${isFree[engine]}`;

/** Finds and deletes resolved threads that are older than the limit of their app. (rule P9) */
export const retention = {
  apps: (reader: Reader) =>
    reader.all<RetentionOfApp>(
      `SELECT id, owner_id AS "ownerId" FROM apps WHERE retention_days IS NOT NULL ORDER BY id`,
    ),

  /** Counts the threads that would be too old with a limit of `days`, at most `most`. */
  async countDue(
    reader: Reader,
    appId: string,
    { days, now, most }: { readonly days: number; readonly now: Date; readonly most: number },
  ): Promise<number> {
    let total = 0;
    // One query for each type, because the index by activity begins with the type.
    for (const type of FeedbackType.options) {
      const row = await reader.get<{ count: number }>(
        plannedEachTime(
          `SELECT count(*) AS count FROM (SELECT 1 AS one FROM feedback WHERE ${due(reader.engine)} LIMIT ?) AS old`,
        ),
        ...[appId, type, tooOldBefore(days, now), most - total],
      );
      total += Number(row?.count ?? 0);
    }
    return total;
  },

  /**
   * Deletes up to `most` threads that are older than the app's current limit. All deleted threads have the same
   * type.
   */
  async removeDue(
    tx: Transaction,
    appId: string,
    { now, most }: { readonly now: Date; readonly most: number },
  ): Promise<RemovedThreads> {
    const app = await tx.get<{ days: number | null }>(
      "SELECT retention_days AS days FROM apps WHERE id = ?",
      appId,
    );
    if (!app?.days) return { count: 0, hashes: [] };
    const before = tooOldBefore(app.days, now);
    for (const type of FeedbackType.options) {
      const removed = await removeSome(tx, [appId, type, before], most);
      if (removed.count > 0) return removed;
    }
    return { count: 0, hashes: [] };
  },

  async lastTime(reader: Reader): Promise<string | undefined> {
    return (await reader.get<{ at: string }>("SELECT at FROM last_times WHERE name = 'retention'"))?.at;
  },

  setLastTime: (tx: Transaction, at: string) =>
    tx.run(
      `INSERT INTO last_times (name, at) VALUES ('retention', ?)
       ON CONFLICT (name) DO UPDATE SET at = excluded.at`,
      at,
    ),
};

async function removeSome(tx: Transaction, values: readonly string[], most: number): Promise<RemovedThreads> {
  // With the lock, PostgreSQL checks the condition again for a thread that is reopened meanwhile.
  const locking = tx.engine === "postgres" ? "FOR UPDATE" : "";
  const threads = await tx.all<{ id: string }>(
    `SELECT id FROM feedback WHERE ${due(tx.engine)} ORDER BY coalesce(active_at, created_at), id LIMIT ${most} ${locking}`,
    ...values,
  );
  const hashes: string[] = [];
  for (const { id } of threads) hashes.push(...(await removeThread(tx, id)).hashes);
  return { count: threads.length, hashes };
}

interface RemovedThreads {
  readonly count: number;
  /** The SHA-256 hashes of the files of the deleted threads. Other threads may have the same files. */
  readonly hashes: readonly string[];
}

/**
 * Deletes a thread and its merged threads. The caller must delete the files with the returned hashes after
 * the transaction. (rule F18)
 */
export const removeThread = (tx: Transaction, id: string): Promise<RemovedThreads> =>
  removeWhere(tx, "id = ?", id);

/** Deletes the oldest threads of an app, at most `most`. */
export const removeOldestThreads = (tx: Transaction, appId: string, most: number): Promise<RemovedThreads> =>
  removeWhere(tx, "app_id = ? ORDER BY created_at, id LIMIT ?", appId, most);

async function removeWhere(tx: Transaction, where: string, ...values: Value[]): Promise<RemovedThreads> {
  // On PostgreSQL, the lock prevents new files of these threads, and new mails about them.
  const locking = tx.engine === "postgres" ? "FOR UPDATE" : "";
  const threads = await tx.all<{ seq: number }>(
    `SELECT seq FROM feedback WHERE ${where} ${locking}`,
    ...values,
  );
  if (threads.length === 0) return { count: 0, hashes: [] };
  const merged = await tx.all<{ seq: number }>(
    `SELECT seq FROM feedback WHERE merged_into IN (
       SELECT id FROM feedback WHERE seq IN (${threads.map(() => "?").join(", ")})) ${locking}`,
    ...threads.map(({ seq }) => seq),
  );
  const seqs = [...new Set([...threads, ...merged].map(({ seq }) => seq))];
  const these = `(SELECT id FROM feedback WHERE seq IN (${seqs.map(() => "?").join(", ")}))`;
  const hashes = await hashesOf(tx, these, seqs);
  await removeProposals(tx, these, seqs);
  await mails.moveToCopies(tx, these, ...seqs);
  await tx.run(
    `DELETE FROM mails WHERE subject_id IN (SELECT id FROM messages WHERE feedback_id IN ${these})`,
    ...seqs,
  );
  const emptied = await notices.recall(tx, these, ...seqs);
  await forgetSubjects(tx, these, ...seqs);
  await tx.run(`DELETE FROM feedback WHERE id IN ${these}`, ...seqs);
  await notices.removeEmpty(tx, emptied);
  tx.signal(threadsTopic);
  return { count: threads.length, hashes };
}

async function hashesOf(tx: Transaction, these: string, seqs: readonly number[]): Promise<string[]> {
  const files = await tx.all<{ sha256: string }>(
    `SELECT DISTINCT sha256 FROM uploads WHERE feedback_id IN ${these}`,
    ...seqs,
  );
  return files.map(({ sha256 }) => sha256);
}

/** Deletes the proposals of threads. A signal for each proposal ends the requests that wait for its decision. */
async function removeProposals(tx: Transaction, these: string, seqs: readonly number[]): Promise<void> {
  await tx.run(
    `DELETE FROM outbox WHERE subject_id IN (SELECT id FROM runs WHERE feedback_id IN ${these})`,
    ...seqs,
  );
  await tx.run(`DELETE FROM outbox WHERE subject_id IN ${these}`, ...seqs);
  const removed = await tx.all<{ id: string }>(
    `DELETE FROM runs WHERE feedback_id IN ${these} RETURNING id`,
    ...seqs,
  );
  for (const { id } of removed) tx.signal(proposalTopic(id));
}
