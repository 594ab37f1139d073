import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader } from "../../database/database.ts";
import { type PageOfScopes, pageOfScopes } from "../../database/lists.ts";
import { plannedEachTime } from "../../database/planned-each-time.ts";

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

/** The proposals that wait for a decision that this person may take. The sort key is `createdAt` and `id`. */
export const awaitingProposals = {
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
        `SELECT r.id, r.summary, r.created_at AS "createdAt", f.id AS "feedbackId", f.subject,
                a.id AS "appId", a.name AS "appName"
         FROM (${found}) AS page CROSS JOIN runs r CROSS JOIN feedback f CROSS JOIN apps a
         WHERE r.id = page.found AND f.id = r.feedback_id AND a.id = f.app_id
         ORDER BY r.created_at ${order}, r.id ${order}`,
      ),
      ...values,
    );
  },
};
