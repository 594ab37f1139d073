import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { NotedAnswering } from "./answering.ts";

/** Where one person writes. */
interface PlaceOf {
  readonly userId: string;
  readonly feedbackId: string;
}

/** Who was noted, and where. */
interface AnsweringRow extends NotedAnswering {
  readonly userId: string;
}

const columns = `user_id AS "userId", feedback_id AS "feedbackId", noted_at AS "notedAt"`;

/** Who writes an answer in which thread. No row is proof that the person still does: the time decides. (rule F36) */
export const answering = {
  /** Where a person was noted last. */
  find: (reader: Reader, userId: string) =>
    reader.get<AnsweringRow>(`SELECT ${columns} FROM answering_members WHERE user_id = ?`, userId),

  /** All who were noted in a thread. */
  list: (reader: Reader, feedbackId: string) =>
    reader.all<AnsweringRow>(`SELECT ${columns} FROM answering_members WHERE feedback_id = ?`, feedbackId),

  /** Notes a person in a thread. Does nothing if the person may not answer there. */
  note: (tx: Transaction, { userId, feedbackId }: PlaceOf, at: string) =>
    tx.run(
      `INSERT INTO answering_members (user_id, app_id, feedback_id, noted_at)
       SELECT v.user_id, f.app_id, f.id, ? FROM feedback f JOIN app_members v ON v.app_id = f.app_id
       WHERE f.id = ? AND f.status <> 'blocked' AND ${membershipOf("maintainer")}
       ON CONFLICT (user_id) DO UPDATE SET app_id = excluded.app_id, feedback_id = excluded.feedback_id,
         noted_at = excluded.noted_at`,
      ...[at, feedbackId, userId],
    ),

  /** Removes the note of a person in a thread. */
  remove: (tx: Transaction, { userId, feedbackId }: PlaceOf) =>
    tx.run("DELETE FROM answering_members WHERE user_id = ? AND feedback_id = ?", userId, feedbackId),

  /** Removes all that were noted before an instant. There is one for each person at most. */
  prune: (tx: Transaction, before: string) =>
    tx.run("DELETE FROM answering_members WHERE noted_at < ?", before),
};
