import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader } from "../../engine/database.ts";
import { plannedEachTime } from "../../engine/planned-each-time.ts";

/** A proposal that waits for a decision, with its thread and app. */
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
const from = "FROM app_members v CROSS JOIN apps a CROSS JOIN feedback f";
const forDecision = `${membershipOf("maintainer")} AND a.id = v.app_id AND f.app_id = a.id AND f.waiting = 'approval'`;

/** The proposals that wait for a decision that this person may take. */
export const awaitingProposals = {
  /** The proposals after `position`, which is the `createdAt` and the `id` of a proposal. */
  list: (reader: Reader, userId: string, { newestFirst, position, limit }: AwaitingPage) => {
    const [beyond, order] = newestFirst ? ["<", "DESC"] : [">", "ASC"];
    return reader.all<AwaitingRow>(
      plannedEachTime(`SELECT r.id, r.summary, r.created_at AS "createdAt", f.id AS "feedbackId", f.subject,
              a.id AS "appId", a.name AS "appName"
       ${from} JOIN runs r ON r.feedback_id = f.id AND r.status = 'awaiting_approval'
       WHERE ${forDecision} AND (r.created_at, r.id) ${beyond} (?, ?)
       ORDER BY r.created_at ${order}, r.id ${order} LIMIT ?`),
      ...[userId, ...position, limit],
    );
  },
};
