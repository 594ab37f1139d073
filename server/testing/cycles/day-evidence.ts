import type { Reader } from "../../database/database.ts";

/** A test session in the form that is shown. `screens` is a JSON array. */
export interface EvidenceSessionRow {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly screens: string;
  readonly appVersion: string | null;
  readonly receivedAt: string;
}

export interface CountedRow {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly kind: "session" | "proof";
  readonly countedAt: string;
}

/** One row for each image of a proof. */
export interface ProofImageRow {
  readonly slotId: string;
  readonly dayIndex: number;
  readonly proofId: string;
  readonly capturedAt: string;
  readonly queuedAt: string | null;
  readonly receivedAt: string;
  readonly note: string | null;
  readonly upload: string | null;
}

const sessionColumns = `t.slot_id AS "slotId", t.day_index AS "dayIndex", t.started_at AS "startedAt",
  t.ended_at AS "endedAt", t.screens, t.app_version AS "appVersion", t.received_at AS "receivedAt"`;

/** The test sessions of a cycle that belong to one of its days. */
const sessionsOfDays = `FROM test_sessions t JOIN slots s ON s.id = t.slot_id
  WHERE s.cycle_id = ? AND t.day_index IS NOT NULL`;

/** The milliseconds since midnight of an instant. The engines have no common function for it. */
const ofDay = (at: string): string => {
  const part = (from: number, length: number) => `CAST(substr(${at}, ${from}, ${length}) AS BIGINT)`;
  return `(((${part(12, 2)} * 60 + ${part(15, 2)}) * 60 + ${part(18, 2)}) * 1000 + ${part(21, 3)})`;
};

/** The milliseconds between two instants that are at most one calendar day apart. */
const between = (from: string, to: string): string =>
  `(${ofDay(to)} - ${ofDay(from)} + 86400000 * CASE WHEN substr(${to}, 1, 10) > substr(${from}, 1, 10) THEN 1
     WHEN substr(${to}, 1, 10) < substr(${from}, 1, 10) THEN -1 ELSE 0 END)`;

/**
 * The length of a test session in milliseconds. The reported end may be up to two minutes later than the time of
 * receipt. If it is later, the time of receipt counts as the end. A session that begins after its receipt has the length
 * 0.
 */
const lengthOf = `CASE WHEN t.received_at >= t.ended_at
    OR ${between("t.started_at", "t.ended_at")} <= ${between("t.started_at", "t.received_at")} + 120000
  THEN ${between("t.started_at", "t.ended_at")}
  WHEN t.received_at <= t.started_at THEN 0
  ELSE ${between("t.started_at", "t.received_at")} END`;

/** The evidence for the days of a cycle. Each function makes one query, for any number of slots and test sessions. */
export const dayEvidence = {
  counted: (reader: Reader, cycleId: string) =>
    reader.all<CountedRow>(
      `SELECT d.slot_id AS "slotId", d.day_index AS "dayIndex", d.kind, d.counted_at AS "countedAt"
       FROM counted_days d JOIN slots s ON s.id = d.slot_id WHERE s.cycle_id = ?`,
      cycleId,
    ),

  /** The test sessions that counted days. */
  countingSessions: (reader: Reader, cycleId: string) =>
    reader.all<EvidenceSessionRow>(
      `SELECT ${sessionColumns} FROM counted_days d JOIN slots s ON s.id = d.slot_id
         JOIN test_sessions t ON t.id = d.evidence_id
       WHERE s.cycle_id = ? AND d.kind = 'session'`,
      cycleId,
    ),

  /** The longest test session of each day that no session has counted. */
  longestSessions: (reader: Reader, cycleId: string) =>
    reader.all<EvidenceSessionRow>(
      `SELECT ${sessionColumns} FROM test_sessions t JOIN (
         SELECT t.id, row_number() OVER (PARTITION BY t.slot_id, t.day_index ORDER BY ${lengthOf} DESC, t.id) AS place
         ${sessionsOfDays} AND NOT EXISTS (
           SELECT 1 FROM counted_days d
           WHERE d.slot_id = t.slot_id AND d.day_index = t.day_index AND d.kind = 'session')
       ) AS ranked ON ranked.id = t.id WHERE ranked.place = 1`,
      cycleId,
    ),

  /** How many test sessions were reported for each day, and why the last one did not count. */
  sessionsPerDay: (reader: Reader, cycleId: string) =>
    reader.all<{ slotId: string; dayIndex: number; sessions: number; reason: string | null }>(
      `SELECT n.slot_id AS "slotId", n.day_index AS "dayIndex", n.sessions, t.reason FROM (
         SELECT t.slot_id, t.day_index, count(*) AS sessions, max(t.id) AS last_id
         ${sessionsOfDays} GROUP BY t.slot_id, t.day_index
       ) AS n JOIN test_sessions t ON t.id = n.last_id`,
      cycleId,
    ),

  /** The proofs of a cycle, oldest first. */
  proofs: (reader: Reader, cycleId: string) =>
    reader.all<ProofImageRow>(
      `SELECT p.slot_id AS "slotId", p.day_index AS "dayIndex", p.id AS "proofId", p.captured_at AS "capturedAt",
              p.queued_at AS "queuedAt", p.created_at AS "receivedAt", p.note, u.name AS upload
       FROM proofs p JOIN slots s ON s.id = p.slot_id LEFT JOIN uploads u ON u.proof_id = p.id
       WHERE s.cycle_id = ? ORDER BY p.created_at, p.id, u.created_at, u.name`,
      cycleId,
    ),

  /** How many test sessions each slot reported, and the total length in milliseconds of those that the server accepts. */
  sessionsPerSlot: (reader: Reader, cycleId: string) =>
    reader.all<{ slotId: string; sessions: number; milliseconds: number }>(
      `SELECT t.slot_id AS "slotId", count(*) AS sessions, sum(CASE
           WHEN t.reason IS NULL OR t.reason IN ('already_submitted', 'session_below_bar') THEN ${lengthOf}
           ELSE 0 END) AS milliseconds
       FROM test_sessions t JOIN slots s ON s.id = t.slot_id WHERE s.cycle_id = ? GROUP BY t.slot_id`,
      cycleId,
    ),
};
