import type { RunDecision, RunStatus } from "../../../../src/contract/run.ts";
import { type Viewer, visibleTo } from "../../access/members/visibility.ts";
import type { Engine, Reader } from "../../engine/database.ts";
import { plannedEachTime } from "../../engine/planned-each-time.ts";
import type { FoundPage } from "../found-threads.ts";

/** A proposal in the list of an agent. */
export interface FoundRunRow {
  readonly id: string;
  readonly status: RunStatus;
  readonly decision: RunDecision | null;
  readonly summary: string;
  readonly createdAt: string;
  readonly decidedAt: string | null;
  readonly expiresAt: string | null;
  readonly replacedBy: string | null;
  readonly feedbackId: string;
  readonly subject: string;
  readonly appId: string;
  readonly appName: string;
}

export interface RunSearch {
  readonly viewer: Viewer;
  readonly status: RunStatus | undefined;
}

/** The proposals that an agent may read, newest first. The sort key is `createdAt` and `id`. */
export function findRuns(
  reader: Reader,
  { viewer, status }: RunSearch,
  { position, limit }: FoundPage,
): Promise<FoundRunRow[]> {
  const [ofStatus, statuses] = status === undefined ? ["", []] : ["AND r.status = ?", [status]];
  const seen = visibleTo(viewer);
  const sort = "ORDER BY r.created_at DESC, r.id DESC LIMIT ?";
  const ofEachApp = `FROM runs r WHERE r.app_id = v.app_id ${ofStatus} AND (r.created_at, r.id) < (?, ?) ${sort}`;
  const newest = `SELECT r.id FROM ${newestOfApps[reader.engine](ofEachApp)} WHERE ${seen.sql} ${sort}`;
  return reader.all<FoundRunRow>(
    plannedEachTime(
      `SELECT r.id, r.status, r.decision, r.summary, r.created_at AS "createdAt", r.decided_at AS "decidedAt",
              r.expires_at AS "expiresAt", r.replaced_by AS "replacedBy", f.id AS "feedbackId", f.subject,
              a.id AS "appId", a.name AS "appName"
       FROM (${newest}) AS newest CROSS JOIN runs r CROSS JOIN feedback f CROSS JOIN apps a
       WHERE r.id = newest.id AND f.id = r.feedback_id AND a.id = r.app_id ${sort}`,
    ),
    ...[...statuses, ...position, limit, ...seen.values, limit, limit],
  );
}

/** The tables `app_members v` and `runs r`, of which only the proposals that `ofEachApp` gives for an app. */
const newestOfApps: Record<Engine, (ofEachApp: string) => string> = {
  sqlite: (ofEachApp) => `app_members v CROSS JOIN runs r ON r.id IN (SELECT r.id ${ofEachApp})`,
  postgres: (ofEachApp) => `app_members v CROSS JOIN LATERAL (SELECT r.id, r.created_at ${ofEachApp}) AS r`,
};
