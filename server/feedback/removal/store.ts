import { forgetSubjects } from "../../access/audit/forget-subjects.ts";
import type { Transaction, Value } from "../../database/database.ts";
import { proposalTopic, threadsTopic } from "../../database/signals.ts";
import { forgetIndexed } from "../search/store/search.ts";

export interface RemovedThreads {
  readonly count: number;
  /** SHA-256 of the files of these threads. Other threads may have the same files. */
  readonly hashes: readonly string[];
}

/** Deletes one thread with its messages, proposals, uploads, mails and pending deliveries. */
export const removeThread = (tx: Transaction, id: string): Promise<RemovedThreads> =>
  removeWhere(tx, "id = ?", id);

/** Deletes the oldest threads of an app, at most `most`. */
export const removeOldestThreads = (tx: Transaction, appId: string, most: number): Promise<RemovedThreads> =>
  removeWhere(tx, "app_id = ? ORDER BY created_at, id LIMIT ?", appId, most);

async function removeWhere(tx: Transaction, where: string, ...values: Value[]): Promise<RemovedThreads> {
  // On PostgreSQL the lock keeps other transactions from adding files to these threads.
  const locking = tx.engine === "postgres" ? "FOR UPDATE" : "";
  const threads = await tx.all<{ seq: number }>(
    `SELECT seq FROM feedback WHERE ${where} ${locking}`,
    ...values,
  );
  if (threads.length === 0) return { count: 0, hashes: [] };
  const seqs = threads.map(({ seq }) => seq);
  const these = `(SELECT id FROM feedback WHERE seq IN (${seqs.map(() => "?").join(", ")}))`;
  const hashes = await hashesOf(tx, these, seqs);
  await removeProposals(tx, these, seqs);
  await tx.run(
    `DELETE FROM mails WHERE subject_id IN (SELECT id FROM messages WHERE feedback_id IN ${these})`,
    ...seqs,
  );
  await forgetIndexed(tx, seqs);
  await forgetSubjects(tx, these, ...seqs);
  await tx.run(`DELETE FROM feedback WHERE id IN ${these}`, ...seqs);
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

/** Deletes the proposals and signals each one, so that requests that wait for its decision end. */
async function removeProposals(tx: Transaction, these: string, seqs: readonly number[]): Promise<void> {
  await tx.run(
    `DELETE FROM outbox WHERE subject_id IN (SELECT id FROM runs WHERE feedback_id IN ${these})`,
    ...seqs,
  );
  const removed = await tx.all<{ id: string }>(
    `DELETE FROM runs WHERE feedback_id IN ${these} RETURNING id`,
    ...seqs,
  );
  for (const { id } of removed) tx.signal(proposalTopic(id));
}
