import type { Statement } from "./statement.ts";

/** Tests with their seats and evidence. */
export const testingSchema: readonly Statement[] = [
  `CREATE TABLE listings (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE, app_name TEXT NOT NULL,
    icon_url TEXT, package_name TEXT NOT NULL, opt_in_url TEXT NOT NULL, test_brief TEXT NOT NULL,
    screens TEXT NOT NULL, seats BIGINT NOT NULL, duration_days BIGINT NOT NULL, max_missed_days BIGINT NOT NULL,
    verification_tier TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
  `CREATE INDEX listings_by_app ON listings (app_id, created_at, id)`,
  // `day_starts`: a JSON array of instants, when each day begins and, last, when the last one ends. `closed_days`: how many
  // days have been closed. `next_at`: when time next changes something by itself; null once it is over.
  `CREATE TABLE cycles (
    id TEXT PRIMARY KEY, listing_id TEXT NOT NULL REFERENCES listings (id) ON DELETE CASCADE, status TEXT NOT NULL,
    starts_on TEXT NOT NULL, timezone TEXT NOT NULL, duration_days BIGINT NOT NULL, max_missed_days BIGINT NOT NULL,
    day_starts TEXT NOT NULL, closed_days BIGINT NOT NULL, next_at TEXT, created_at TEXT NOT NULL)`,
  `CREATE INDEX cycles_by_listing ON cycles (listing_id, created_at, id)`,
  `CREATE INDEX cycles_due ON cycles (next_at) WHERE next_at IS NOT NULL`,
  `CREATE INDEX cycles_open ON cycles (created_at, id) WHERE next_at IS NOT NULL`,
  // `counted`: the counted days between commas, such as ",1,2,". `active_from_day`: the day on which it became active.
  `CREATE TABLE slots (
    id TEXT PRIMARY KEY, cycle_id TEXT NOT NULL REFERENCES cycles (id) ON DELETE CASCADE, seat BIGINT NOT NULL,
    status TEXT NOT NULL, tester_id TEXT REFERENCES users (id), request_expires_at TEXT, activated_at TEXT,
    active_from_day BIGINT, ended_at TEXT, missed_days BIGINT NOT NULL DEFAULT 0, counted TEXT NOT NULL DEFAULT ',',
    join_check_pending BIGINT NOT NULL DEFAULT 0, key_hash TEXT UNIQUE, key_sealed TEXT, created_at TEXT NOT NULL,
    imported_tester TEXT)`,
  `CREATE INDEX slots_by_cycle ON slots (cycle_id, seat, created_at)`,
  `CREATE INDEX slots_by_tester ON slots (tester_id) WHERE tester_id IS NOT NULL`,
  `CREATE UNIQUE INDEX one_slot_of_a_tester ON slots (cycle_id, tester_id) WHERE tester_id IS NOT NULL`,
  `CREATE INDEX slots_requested ON slots (request_expires_at) WHERE status = 'requested'`,
  // Without the slots that have a tester: every page of the console counts the requests, and testers see what is free.
  `CREATE INDEX slots_open ON slots (cycle_id, seat, created_at, id) WHERE status = 'open'`,
  `CREATE INDEX slots_asked ON slots (cycle_id, request_expires_at, seat, created_at, id) WHERE status = 'requested'`,
  `CREATE TABLE counted_days (
    slot_id TEXT NOT NULL REFERENCES slots (id) ON DELETE CASCADE, day_index BIGINT NOT NULL, kind TEXT NOT NULL,
    evidence_id TEXT NOT NULL, counted_at TEXT NOT NULL, PRIMARY KEY (slot_id, day_index))`,
  `CREATE TABLE test_sessions (
    id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id) ON DELETE CASCADE, day_index BIGINT,
    started_at TEXT NOT NULL, ended_at TEXT NOT NULL, screens TEXT NOT NULL, app_version TEXT, reason TEXT,
    received_at TEXT NOT NULL)`,
  // By seat alone: an index that held the day and the id, too, cost a report an eighth of its time.
  `CREATE INDEX test_sessions_by_slot ON test_sessions (slot_id)`,
  `CREATE TABLE proofs (
    id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id) ON DELETE CASCADE, day_index BIGINT NOT NULL,
    captured_at TEXT NOT NULL, queued_at TEXT, note TEXT, created_at TEXT NOT NULL)`,
  `CREATE INDEX proofs_by_slot ON proofs (slot_id, day_index)`,
];
