import type { Reader, Transaction } from "./database.ts";

/** A seat with its test, as its tester sees it. Switches are 0 and 1. */
export interface TesterSlotRow {
  readonly slotId: string;
  readonly cycleId: string;
  readonly listingId: string;
  readonly appId: string;
  readonly status: string;
  readonly activatedAt: string | null;
  readonly requestExpiresAt: string | null;
  readonly missedDays: number;
  /** The counted days between commas. */
  readonly counted: string;
  readonly joinCheckPending: number;
  readonly keySealed: string | null;
  readonly cycleStatus: string;
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  /** A JSON array of instants. */
  readonly dayStarts: string;
  readonly appName: string;
  readonly iconUrl: string | null;
  readonly packageName: string;
  readonly optInUrl: string;
  readonly testBrief: string;
  /** A JSON array of names. */
  readonly screens: string;
  readonly verificationTier: string;
}

/** What decides whether somebody may ask for a seat. */
export interface WantedSlotRow {
  readonly cycleId: string;
  readonly cycleStatus: string;
  readonly ownerId: string;
}

const columns = `s.id AS "slotId", s.cycle_id AS "cycleId", c.listing_id AS "listingId", l.app_id AS "appId",
  s.status, s.activated_at AS "activatedAt", s.request_expires_at AS "requestExpiresAt",
  s.missed_days AS "missedDays", s.counted, s.join_check_pending AS "joinCheckPending",
  s.key_sealed AS "keySealed", c.status AS "cycleStatus", c.starts_on AS "startsOn", c.timezone,
  c.duration_days AS "durationDays", c.day_starts AS "dayStarts", l.app_name AS "appName",
  l.icon_url AS "iconUrl", l.package_name AS "packageName", l.opt_in_url AS "optInUrl",
  l.test_brief AS "testBrief", l.screens, l.verification_tier AS "verificationTier"`;

const from = "FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id";

/** Seats, as their testers see them and ask for them. */
export const testerSlots = {
  /** Those in which there is something to do, the oldest test first. */
  listActive: (reader: Reader, testerId: string) =>
    reader.all<TesterSlotRow>(
      `SELECT ${columns} ${from}
       WHERE s.tester_id = ? AND s.status IN ('active', 'at_risk') AND c.status = 'running'
       ORDER BY c.created_at, s.id`,
      testerId,
    ),

  /** All that the tester has or had, the newest test first. */
  list: (reader: Reader, testerId: string) =>
    reader.all<TesterSlotRow>(
      `SELECT ${columns} ${from} WHERE s.tester_id = ? ORDER BY c.created_at DESC, s.id DESC`,
      testerId,
    ),

  /** The seat, where the tester has or had it. */
  find: (reader: Reader, id: string, testerId: string) =>
    reader.get<TesterSlotRow>(`SELECT ${columns} ${from} WHERE s.id = ? AND s.tester_id = ?`, id, testerId),

  findWanted: (reader: Reader, id: string) =>
    reader.get<WantedSlotRow>(
      `SELECT s.cycle_id AS "cycleId", c.status AS "cycleStatus", a.owner_id AS "ownerId"
       ${from} JOIN apps a ON a.id = l.app_id WHERE s.id = ?`,
      id,
    ),

  /** Asks for an open seat; false where it is not open any more. */
  request: async (tx: Transaction, id: string, testerId: string, expiresAt: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE slots SET status = 'requested', tester_id = ?, request_expires_at = ?
       WHERE id = ? AND status = 'open'`,
      testerId,
      expiresAt,
      id,
    )) === 1,
};
