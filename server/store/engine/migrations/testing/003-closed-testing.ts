const tests = [
  `CREATE TABLE listings (
    id TEXT PRIMARY KEY, app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
    app_name TEXT NOT NULL, icon_url TEXT, package_name TEXT NOT NULL, opt_in_url TEXT NOT NULL,
    test_brief TEXT NOT NULL, screens TEXT NOT NULL, seats BIGINT NOT NULL, duration_days BIGINT NOT NULL,
    max_missed_days BIGINT NOT NULL, verification_tier TEXT NOT NULL,
    created_at TEXT NOT NULL, updated_at TEXT NOT NULL)`,
  `CREATE INDEX listings_by_app ON listings (app_id, created_at, id)`,
  // `day_starts`: a JSON array of instants, when each day begins and, last, when the last one ends. `closed_days`: how many
  // days have been closed. `next_at`: when time next changes something by itself; null once it is over.
  `CREATE TABLE cycles (
    id TEXT PRIMARY KEY, listing_id TEXT NOT NULL REFERENCES listings (id) ON DELETE CASCADE,
    status TEXT NOT NULL, starts_on TEXT NOT NULL, timezone TEXT NOT NULL, duration_days BIGINT NOT NULL,
    max_missed_days BIGINT NOT NULL, day_starts TEXT NOT NULL, closed_days BIGINT NOT NULL, next_at TEXT,
    created_at TEXT NOT NULL)`,
  `CREATE INDEX cycles_by_listing ON cycles (listing_id, created_at, id)`,
  `CREATE INDEX cycles_due ON cycles (next_at) WHERE next_at IS NOT NULL`,
  // `counted`: the counted days between commas, such as ",1,2,". `active_from_day`: the day on which it became active.
  `CREATE TABLE slots (
    id TEXT PRIMARY KEY, cycle_id TEXT NOT NULL REFERENCES cycles (id) ON DELETE CASCADE,
    seat BIGINT NOT NULL, status TEXT NOT NULL, tester_id TEXT REFERENCES users (id),
    request_expires_at TEXT, activated_at TEXT, active_from_day BIGINT, ended_at TEXT,
    missed_days BIGINT NOT NULL DEFAULT 0, counted TEXT NOT NULL DEFAULT ',',
    join_check_pending BIGINT NOT NULL DEFAULT 0, key_hash TEXT UNIQUE, key_sealed TEXT,
    created_at TEXT NOT NULL)`,
  `CREATE INDEX slots_by_cycle ON slots (cycle_id, seat, created_at)`,
  `CREATE INDEX slots_by_tester ON slots (tester_id) WHERE tester_id IS NOT NULL`,
  `CREATE UNIQUE INDEX one_slot_of_a_tester ON slots (cycle_id, tester_id) WHERE tester_id IS NOT NULL`,
  `CREATE INDEX slots_requested ON slots (request_expires_at) WHERE status = 'requested'`,
];

const evidence = [
  `CREATE TABLE counted_days (
    slot_id TEXT NOT NULL REFERENCES slots (id) ON DELETE CASCADE, day_index BIGINT NOT NULL,
    kind TEXT NOT NULL, evidence_id TEXT NOT NULL, counted_at TEXT NOT NULL, PRIMARY KEY (slot_id, day_index))`,
  `CREATE TABLE test_sessions (
    id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id) ON DELETE CASCADE, day_index BIGINT,
    started_at TEXT NOT NULL, ended_at TEXT NOT NULL, screens TEXT NOT NULL, app_version TEXT,
    reason TEXT, received_at TEXT NOT NULL)`,
  `CREATE INDEX test_sessions_by_day ON test_sessions (slot_id, day_index, id)`,
  `CREATE TABLE proofs (
    id TEXT PRIMARY KEY, slot_id TEXT NOT NULL REFERENCES slots (id) ON DELETE CASCADE, day_index BIGINT NOT NULL,
    captured_at TEXT NOT NULL, queued_at TEXT, note TEXT, created_at TEXT NOT NULL)`,
  `CREATE INDEX proofs_by_slot ON proofs (slot_id, day_index)`,
  `ALTER TABLE uploads ADD COLUMN proof_id TEXT REFERENCES proofs (id) ON DELETE CASCADE`,
  `CREATE INDEX uploads_by_proof ON uploads (proof_id) WHERE proof_id IS NOT NULL`,
];

const signIn = [
  `ALTER TABLE users ADD COLUMN timezone TEXT NOT NULL DEFAULT 'UTC'`,
  `CREATE TABLE identities (
    issuer TEXT NOT NULL, subject TEXT NOT NULL, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at TEXT NOT NULL, PRIMARY KEY (issuer, subject))`,
  `CREATE INDEX identities_by_user ON identities (user_id)`,
  // Live are the codes that are neither used nor replaced. A refusal is a row that was never live.
  `CREATE TABLE sign_in_codes (
    code_hash TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    device_id TEXT NOT NULL, device_name TEXT NOT NULL, challenge TEXT NOT NULL, code_sealed TEXT,
    created_at TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT, replaced_at TEXT)`,
  `CREATE UNIQUE INDEX one_live_code ON sign_in_codes (device_id) WHERE used_at IS NULL AND replaced_at IS NULL`,
  `CREATE INDEX sign_in_codes_by_expiry ON sign_in_codes (expires_at)`,
  `CREATE TABLE devices (
    id TEXT PRIMARY KEY, device_id TEXT NOT NULL UNIQUE, user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL, push_token TEXT, scopes TEXT NOT NULL, prefix TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL, expires_at TEXT NOT NULL, last_used_at TEXT)`,
  `CREATE INDEX devices_by_user ON devices (user_id, created_at)`,
];

/** Tests with their seats and evidence, and how testers' devices sign in. */
export const closedTesting = {
  number: 3,
  name: "closed-testing",
  statements: [...tests, ...evidence, ...signIn],
};
