import { NewListing } from "../../../src/contract/cycles.ts";
import { utcOf } from "../../../src/contract/fields.ts";
import { limits } from "../../../src/contract/limits.ts";
import { timeZone } from "../../../src/contract/sign-in.ts";
import { sessionReasons } from "../../../src/contract/test-sessions.ts";
import { cycleStatuses, slotStatuses } from "../../../src/contract/tester.ts";
import * as feedback from "../../database/schema/feedback.ts";
import * as tables from "../../database/schema/testing.ts";
import {
  accepted,
  type Field,
  flag,
  id,
  instant,
  json,
  matching,
  oneOf,
  orNull,
  text,
  uploadColumns,
  whole,
} from "../fields.ts";
import { recordOf, type StoredRow } from "./record.ts";

const day = whole(0, 1_000);
const listing = NewListing.shape;

const listOf = (field: Field, most: number) => ({
  safeParse: (value: unknown) => ({
    success:
      Array.isArray(value) &&
      value.length <= most &&
      value.every((element) => field.fault(element) === undefined),
  }),
});

const calendarDay = {
  safeParse: (value: unknown) => ({ success: utcOf(`${value}T00:00:00.000Z`) !== undefined }),
};

const sessions = recordOf(tables.testSessions, {
  type: "testSession",
  parent: "slot_id",
  order: ["id"],
  columns: {
    id,
    day_index: orNull(day),
    started_at: instant,
    ended_at: instant,
    screens: json(listOf(text(2 * limits.screenName), 1_000), "a list of names of screens"),
    app_version: orNull(text(1_000)),
    reason: orNull(oneOf(...sessionReasons)),
    received_at: instant,
  },
});

/** The pictures of a proof. */
const proofUploads = recordOf(feedback.uploads, {
  type: "proofImage",
  parent: "proof_id",
  order: ["created_at", "name"],
  columns: uploadColumns,
  app: ["app_id"],
  left: { feedback_id: "only files of reports have it" },
});

const proofs = recordOf(tables.proofs, {
  type: "proof",
  parent: "slot_id",
  order: ["id"],
  columns: {
    id,
    day_index: day,
    captured_at: instant,
    queued_at: orNull(instant),
    note: orNull(text(2 * limits.proofNote)),
    created_at: instant,
  },
  below: [proofUploads],
});

const countedDays = recordOf(tables.countedDays, {
  type: "countedDay",
  parent: "slot_id",
  order: ["day_index"],
  columns: { day_index: day, kind: oneOf("session", "proof"), evidence_id: id, counted_at: instant },
});

/**
 * The slots of a cycle. The key of a slot is a secret and is not exported, so an imported slot is never in use. Its
 * tester is only an address without an account. (rule X6)
 */
const slots = recordOf(tables.slots, {
  type: "slot",
  parent: "cycle_id",
  order: ["seat", "created_at", "id"],
  columns: {
    id,
    seat: whole(0, 10_000),
    status: oneOf(...slotStatuses),
    imported_tester: orNull(id),
    request_expires_at: orNull(instant),
    activated_at: orNull(instant),
    active_from_day: orNull(day),
    ended_at: orNull(instant),
    missed_days: whole(0, 1_000),
    counted: matching(/^,(\d{1,4},)*$/, "a list of day numbers such as ,1,2,"),
    join_check_pending: flag,
    created_at: instant,
  },
  read: { imported_tester: { sql: "coalesce(tester_id, imported_tester)", name: "tester" } },
  people: ["imported_tester"],
  left: {
    tester_id: "the file contains the tester as a person, because an import gives no account a slot",
    key_hash: "a hash of a secret",
    key_sealed: "a secret",
  },
  adjusted: ended,
  below: [sessions, proofs, countedDays],
});

function ended(row: StoredRow, now: string): StoredRow {
  if (row.status === "requested")
    return { ...row, status: "open", imported_tester: null, request_expires_at: null };
  return row.status === "active" || row.status === "at_risk"
    ? { ...row, status: "removed", ended_at: now }
    : row;
}

/**
 * The cycles of a listing. An import cancels a cycle that has not ended, because its testers have no keys. (rule X6)
 */
const cycles = recordOf(tables.cycles, {
  type: "cycle",
  parent: "listing_id",
  order: ["created_at", "id"],
  columns: {
    id,
    status: oneOf(...cycleStatuses),
    starts_on: accepted(calendarDay, "a day such as 2026-01-31"),
    timezone: accepted(timeZone, "a time zone"),
    duration_days: whole(1, 1_000),
    max_missed_days: whole(0, 1_000),
    day_starts: json(listOf(instant, 1_001), "a list of instants"),
    closed_days: whole(0, 1_001),
    created_at: instant,
  },
  fixed: { next_at: () => null },
  disagreement: ({ dayStarts, durationDays }) =>
    Array.isArray(dayStarts) && dayStarts.length === Number(durationDays) + 1
      ? undefined
      : "`dayStarts` must have one instant more than there are days",
  adjusted: (row) =>
    row.status === "recruiting" || row.status === "running" ? { ...row, status: "cancelled" } : row,
  below: [slots],
});

/** The listings of an app with their cycles, and everything that testers did in them. */
export const listings = recordOf(tables.listings, {
  type: "listing",
  parent: "app_id",
  order: ["created_at", "id"],
  columns: {
    id,
    app_name: text(2 * limits.appName),
    icon_url: orNull(accepted(listing.iconUrl, "a web address")),
    package_name: accepted(listing.packageName, "the name of a package"),
    opt_in_url: accepted(listing.optInUrl, "a web address"),
    test_brief: text(2 * limits.testBrief),
    screens: json(listing.screens, "a list of names of screens"),
    seats: whole(1, 10_000),
    duration_days: whole(1, 1_000),
    max_missed_days: whole(1, 1_000),
    verification_tier: accepted(listing.verificationTier, "a way to verify days"),
    created_at: instant,
    updated_at: instant,
  },
  below: [cycles],
});
