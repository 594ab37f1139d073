import type { Reader, Transaction } from "../engine/database.ts";

/** A seat as its test key finds it, with what a verdict on a day depends on. */
export interface KeyedSlotRow {
  readonly id: string;
  readonly cycleId: string;
  readonly status: string;
  readonly activatedAt: string | null;
  /** The counted days between commas. */
  readonly counted: string;
  readonly cycleStatus: string;
  readonly startsOn: string;
  readonly timezone: string;
  readonly durationDays: number;
  /** A JSON array of instants. */
  readonly dayStarts: string;
  /** When the cycle next changes by itself; null where it does not. */
  readonly nextAt: string | null;
}

/** A reported session with its verdict; instants are ISO 8601 UTC with milliseconds. */
export interface NewTestSession {
  readonly id: string;
  /** 0 outside the test. */
  readonly dayIndex: number;
  readonly startedAt: string;
  readonly endedAt: string;
  /** A JSON array. */
  readonly screens: string;
  readonly appVersion: string | null;
  readonly reason: string | null;
  readonly receivedAt: string;
}

/** Which seat of which app a test key stands for: only its hash is known. */
export interface SlotKey {
  readonly appId: string;
  readonly keyHash: string;
}

/** The sessions that apps under test report, and the seats for which they do. */
export const testSessions = {
  /** The seat of this app that has this key now. */
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

  /** Keeps a session of a seat; false where there is none. It is one statement either way: its cost tells nothing. */
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
