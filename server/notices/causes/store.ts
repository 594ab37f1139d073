import type { NoticeKind } from "../../../src/contract/notices.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/notices.ts";
import { insert, noticesTopic } from "../../database/transaction.ts";

/** An event or a problem about which members may get notices. */
export interface Cause {
  readonly id: string;
  readonly appId: string;
  readonly kind: NoticeKind;
  readonly subjectId: string;
  readonly feedbackId: string | null;
  readonly actorId: string | null;
  readonly createdAt: string;
}

/** The person who approved or rejected a proposal, and the status of the proposal. */
interface WorkRow {
  readonly deciderId: string | null;
  readonly status: string;
}

// The update locks an existing cause. Otherwise a server could take the cause before this transaction ends.
const insertOnce = insert(
  tables.noticeCauses,
  "ON CONFLICT (id) DO UPDATE SET created_at = notice_causes.created_at",
);

/** The causes for which no notices exist yet. The transaction of a change also stores the cause. (rule N2) */
export const noticeCauses = {
  async insert(tx: Transaction, cause: Cause): Promise<void> {
    await tx.insert(tables.noticeCauses, cause);
    tx.signal(noticesTopic);
  },

  /** Stores a new report as a cause, if a member has chosen notices about reports. */
  async insertReport(tx: Transaction, cause: Cause): Promise<void> {
    const { id, appId, kind, subjectId, feedbackId, createdAt } = cause;
    const added = await tx.run(
      `INSERT INTO notice_causes (id, app_id, kind, subject_id, feedback_id, created_at)
       SELECT CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT)
       WHERE EXISTS (SELECT 1 FROM notice_choices WHERE app_id = ? AND wants_reports = 1)`,
      ...[id, appId, kind, subjectId, feedbackId, createdAt, appId],
    );
    if (added > 0) tx.signal(noticesTopic);
  },

  /** Stores a cause. Does nothing if a cause with the same `id` still waits. */
  async insertOnce(tx: Transaction, cause: Cause): Promise<void> {
    await insertOnce(tx, cause);
    tx.signal(noticesTopic);
  },

  /** Returns the ids of the oldest causes, and of their threads. */
  oldest: (reader: Reader, most: number) =>
    reader.all<Pick<Cause, "id" | "feedbackId">>(
      `SELECT id, feedback_id AS "feedbackId" FROM notice_causes ORDER BY created_at, id LIMIT ?`,
      most,
    ),

  /** Deletes a cause and returns it, so that only one server handles it. Undefined if another server has taken it. */
  take: (tx: Transaction, id: string) =>
    tx.get<Cause>(
      `DELETE FROM notice_causes WHERE id = ?
       RETURNING id, app_id AS "appId", kind, subject_id AS "subjectId", feedback_id AS "feedbackId",
         actor_id AS "actorId", created_at AS "createdAt"`,
      id,
    ),
};

/** Reads the data that decides who gets notices. */
export const circumstances = {
  /** Returns the assignee of a thread; undefined if the thread is hidden or does not exist. */
  thread: (reader: Reader, id: string) =>
    reader.get<{ assigneeId: string | null }>(
      `SELECT assignee_id AS "assigneeId" FROM feedback WHERE id = ? AND status <> 'blocked'`,
      id,
    ),

  /** Counts the reports that a thread got since a time. Stops at `most`. */
  async repeats(reader: Reader, feedbackId: string, since: string, most: number): Promise<number> {
    const row = await reader.get<{ count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 AS one FROM messages WHERE feedback_id = ? AND created_at > ? AND category IS NOT NULL AND direction = 'inbound' LIMIT ?) AS found`,
      ...[feedbackId, since, most],
    );
    return Number(row?.count ?? 0);
  },

  /** Returns who approved or rejected a proposal, and the status of the proposal. */
  run: (reader: Reader, id: string) =>
    reader.get<WorkRow>(
      `SELECT coalesce(approved_by, decided_by) AS "deciderId", status FROM runs WHERE id = ?`,
      id,
    ),

  /** Returns how many slots and how many testers a running test has; undefined if the test is not running. */
  async testers(reader: Reader, cycleId: string) {
    const row = await reader.get<{ seats: number; testers: number }>(
      `SELECT count(DISTINCT s.seat) AS seats,
              sum(CASE WHEN s.status IN ('active', 'at_risk') THEN 1 ELSE 0 END) AS testers
       FROM cycles c JOIN slots s ON s.cycle_id = c.id WHERE c.id = ? AND c.status = 'running'`,
      cycleId,
    );
    const seats = Number(row?.seats ?? 0);
    return seats === 0 ? undefined : { seats, testers: Number(row?.testers ?? 0) };
  },

  /**
   * Returns the proposals of at most `most` workers that reported nothing since `before`. Each silence is
   * returned only once.
   */
  silent: (tx: Transaction, before: string, most: number) =>
    tx.all<{ runId: string }>(
      `UPDATE run_claims SET silence_told = coalesce(progress_at, claimed_at) WHERE id IN (
         SELECT id FROM run_claims WHERE released_at IS NULL AND outcome_status IS NULL AND claimed_at <= ?
           AND coalesce(progress_at, claimed_at) <= ?
           AND (silence_told IS NULL OR silence_told < coalesce(progress_at, claimed_at)) LIMIT ?)
       RETURNING run_id AS "runId"`,
      ...[before, before, most],
    ),

  /** Whether a worker has been silent since `before` and members got no notice about this silence yet. */
  hasSilent: async (reader: Reader, before: string): Promise<boolean> =>
    (await reader.get(
      `SELECT 1 AS one FROM run_claims WHERE released_at IS NULL AND outcome_status IS NULL AND claimed_at <= ?
         AND coalesce(progress_at, claimed_at) <= ?
         AND (silence_told IS NULL OR silence_told < coalesce(progress_at, claimed_at)) LIMIT 1`,
      ...[before, before],
    )) !== undefined,

  /** Returns the app and the thread of a proposal. */
  placeOfRun: (reader: Reader, id: string) =>
    reader.get<{ appId: string; feedbackId: string }>(
      `SELECT f.app_id AS "appId", f.id AS "feedbackId" FROM runs r JOIN feedback f ON f.id = r.feedback_id
       WHERE r.id = ?`,
      id,
    ),
};
