import type { Engine, Reader, Transaction } from "../../database/database.ts";
import type { Added } from "../../database/schema/table.ts";
import * as tables from "../../database/schema/testing.ts";

/** The data of a slot, its cycle and its listing that the tester sees. Booleans are 0 and 1. */
export interface TesterSlotRow {
  readonly slotId: string;
  readonly cycleId: string;
  readonly listingId: string;
  readonly appId: string;
  readonly status: string;
  readonly activatedAt: string | null;
  readonly requestExpiresAt: string | null;
  readonly missedDays: number;
  /** The numbers of the counted days. Each number has a comma before and after it: `,1,2,`. */
  readonly counted: string;
  readonly joinCheckPending: number;
  readonly keySealed: string | null;
  readonly cycleStatus: string;
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  /** A JSON array of times: the starts of the days, and the end of the last day. */
  readonly dayStarts: string;
  readonly appName: string;
  readonly iconUrl: string | null;
  readonly packageName: string;
  readonly optInUrl: string;
  readonly testBrief: string;
  /** A JSON array of the names of screens. */
  readonly screens: string;
  readonly verificationTier: string;
}

export interface ActiveSlots {
  readonly rows: readonly TesterSlotRow[];
  /** The ids of the cycles in which the tester has an active slot. Cycles that have not started are included. */
  readonly cycles: readonly string[];
  readonly nextAt: string | null;
}

/** The fields that decide whether a tester may request a slot. */
interface RequestedSlotRow {
  readonly cycleId: string;
  readonly appId: string;
  readonly seat: number;
  readonly cycleStatus: string;
  /** A JSON array of times: the starts of the days, and the end of the last day. */
  readonly dayStarts: string;
  readonly isMember: number | boolean;
}

const fields: Readonly<Record<keyof TesterSlotRow, string>> = {
  slotId: "s.id",
  cycleId: "s.cycle_id",
  listingId: "c.listing_id",
  appId: "l.app_id",
  status: "s.status",
  activatedAt: "s.activated_at",
  requestExpiresAt: "s.request_expires_at",
  missedDays: "s.missed_days",
  counted: "s.counted",
  joinCheckPending: "s.join_check_pending",
  keySealed: "s.key_sealed",
  cycleStatus: "c.status",
  startsOn: "c.starts_on",
  timezone: "c.timezone",
  durationDays: "c.duration_days",
  dayStarts: "c.day_starts",
  appName: "l.app_name",
  iconUrl: "l.icon_url",
  packageName: "l.package_name",
  optInUrl: "l.opt_in_url",
  testBrief: "l.test_brief",
  screens: "l.screens",
  verificationTier: "l.verification_tier",
};

const columns = Object.entries(fields)
  .map(([name, expression]) => `${expression} AS "${name}"`)
  .join(", ");

const pairs = Object.entries(fields)
  .map(([name, expression]) => `'${name}', ${expression}`)
  .join(", ");

/**
 * SQL that returns all rows as one JSON text. The driver reads one text much faster than many separate columns.
 */
const asJson: Record<Engine, (order: string) => string> = {
  sqlite: (order) => `json_group_array(json_object(${pairs}) ORDER BY ${order})`,
  postgres: (order) => `coalesce(json_agg(json_build_object(${pairs}) ORDER BY ${order}), '[]')`,
};

const from = "FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id";

