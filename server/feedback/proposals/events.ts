import type { Transaction } from "../../database/database.ts";

export type EventType = "run.proposed" | "run.decided" | "run.claimed" | "run.finished";

export interface NewEvent {
  readonly id: string;
  readonly appId: string;
  readonly type: EventType;
  /** The id of what it is about. */
  readonly subjectId: string;
  /** Ids and states, never texts that people or agents wrote. */
  readonly facts: Readonly<Record<string, string | readonly string[] | null>>;
  readonly createdAt: string;
}

/**
 * What happened in an app, each in the transaction of the change. It is a record for receivers outside, and no delivery: a
 * channel makes deliveries of it. (rule A27)
 */
export const events = {
  insert: (tx: Transaction, { id, appId, type, subjectId, facts, createdAt }: NewEvent) =>
    tx.insert("events", {
      id,
      app_id: appId,
      type,
      subject_id: subjectId,
      facts: JSON.stringify(facts),
      created_at: createdAt,
    }),

  /** Deletes at most `most` events from before that instant. Gives their number. */
  prune: (tx: Transaction, before: string, most: number) =>
    tx.run(
      "DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_at < ? ORDER BY created_at LIMIT ?)",
      before,
      most,
    ),
};
