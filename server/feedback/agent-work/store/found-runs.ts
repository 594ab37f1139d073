import type { RunDecision, RunStatus } from "../../../../src/contract/runs.ts";
import { type Viewer, visibleTo } from "../../../access/members/visibility.ts";
import type { Reader } from "../../../database/database.ts";
import { type PageOfScopes, pageOfScopes } from "../../../database/lists.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";

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
  page: PageOfScopes,
): Promise<FoundRunRow[]> {
  const seen = visibleTo(viewer);
  const sorted = { at: "r.created_at", id: "r.id" };
  const [newest, ...values] = pageOfScopes(
    reader.engine,
    {
      scopes: [`SELECT v.app_id AS scope FROM app_members v WHERE ${seen.sql}`, ...seen.values],
      rows: { table: "runs r", key: "r.id", ...sorted },
      inScope: {
        from: "runs r",
        ...sorted,
        conditions: [
          ["r.app_id = s.scope"],
          ...(status === undefined ? [] : [["r.status = ?", status] as const]),
        ],
      },
    },
    page,
  );
  return reader.all<FoundRunRow>(
    plannedEachTime(
      `SELECT r.id, r.status, r.decision, r.summary, r.created_at AS "createdAt", r.decided_at AS "decidedAt",
              r.expires_at AS "expiresAt", r.replaced_by AS "replacedBy", f.id AS "feedbackId", f.subject,
              a.id AS "appId", a.name AS "appName"
       FROM (${newest}) AS newest CROSS JOIN runs r CROSS JOIN feedback f CROSS JOIN apps a
       WHERE r.id = newest.found AND f.id = r.feedback_id AND a.id = r.app_id ORDER BY r.created_at DESC, r.id DESC`,
    ),
    ...values,
  );
}
