import { limits } from "../../../../src/contract/limits.ts";
import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader } from "../../engine/database.ts";
import { plannedEachTime } from "../../engine/planned-each-time.ts";
import { activeAt, isNews, readUntil } from "./unread.ts";

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

const later = counted(
  `FROM feedback f WHERE f.app_id = v.app_id AND f.status <> 'blocked' AND ${isNews} ORDER BY ${activeAt} DESC`,
);
const marked =
  counted(`FROM thread_looks l CROSS JOIN feedback f WHERE l.app_id = v.app_id AND l.user_id = v.user_id
  AND f.id = l.feedback_id AND l.seen_count < f.activity_count AND ${activeAt} <= ${readUntil}`);
const waiting = counted("FROM feedback f WHERE f.app_id = v.app_id AND f.waiting = 'approval'");

/** What waits for a person, in each app of which the person is a member. */
export const unreadCounts = (reader: Reader, userId: string) =>
  reader.all<CountRow>(
    plannedEachTime(`SELECT v.app_id AS "appId", ${later} + ${marked} AS unread,
       CASE WHEN v.role = 'viewer' THEN 0 ELSE ${waiting} END AS waiting
     FROM app_members v WHERE ${membershipOf("viewer")}`),
    userId,
  );
