import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader } from "../../database/database.ts";
import { type PageOfScopes, pageOfScopes } from "../../database/lists.ts";
import { plannedEachTime } from "../../database/transaction.ts";
import { isNewer } from "../threads/store/threads.ts";

export interface AwaitingRow {
  readonly id: string;
  readonly summary: string;
  readonly createdAt: string;
  readonly feedbackId: string;
  readonly subject: string;
  /** The status of the thread. */
  readonly status: string;
  readonly appId: string;
  readonly appName: string;
}

/** Queries for the proposals that await a decision of this person. The sort key is `createdAt` and `id`. */
export const awaitingProposals = {
  /** Counts the waiting proposals in apps in which the person may only read, up to `most`. (rule K20) */
  async countForOthers(reader: Reader, userId: string, most: number): Promise<number> {
    const sql = plannedEachTime(
      `SELECT count(*) AS count FROM (SELECT f.id FROM app_members v JOIN feedback f ON f.app_id = v.app_id
         WHERE v.user_id = ? AND v.role = 'viewer' AND f.waiting = 'approval' LIMIT ?) AS waiting`,
    );
    return Number((await reader.get<{ count: number }>(sql, userId, most))?.count ?? 0);
  },

  list(reader: Reader, userId: string, page: PageOfScopes): Promise<AwaitingRow[]> {
    const sorted = { at: "r.created_at", id: "r.id" };
    const [found, ...values] = pageOfScopes(
      reader.engine,
      {
        scopes: [`SELECT v.app_id AS scope FROM app_members v WHERE ${membershipOf("maintainer")}`, userId],
        rows: { table: "runs r", key: "r.id", ...sorted },
        inScope: {
          from: "runs r JOIN feedback f ON f.id = r.feedback_id",
          ...sorted,
          conditions: [
            ["r.app_id = s.scope"],
            ["r.status = 'awaiting_approval'"],
            ["f.waiting = 'approval'"],
          ],
        },
      },
      page,
    );
    const order = page.oldestFirst ? "ASC" : "DESC";
    return reader.all<AwaitingRow>(
      plannedEachTime(
        `SELECT r.id, r.summary, r.created_at AS "createdAt", f.id AS "feedbackId", f.subject, f.status,
                a.id AS "appId", a.name AS "appName"
         FROM (${found}) AS page CROSS JOIN runs r CROSS JOIN feedback f CROSS JOIN apps a
         WHERE r.id = page.found AND f.id = r.feedback_id AND a.id = f.app_id
         ORDER BY r.created_at ${order}, r.id ${order}`,
      ),
      ...values,
    );
  },
};

/** A row in one of the start page's lists of agent work. */
export interface AgentWorkRow {
  readonly runId: string;
  readonly feedbackId: string;
  readonly subject: string;
  readonly appId: string;
  readonly appName: string;
  /** The name of the worker; null for a proposal that nobody has claimed. */
  readonly worker: string | null;
  /** The time of the approval, the last activity, the failure, or the request for changes. */
  readonly at: string;
  /** The summary of a plan, the agent's last report, or the note with the request for changes. */
  readonly text: string | null;
}

/** Selects at most `most` rows since the time `since` in the apps of a person. */
interface WorkQuery {
  readonly userId: string;
  readonly since: string;
  readonly most: number;
}

const named = `f.id AS "feedbackId", f.subject, a.id AS "appId", a.name AS "appName"`;

// The queries read claims or proposals first, because there are few. On SQLite, CROSS JOIN keeps this order.
const ofClaims = `FROM run_claims c CROSS JOIN runs r CROSS JOIN feedback f CROSS JOIN apps a CROSS JOIN app_members v
  WHERE r.id = c.run_id AND f.id = r.feedback_id AND a.id = f.app_id AND v.app_id = a.id AND ${membershipOf("viewer")}`;

// PostgreSQL allows no ON after CROSS JOIN, so the conditions are in WHERE.
const ofProposals = `FROM runs r CROSS JOIN feedback f CROSS JOIN apps a CROSS JOIN app_members v
  WHERE f.id = r.feedback_id AND a.id = f.app_id AND v.app_id = a.id AND ${membershipOf("viewer")}`;

// Begins with the threads that wait for a worker, because the index of waiting threads is small.
const ofApproved = `FROM app_members v CROSS JOIN feedback f CROSS JOIN runs r CROSS JOIN apps a
  WHERE ${membershipOf("viewer")} AND f.app_id = v.app_id AND f.waiting = 'approved'
    AND r.feedback_id = f.id AND r.status = 'approved' AND a.id = f.app_id`;

// Excludes finished threads and threads with a newer proposal. Agent work on these threads no longer matters.
const current = `f.status IN ('open', 'in_progress')
  AND NOT EXISTS (SELECT 1 FROM runs n WHERE n.feedback_id = f.id AND ${isNewer("n", "r")})`;

/** Queries for the work of agents in all apps of a person. (rule A54) */
export const agentWork = {
  /**
   * Returns approved plans that no worker has claimed, oldest first. Excludes approvals that have expired at
   * the time `now`.
   */
  approved: (reader: Reader, { userId, now, most }: Omit<WorkQuery, "since"> & { readonly now: string }) =>
    reader.all<AgentWorkRow>(
      plannedEachTime(`SELECT r.id AS "runId", ${named}, NULL AS worker, r.summary AS text, r.decided_at AS at
       ${ofApproved} AND (r.expires_at IS NULL OR r.expires_at > ?) AND ${current}
       ORDER BY r.decided_at, r.id LIMIT ?`),
      userId,
      now,
      most,
    ),

  /** Returns claims that have no outcome and were not released, oldest first. */
  inWork: (reader: Reader, { userId, most }: Omit<WorkQuery, "since">) =>
    reader.all<AgentWorkRow>(
      plannedEachTime(`SELECT r.id AS "runId", ${named}, c.worker, c.progress_text AS text,
              coalesce(c.progress_at, c.claimed_at) AS at
       ${ofClaims} AND c.released_at IS NULL AND c.outcome_status IS NULL
       ORDER BY c.claimed_at, c.id LIMIT ?`),
      userId,
      most,
    ),

  /** Returns work that failed, newest first. */
  failed: (reader: Reader, { userId, since, most }: WorkQuery) =>
    reader.all<AgentWorkRow>(
      plannedEachTime(`SELECT r.id AS "runId", ${named}, c.worker, c.outcome_summary AS text, c.outcome_at AS at
       ${ofClaims} AND c.outcome_status = 'failed' AND c.outcome_at > ? AND ${current}
       ORDER BY c.outcome_at DESC, c.id DESC LIMIT ?`),
      userId,
      since,
      most,
    ),

  /** Returns proposals for which a member requested changes and for which there is no newer proposal, newest first. */
  sentBack: (reader: Reader, { userId, since, most }: WorkQuery) =>
    reader.all<AgentWorkRow>(
      plannedEachTime(`SELECT r.id AS "runId", ${named}, NULL AS worker, r.decision_note AS text, r.decided_at AS at
       ${ofProposals} AND r.decision = 'request_changes' AND r.decided_at > ? AND ${current}
       ORDER BY r.decided_at DESC, r.id DESC LIMIT ?`),
      userId,
      since,
      most,
    ),
};
