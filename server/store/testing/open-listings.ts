import type { Reader } from "../engine/database.ts";

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
}

const most = 500;

/** The open slots. A slot whose request has expired counts as open, even if the slot was not opened yet. */
const open = `FROM slots s WHERE s.cycle_id = c.id
  AND (s.status = 'open' OR (s.status = 'requested' AND s.request_expires_at <= CAST(? AS TEXT)))`;

/** The last instant of the JSON array `["…", "2027-03-15T00:00:00.000Z"]`. */
const endOfLastDay = "substr(c.day_starts, length(c.day_starts) - 25, 24)";

/**
 * The cycles in which an account may request a slot, newest first. Leaves out cycles of the apps of which it is a member, cycles in
 * which it has, or had, a slot, and cycles whose last day is over. Treats due changes as already applied, so that the list
 * need not wait for them.
 */
export const openListings = (reader: Reader, testerId: string, now: string): Promise<OpenListingRow[]> =>
  reader.all<OpenListingRow>(
    `SELECT l.id AS "listingId", c.id AS "cycleId", l.app_name AS "appName", l.icon_url AS "iconUrl",
            l.package_name AS "packageName", l.test_brief AS "testBrief", c.duration_days AS "durationDays",
            (SELECT count(*) ${open}) AS "seatsFree",
            (SELECT s.id ${open} ORDER BY s.seat, s.created_at, s.id LIMIT 1) AS "openSlotId",
            c.starts_on AS "startsOn",
            CASE WHEN c.next_at <= CAST(? AS TEXT) THEN 'running' ELSE c.status END AS "cycleStatus"
     FROM cycles c JOIN listings l ON l.id = c.listing_id
     WHERE c.next_at IS NOT NULL AND c.status IN ('recruiting', 'running')
       AND NOT EXISTS (SELECT 1 FROM app_members WHERE app_id = l.app_id AND user_id = ?)
       AND ${endOfLastDay} > CAST(? AS TEXT)
       AND EXISTS (SELECT 1 ${open})
       AND NOT EXISTS (SELECT 1 FROM slots m WHERE m.cycle_id = c.id AND m.tester_id = ?)
     ORDER BY c.created_at DESC, c.id DESC LIMIT ${most}`,
    ...[now, now, now, testerId, now, now, testerId],
  );
