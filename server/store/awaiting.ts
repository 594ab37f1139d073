import type { Reader } from "./database.ts";

/** A proposal that waits for its owner's decision, and where it stands. */
export interface AwaitingRow {
  readonly id: string;
  readonly summary: string;
  readonly createdAt: string;
  readonly feedbackId: string;
  readonly subject: string;
  readonly appId: string;
  readonly appName: string;
}

const from = `FROM runs r JOIN feedback f ON f.id = r.feedback_id JOIN apps a ON a.id = f.app_id
  WHERE r.status = 'awaiting_approval' AND a.owner_id = ?`;

/** What waits for a person, over all apps of an owner. */
export const awaiting = {
  async count(reader: Reader, ownerId: string): Promise<number> {
    const row = await reader.get<{ count: number }>(`SELECT count(*) AS count ${from}`, ownerId);
    return row?.count ?? 0;
  },

  /** The longest waiting first. */
  list: (reader: Reader, ownerId: string, most: number) =>
    reader.all<AwaitingRow>(
      `SELECT r.id, r.summary, r.created_at AS "createdAt", f.id AS "feedbackId", f.subject,
              a.id AS "appId", a.name AS "appName"
       ${from} ORDER BY r.created_at, r.id LIMIT ?`,
      ownerId,
      most,
    ),
};