/** The queries with which testers read and request slots. */
export const testerSlots = {
  /** Returns the slots with a task, oldest cycle first, and when the tester's cycles change next. */
  async listActive(reader: Reader, testerId: string): Promise<ActiveSlots> {
    const found = await reader.get<{ rows: string; cycles: string; nextAt: string | null }>(
      `SELECT CAST(${asJson[reader.engine]("c.created_at, s.id")} AS TEXT) AS rows,
         (SELECT min(n.next_at) FROM slots m JOIN cycles n ON n.id = m.cycle_id
          WHERE m.tester_id = ? AND m.status IN ('active', 'at_risk')) AS "nextAt",
         coalesce((SELECT string_agg(m.cycle_id, ' ') FROM slots m
          WHERE m.tester_id = ? AND m.status IN ('active', 'at_risk')), '') AS cycles ${from}
       WHERE s.tester_id = ? AND s.status IN ('active', 'at_risk') AND c.status = 'running'
         AND c.closed_days < c.duration_days`,
      ...[testerId, testerId, testerId],
    );
    return {
      rows: JSON.parse(found?.rows ?? "[]"),
      cycles: (found?.cycles ?? "").split(" ").filter((id) => id !== ""),
      nextAt: found?.nextAt ?? null,
    };
  },

  /** Returns all slots that the tester has or had. The slot in the newest cycle comes first. (rule T36) */
  list: (reader: Reader, testerId: string) =>
    reader.all<TesterSlotRow>(
      `SELECT ${columns} ${from} WHERE s.tester_id = ? ORDER BY c.created_at DESC, s.id DESC`,
      testerId,
    ),

  /** Returns a slot if the tester has or had it; otherwise undefined. (rule T38) */
  find: (reader: Reader, id: string, testerId: string) =>
    reader.get<TesterSlotRow>(`SELECT ${columns} ${from} WHERE s.id = ? AND s.tester_id = ?`, id, testerId),

  findRequested: (reader: Reader, id: string, testerId: string) =>
    reader.get<RequestedSlotRow>(
      `SELECT s.cycle_id AS "cycleId", l.app_id AS "appId", s.seat, c.status AS "cycleStatus", c.day_starts AS "dayStarts",
              EXISTS (SELECT 1 FROM app_members WHERE app_id = l.app_id AND user_id = ?) AS "isMember"
       ${from} WHERE s.id = ?`,
      testerId,
      id,
    ),

  /** Requests an open slot. Returns false if the slot is no longer open. */
  request: async (
    tx: Transaction,
    id: string,
    { testerId, expiresAt }: { readonly testerId: string; readonly expiresAt: string },
  ): Promise<boolean> =>
    (await tx.run(
      `UPDATE slots SET status = 'requested', tester_id = ?, request_expires_at = ?
       WHERE id = ? AND status = 'open'`,
      testerId,
      expiresAt,
      id,
    )) === 1,
};

/** A cycle with open slots. `openSlotId` is the slot that the tester can request. */
interface OpenListingRow {
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
  /** The key by which the list is sorted. The answer of the API does not contain it. */
  readonly createdAt: string;
}

/** The tester, and the wanted page of the list: at most `limit` cycles after `position`, newest first. */
interface OpenListingsQuery {
  readonly testerId: string;
  readonly now: string;
  readonly position: readonly string[];
  readonly limit: number;
}

const order = "seat, created_at, id";

const openOnes = "FROM slots o WHERE o.cycle_id = c.id AND o.status = 'open'";

/** A slot whose request has expired counts as open, even if its stored status is still `requested`. */
const expiredOnes = `FROM slots r WHERE r.cycle_id = c.id AND r.status = 'requested' AND r.request_expires_at <= CAST(? AS TEXT)`;

const firstFree = `SELECT id FROM (
    SELECT * FROM (SELECT o.id, o.seat, o.created_at ${openOnes} ORDER BY o.seat, o.created_at, o.id LIMIT 1) AS opened
    UNION ALL SELECT r.id, r.seat, r.created_at ${expiredOnes}
  ) AS free ORDER BY ${order} LIMIT 1`;

/** SQL for the end of the last day, which is the last item of the JSON array `["…", "2027-03-15T00:00:00.000Z"]`. */
const endOfLastDay = "substr(c.day_starts, length(c.day_starts) - 25, 24)";

/**
 * Returns the cycles in which the tester may request a slot, newest first. Treats due changes as applied.
 * (rule T37)
 */
export const openListings = (
  reader: Reader,
  { testerId, now, position, limit }: OpenListingsQuery,
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

/** The proofs of testers. The images of a proof are stored as uploads. */
export const proofs = {
  insert: (tx: Transaction, proof: Added<typeof tables.proofs>) => tx.insert(tables.proofs, proof),

  /**
   * Deletes the images of an app's proofs. Returns their hashes. No image can be added until the transaction
   * ends.
   */
  async removeImages(tx: Transaction, appId: string): Promise<string[]> {
    if (tx.engine === "postgres") await tx.get("SELECT 1 AS one FROM apps WHERE id = ? FOR UPDATE", appId);
    const images = await tx.all<{ sha256: string }>(
      "DELETE FROM uploads WHERE app_id = ? AND proof_id IS NOT NULL RETURNING sha256",
      appId,
    );
    return images.map(({ sha256 }) => sha256);
  },
};
