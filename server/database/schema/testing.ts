import type { CycleStatus, Listing, SlotStatus } from "../../../src/contract/cycles.ts";
import { apps, users } from "./access.ts";
import { type AnyTable, erased, flag, id, index, instant, integer, json, ref, table, text } from "./table.ts";

export const listings = table(
  "listings",
  {
    id: id(),
    app_id: ref(apps, "cascade"),
    app_name: text("text"),
    icon_url: text("text").null(),
    package_name: text("text"),
    opt_in_url: text("text"),
    test_brief: text("text"),
    screens: json("json"),
    seats: integer(),
    duration_days: integer(),
    max_missed_days: integer(),
    verification_tier: text<Listing["verificationTier"]>("plain"),
    created_at: instant(),
    updated_at: instant(),
  },
  {
    of: "app",
    erase: erased.texts,
    indexes: [index("listings_by_app", "app_id, created_at, id")],
  },
);

export const cycles = table(
  "cycles",
  {
    id: id(),
    listing_id: ref(listings, "cascade"),
    status: text<CycleStatus>("plain"),
    starts_on: text("plain"),
    timezone: text("plain"),
    duration_days: integer(),
    max_missed_days: integer(),
    /** The beginnings of all days of the cycle, followed by the end of the last day. */
    day_starts: json("plain"),
    /** How many days of the cycle have been closed. */
    closed_days: integer(),
    /** The time of the next change that happens without a request. Null when the cycle has ended. */
    next_at: instant().null(),
    created_at: instant(),
  },
  {
    of: "app",
    erase: "Contains only dates and states.",
    indexes: [
      index("cycles_by_listing", "listing_id, created_at, id"),
      index("cycles_due", "next_at", { where: "next_at IS NOT NULL" }),
      index("cycles_open", "created_at, id", { where: "next_at IS NOT NULL" }),
    ],
  },
);

export const slots = table(
  "slots",
  {
    id: id(),
    cycle_id: ref(cycles, "cascade"),
    seat: integer(),
    status: text<SlotStatus>("plain"),
    tester_id: ref(users, "keep").null(),
    request_expires_at: instant().null(),
    activated_at: instant().null(),
    /** The day on which the slot became active. */
    active_from_day: integer().null(),
    ended_at: instant().null(),
    missed_days: integer().default(0),
    /** The counted days, with a comma before and after each, such as ",1,2,". */
    counted: text("plain").default(","),
    join_check_pending: flag().default(0),
    key_hash: text("plain").null().unique(),
    key_sealed: text("sealed").null(),
    created_at: instant(),
    imported_tester: text("account").null(),
  },
  {
    of: "app",
    erase:
      "The counts of an ended slot are not changed, and its tester is removed. While a slot is in use, the erasure is refused.",
    indexes: [
      index("slots_by_cycle", "cycle_id, seat, created_at"),
      index("slots_by_tester", "tester_id", { where: "tester_id IS NOT NULL" }),
      index("one_slot_of_a_tester", "cycle_id, tester_id", { unique: true, where: "tester_id IS NOT NULL" }),
      index("slots_requested", "request_expires_at", { where: "status = 'requested'" }),
      // These two indexes are small, because they contain only open or requested slots. Every page of the console
      // counts requests.
      index("slots_open", "cycle_id, seat, created_at, id", { where: "status = 'open'" }),
      index("slots_asked", "cycle_id, request_expires_at, seat, created_at, id", {
        where: "status = 'requested'",
      }),
    ],
  },
);

export const countedDays = table(
  "counted_days",
  {
    slot_id: ref(slots, "cascade"),
    day_index: integer(),
    kind: text("plain"),
    evidence_id: text("plain"),
    counted_at: instant(),
  },
  { of: "app", erase: "Not changed: it contains only the counted days.", primary: ["slot_id", "day_index"] },
);

const appOfSlot = `(SELECT l.app_id FROM slots s JOIN cycles c ON c.id = s.cycle_id JOIN listings l ON l.id = c.listing_id
  WHERE s.id = t.slot_id)`;

export const testSessions = table(
  "test_sessions",
  {
    id: id(),
    slot_id: ref(slots, "cascade"),
    day_index: integer().null(),
    started_at: instant(),
    ended_at: instant(),
    screens: json("json"),
    app_version: text("text").null(),
    reason: text("plain").null(),
    received_at: instant(),
  },
  {
    of: "app",
    erase: "Test sessions of the person are deleted.",
    searched: { app: appOfSlot },
    // With the day and the id in this index, storing a test session would take an eighth more time.
    indexes: [index("test_sessions_by_slot", "slot_id")],
  },
);

export const proofs = table(
  "proofs",
  {
    id: id(),
    slot_id: ref(slots, "cascade"),
    day_index: integer(),
    captured_at: instant(),
    queued_at: instant().null(),
    note: text("text").null(),
    created_at: instant(),
  },
  {
    of: "app",
    erase: "Proofs of the person are deleted with their images.",
    searched: { app: appOfSlot },
    indexes: [index("proofs_by_slot", "slot_id, day_index")],
  },
);

/** Tables of the tests with their slots and evidence. */
export const testingSchema: readonly AnyTable[] = [
  listings,
  cycles,
  slots,
  countedDays,
  testSessions,
  proofs,
];
