import type { Reader } from "../../database/database.ts";

/** A cycle with open slots, one of which is offered. */
export interface OpenListingRow {
  readonly listingId: string;
  readonly cycleId: string;
  readonly appName: string;
  readonly iconUrl: string | null;
  readonly packageName: string;
  readonly testBrief: string;
  readonly durationDays: number;
  readonly seatsFree: number;
  readonly openSlotId: string;
  readonly startsOn: string;
  readonly cycleStatus: string;
  /** Where it stands in the list. Not shown. */
  readonly createdAt: string;
}

/** Who asks, and for which page: the cycles before a position, the newest first. */
export interface OpenListingsAsked {
  readonly testerId: string;
  readonly now: string;
  readonly position: readonly string[];
  readonly limit: number;
}

const order = "seat, created_at, id";
const openOnes = "FROM slots o WHERE o.cycle_id = c.id AND o.status = 'open'";
/** A slot whose request has expired counts as open, even if the slot was not opened yet. */
const expiredOnes = `FROM slots r WHERE r.cycle_id = c.id AND r.status = 'requested' AND r.request_expires_at <= CAST(? AS TEXT)`;

/** The first slot that is free. */
const firstFree = `SELECT id FROM (
    SELECT * FROM (SELECT o.id, o.seat, o.created_at ${openOnes} ORDER BY o.seat, o.created_at, o.id LIMIT 1) AS opened
    UNION ALL SELECT r.id, r.seat, r.created_at ${expiredOnes}
  ) AS free ORDER BY ${order} LIMIT 1`;

/** The last instant of the JSON array `["…", "2027-03-15T00:00:00.000Z"]`. */
const endOfLastDay = "substr(c.day_starts, length(c.day_starts) - 25, 24)";

/**
 * The cycles in which an account may request a slot, newest first. Leaves out cycles of the apps of which it is a member, cycles in
 * which it has, or had, a slot, and cycles whose last day is over. Treats due changes as already applied, so that the list
 * need not wait for them.
 */
export const openListings = (
  reader: Reader,
  { testerId, now, position, limit }: OpenListingsAsked,
): Promise<OpenListingRow[]> =>
  reader.all<OpenListingRow>(
    `SELECT l.id AS "listingId", c.id AS "cycleId", l.app_name AS "appName", l.icon_url AS "iconUrl",
            l.package_name AS "packageName", l.test_brief AS "testBrief", c.duration_days AS "durationDays",
            (SELECT count(*) ${openOnes}) + (SELECT count(*) ${expiredOnes}) AS "seatsFree",
            (${firstFree}) AS "openSlotId",
            c.starts_on AS "startsOn",
            CASE WHEN c.next_at <= CAST(? AS TEXT) THEN 'running' ELSE c.status END AS "cycleStatus",
            c.created_at AS "createdAt"
     FROM cycles c JOIN listings l ON l.id = c.listing_id
     WHERE c.next_at IS NOT NULL AND (c.created_at, c.id) < (CAST(? AS TEXT), CAST(? AS TEXT))
       AND c.status IN ('recruiting', 'running')
       AND NOT EXISTS (SELECT 1 FROM app_members WHERE app_id = l.app_id AND user_id = ?)
       AND ${endOfLastDay} > CAST(? AS TEXT)
       AND (EXISTS (SELECT 1 ${openOnes}) OR EXISTS (SELECT 1 ${expiredOnes}))
       AND NOT EXISTS (SELECT 1 FROM slots m WHERE m.cycle_id = c.id AND m.tester_id = ?)
     ORDER BY c.created_at DESC, c.id DESC LIMIT ?`,
    ...[now, now, now, ...position, testerId, now, now, testerId, limit],
  );
