import type { Reader } from "../engine/database.ts";

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

const from = `FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
    JOIN apps a ON a.id = l.app_id JOIN users u ON u.id = s.tester_id
  WHERE s.status = 'requested' AND s.request_expires_at > ? AND a.owner_id = ?`;

/** The open slot requests of all apps of an owner. Requests that have expired at `now` (ISO 8601 UTC) are left out. */
export const slotRequests = {
  /** The number of requests by app. Apps without a request are left out. */
  async countByApp(reader: Reader, ownerId: string, now: string): Promise<ReadonlyMap<string, number>> {
    const rows = await reader.all<{ appId: string; count: number }>(
      `SELECT a.id AS "appId", count(*) AS count ${from} GROUP BY a.id`,
      now,
      ownerId,
    );
    return new Map(rows.map(({ appId, count }) => [appId, count]));
  },

  /** At most `most` requests, in the order in which they expire. */
  list: (reader: Reader, ownerId: string, { now, most }: { readonly now: string; readonly most: number }) =>
    reader.all<SlotRequestRow>(
      `SELECT s.id AS "slotId", s.seat, u.email, s.request_expires_at AS "requestExpiresAt", c.id AS "cycleId",
              l.id AS "listingId", l.app_name AS "listingName", a.id AS "appId"
       ${from} ORDER BY s.request_expires_at, s.id LIMIT ?`,
      ...[now, ownerId, most],
    ),
};
