import type { Reader } from "../engine/database.ts";
import { plannedEachTime } from "../engine/planned-each-time.ts";

/** A proposal that waits for its owner's decision, with its thread and app. */
export interface AwaitingRow {
  readonly id: string;
  readonly summary: string;
  readonly createdAt: string;
  readonly feedbackId: string;
  readonly subject: string;
  readonly appId: string;
  readonly appName: string;
}

/** A page of the list: where it begins, and how long it is. */
export interface AwaitingPage {
  readonly newestFirst: boolean;
  readonly position: readonly string[];
  readonly limit: number;
}

// Threads are read first, through their own small index: only a few of millions of threads wait for a decision.
// (CROSS JOIN makes SQLite keep that order. PostgreSQL allows no ON after it.)
const from = "FROM apps a CROSS JOIN feedback f";
const ofOwner = "a.owner_id = ? AND f.app_id = a.id AND f.proposal_status = 'awaiting_approval'";

/** The proposals of all apps of an owner that wait for a decision. */
export const awaitingProposals = {
  async count(reader: Reader, ownerId: string): Promise<number> {
    const row = await reader.get<{ count: number }>(
      plannedEachTime(`SELECT count(*) AS count ${from} WHERE ${ofOwner}`),
      ownerId,
    );
    return row?.count ?? 0;
  },

  /** The proposals after `position`, which is the `createdAt` and the `id` of a proposal. */
  list: (reader: Reader, ownerId: string, { newestFirst, position, limit }: AwaitingPage) => {
    const [beyond, order] = newestFirst ? ["<", "DESC"] : [">", "ASC"];
    return reader.all<AwaitingRow>(
      plannedEachTime(`SELECT r.id, r.summary, r.created_at AS "createdAt", f.id AS "feedbackId", f.subject,
              a.id AS "appId", a.name AS "appName"
       ${from} JOIN runs r ON r.feedback_id = f.id AND r.status = 'awaiting_approval'
       WHERE ${ofOwner} AND (r.created_at, r.id) ${beyond} (?, ?)
       ORDER BY r.created_at ${order}, r.id ${order} LIMIT ?`),
      ...[ownerId, ...position, limit],
    );
  },
};
