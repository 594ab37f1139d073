import type { Reader } from "../../../database/database.ts";
import { plannedEachTime } from "../../../database/planned-each-time.ts";
import { isUnread } from "./unread.ts";

/** The last message of a thread, which is the report if nobody has written since, and whether the thread is unread. */
export interface NewsRow {
  readonly id: string;
  /** 1 or 0. */
  readonly unread: number;
  readonly direction: string;
  readonly author: string;
  readonly senderName: string | null;
  readonly senderEmail: string | null;
  /** The e-mail address of the member who wrote it. */
  readonly writtenBy: string | null;
  /** The beginning of the text. */
  readonly text: string;
  readonly createdAt: string;
}

/** The number of characters of a text that are read. */
const newsText = 300;

// The newest message is found first: one step in an index for each thread. CROSS JOIN makes SQLite begin with the threads: without
// statistics it would read all threads of all apps of the member.
const sql = (ids: readonly string[]) =>
  plannedEachTime(`SELECT f.id, CASE WHEN ${isUnread} THEN 1 ELSE 0 END AS unread,
    coalesce(m.direction, 'inbound') AS direction, coalesce(m.author, 'sender') AS author,
    CASE WHEN w.id IS NULL THEN f.sender_name ELSE w.sender_name END AS "senderName",
    CASE WHEN w.id IS NULL THEN f.sender_email ELSE w.sender_email END AS "senderEmail",
    u.email AS "writtenBy", substr(coalesce(m.body, f.message), 1, ${newsText}) AS text,
    coalesce(m.created_at, f.created_at) AS "createdAt"
  FROM (SELECT id, app_id, sender_name, sender_email, message, active_at, created_at, activity_count,
      (SELECT n.id FROM messages n WHERE n.feedback_id = feedback.id AND n.direction <> 'blocked' ORDER BY n.created_at DESC, n.id DESC LIMIT 1) AS last
    FROM feedback WHERE id IN (${ids.map(() => "?").join(", ")})) AS f
  CROSS JOIN app_members v
  LEFT JOIN messages m ON m.id = f.last
  LEFT JOIN messages w ON w.id = CASE WHEN m.category IS NULL THEN m.report_id ELSE m.id END
  LEFT JOIN users u ON u.id = m.author_id
  WHERE v.app_id = f.app_id AND v.user_id = ?`);

/** What is new on these threads, for a member of their app. */
export const threadNews = async (
  reader: Reader,
  userId: string,
  ids: readonly string[],
): Promise<NewsRow[]> => (ids.length === 0 ? [] : reader.all<NewsRow>(sql(ids), ...ids, userId));
