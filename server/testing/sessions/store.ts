import type { Reader, Transaction } from "../../database/database.ts";

/** A slot that was found by its test key, with the fields that decide whether a day counts. */
export interface KeyedSlotRow {
  readonly id: string;
  readonly cycleId: string;
  readonly status: string;
  readonly activatedAt: string | null;
  /** The numbers of the counted days. Each number has a comma before and after it: `,1,2,`. */
  readonly counted: string;
  readonly cycleStatus: string;
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  /** A JSON array of times: the starts of the days, and the end of the last day. */
  readonly dayStarts: string;
  /** The time at which the next change of the cycle is due; null if there is no next change. */
  readonly nextAt: string | null;
}

/** A reported session with its verdict. Instants are ISO 8601 UTC with milliseconds. */
export interface NewTestSession {
  readonly id: string;
  /** The day of the test; 0 if the session is not on a day of the test. */
  readonly dayIndex: number;
  readonly startedAt: string;
  readonly endedAt: string;
  /** A JSON array of the names of screens. */
  readonly screens: string;
  readonly appVersion: string | null;
  readonly reason: string | null;
  readonly receivedAt: string;
}

/** Identifies a slot by its app and the hash of its test key. */
export interface SlotKey {
  readonly appId: string;
  readonly keyHash: string;
}

/** The test sessions that apps report, and the slots that they belong to. */
export const testSessions = {
  /** Returns the slot of this app to which the test key belongs now. */
  findSlot: (reader: Reader, { appId, keyHash }: SlotKey) =>
    reader.get<KeyedSlotRow>(
      `SELECT s.id, s.cycle_id AS "cycleId", s.status, s.activated_at AS "activatedAt", s.counted,
              c.status AS "cycleStatus", c.starts_on AS "startsOn", c.timezone,
              c.duration_days AS "durationDays", c.day_starts AS "dayStarts",
              c.next_at AS "nextAt"
       FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
       WHERE s.key_hash = ? AND l.app_id = ?`,
      keyHash,
      appId,
    ),

  /** Returns the hashes of the given keys that belong to a slot of any app. */
  async heldKeys(reader: Reader, keys: readonly Pick<SlotKey, "keyHash">[]): Promise<ReadonlySet<string>> {
    const rows = await reader.all<{ readonly keyHash: string }>(
      `SELECT key_hash AS "keyHash" FROM slots WHERE key_hash IN (${keys.map(() => "?").join(", ")})`,
      ...keys.map(({ keyHash }) => keyHash),
    );
    return new Set(rows.map(({ keyHash }) => keyHash));
  },

  /**
   * Stores a session. Returns false for an unknown slot. A call takes the same time in both cases. (rule T19)
   */
  async record(tx: Transaction, slotId: string, session: NewTestSession): Promise<boolean> {
    const recorded = await tx.run(
      `INSERT INTO test_sessions
         (id, slot_id, day_index, started_at, ended_at, screens, app_version, reason, received_at)
       SELECT ?, s.id, CAST(? AS BIGINT), ?, ?, ?, ?, ?, ? FROM slots s WHERE s.id = ?`,
      ...[session.id, session.dayIndex || null, session.startedAt, session.endedAt, session.screens],
      ...[session.appVersion, session.reason, session.receivedAt, slotId],
    );
    return recorded === 1;
  },
};
