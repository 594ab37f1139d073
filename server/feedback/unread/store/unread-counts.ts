import { limits } from "../../../../src/contract/limits.ts";
import { membershipOf } from "../../../access/members/visibility.ts";
import type { Reader } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { activeAt, readUntil } from "./unread.ts";

/** Counting ends here: whether more wait makes no difference to a reader, and costs a read of each. */
export const mostCounted = limits.mostCounted + 1;

/** What waits for a person in an app; each number at most `mostCounted`. */
export interface CountRow {
  readonly appId: string;
  readonly unread: number;
  /** The proposals that this person may decide on. */
  readonly waiting: number;
}

const counted = (sql: string): string =>
  `(SELECT count(*) FROM (SELECT 1 AS one ${sql} LIMIT ${mostCounted}) AS counted)`;

/** The apps of a person, and how many of the threads that were active after `read_until` the person has read. */
const mine = `SELECT v.app_id, v.user_id, v.role, ${readUntil} AS until,
    (SELECT count(*) FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id AND l.seen_count >= 0
      AND l.active_at > ${readUntil}) AS seen
  FROM app_members v WHERE ${membershipOf("viewer")}`;
/** Of so many threads in one app, at least `mostCounted` are unread. */
const enough = `SELECT coalesce(max(seen), 0) + ${mostCounted} AS threads FROM mine`;

// The threads minus the looks: a look was active when its thread was. No look counts that hides a thread of a blocked sender.
const later = `((SELECT count(*) FROM (SELECT 1 AS one FROM feedback f WHERE f.app_id = v.app_id AND f.status <> 'blocked'
    AND ${activeAt} > v.until ORDER BY ${activeAt} DESC LIMIT (SELECT threads FROM enough)) AS active) - v.seen)`;
const marked = counted(`FROM thread_looks l WHERE l.app_id = v.app_id AND l.user_id = v.user_id
  AND l.seen_count = -1 AND l.active_at <= v.until`);
const waiting = counted("FROM feedback f WHERE f.app_id = v.app_id AND f.waiting = 'approval'");

/** What waits for a person, in each app of which the person is a member. */
export async function unreadCounts(reader: Reader, userId: string): Promise<CountRow[]> {
  const rows = await reader.all<CountRow>(
    plannedEachTime(`WITH mine AS MATERIALIZED (${mine}), enough AS MATERIALIZED (${enough})
     SELECT v.app_id AS "appId", ${later} + ${marked} AS unread,
       CASE WHEN v.role = 'viewer' THEN 0 ELSE ${waiting} END AS waiting
     FROM mine v`),
    userId,
  );
  return rows.map((row) => ({ ...row, unread: Math.min(row.unread, mostCounted) }));
}
