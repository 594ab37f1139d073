import { membershipOf } from "../../access/members/visibility.ts";
import type { Reader } from "../../database/database.ts";

/** A tester's request for a slot. */
export interface SlotRequestRow {
  readonly slotId: string;
  readonly seat: number;
  readonly email: string;
  readonly requestExpiresAt: string;
  readonly cycleId: string;
  readonly listingId: string;
  /** The name of the app in its listing. */
  readonly listingName: string;
  readonly appId: string;
}

export interface WantedRequests {
  readonly now: string;
  readonly most: number;
  readonly appId?: string | undefined;
}

const from = `FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
    JOIN app_members v ON v.app_id = l.app_id JOIN users u ON u.id = s.tester_id
  WHERE s.status = 'requested' AND s.request_expires_at > ? AND ${membershipOf("maintainer")}`;

/** The open slot requests that this person may answer. Requests that have expired at `now` (ISO 8601 UTC) are left out. */
export const slotRequests = {
  /** The number of requests by app. Apps without a request are left out. */
  async countByApp(reader: Reader, userId: string, now: string): Promise<ReadonlyMap<string, number>> {
    const rows = await reader.all<{ appId: string; count: number }>(
      `SELECT l.app_id AS "appId", count(*) AS count ${from} GROUP BY l.app_id`,
      now,
      userId,
    );
    return new Map(rows.map(({ appId, count }) => [appId, count]));
  },

  /** At most `most` requests, in the order in which they expire: of an app, or of all apps of the person. */
  list: (reader: Reader, userId: string, { now, most, appId }: WantedRequests) =>
    reader.all<SlotRequestRow>(
      `SELECT s.id AS "slotId", s.seat, u.email, s.request_expires_at AS "requestExpiresAt", c.id AS "cycleId",
              l.id AS "listingId", l.app_name AS "listingName", l.app_id AS "appId"
       ${from} AND v.app_id = coalesce(?, v.app_id) ORDER BY s.request_expires_at, s.id LIMIT ?`,
      ...[now, userId, appId ?? null, most],
    ),
};
