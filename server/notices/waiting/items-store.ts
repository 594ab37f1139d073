import type { Reader, Transaction } from "../../database/database.ts";
import { plannedEachTime } from "../../database/statements.ts";
import type { NoticeRow } from "./store.ts";

/** The texts and states that a notice needs. They are read when the text of the notice is written. */
export const noticeFacts = {
  /** Returns the name and the chat of an app. */
  app: (reader: Reader, id: string) =>
    reader.get<{ name: string; chatWebhookUrl: string | null; chatFormat: string }>(
      `SELECT name, chat_webhook_url AS "chatWebhookUrl", chat_format AS "chatFormat" FROM apps WHERE id = ?`,
      id,
    ),

  appName: async (reader: Reader, id: string): Promise<string | undefined> =>
    (await reader.get<{ name: string }>("SELECT name FROM apps WHERE id = ?", id))?.name,

  /**
   * Locks the threads of these notices until the mail with their texts is stored. If a thread is erased at the same
   * time, the erasure waits. Then it finds the mail and takes it back. SQLite has only one writer and needs no lock.
   * (rule P4)
   */
  async lockThreads(tx: Transaction, rows: readonly Pick<NoticeRow, "feedbackId">[]): Promise<void> {
    const ids = [...new Set(rows.flatMap(({ feedbackId }) => feedbackId ?? []))].sort();
    if (tx.engine === "sqlite" || ids.length === 0) return;
    await lockInPostgres(tx, ids);
  },

  /** Returns the subject of a thread, how often it was reported, and its assignee; undefined for a hidden thread. */
  thread: (reader: Reader, id: string) =>
    reader.get<{ subject: string; occurrences: number; assigneeId: string | null }>(
      `SELECT subject, occurrences, assignee_id AS "assigneeId" FROM feedback WHERE id = ? AND status <> 'blocked'`,
      id,
    ),

  /** Returns the state of a proposal and the outcome of its last claim; undefined if it was deleted. */
  run: (reader: Reader, id: string) =>
    reader.get<{ status: string; outcome: string | null }>(
      `SELECT r.status, (SELECT c.outcome_status FROM run_claims c WHERE c.run_id = r.id
         ORDER BY c.released_at IS NOT NULL, c.claimed_at DESC, c.id DESC LIMIT 1) AS outcome
       FROM runs r WHERE r.id = ?`,
      id,
    ),
};

const lockInPostgres = (tx: Transaction, ids: readonly string[]) =>
  tx.all<{ id: string }>(
    plannedEachTime(
      `SELECT id FROM feedback WHERE id IN (${ids.map(() => "?").join(", ")}) ORDER BY id FOR SHARE`,
    ),
    ...ids,
  );
