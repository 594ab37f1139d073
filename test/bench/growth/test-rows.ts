import { appCount } from "./app-rows.ts";
import type { Rows } from "./rows.ts";
import type { Size } from "./size.ts";
import type { Sql } from "./sql.ts";
import type { Asked } from "./thread-values.ts";

const day = 86_400_000;
const days = 14;
const seats = 12;
/** Ten of the twelve slots of a cycle have a tester. */
const heldSeats = 10;
/** The number of cycles in which the measured person has the first seat. */
const ownSeats = 5;
/** The cycles of this data set are at the beginning of their eleventh day. */
const past = 10;

/** Listings with two cycles each that run on their eleventh day, slots, counted days and test sessions. */
export function testRows(
  sql: Sql,
  { cycles, testSessions }: Size,
  { personId, now }: Asked,
): readonly Rows[] {
  const { id, instant } = sql;
  const first = Math.floor(now / day) * day - past * day;
  const at = instant(String(first - day));
  const starts = Array.from({ length: days + 1 }, (_, n) => new Date(first + n * day).toISOString());
  const slot = `(((n - 1) / ${seats}) * 100 + 1 + (n - 1) % ${seats})`;
  const heldSlot = (n: string) =>
    `(((${n} - 1) % ${cycles}) * 100 + 1 + ((${n} - 1) / ${cycles}) % ${heldSeats})`;
  const dayOf = (n: string) => `(1 + ((${n} - 1) / ${cycles * heldSeats}) % ${past})`;
  const began = (n: string) =>
    `${first} + (${dayOf(n)} - 1) * ${day} + 36000000 + ((${n}) / ${cycles * heldSeats * past}) * 60000`;
  const counted = Array.from({ length: past }, (_, n) => n + 1).join(",");
  return [
    {
      into: `listings (id, app_id, app_name, package_name, opt_in_url, test_brief, screens, seats, duration_days,
        max_missed_days, verification_tier, created_at, updated_at)`,
      count: Math.max(1, cycles / 2),
      select: `${id("5", "n")}, ${id("1", `(1 + (n - 1) % ${appCount})`)}, 'Listing ' || CAST(n AS text), 'com.example.app',
        'https://play.example/testing', 'Walk about.', '["Home","Map"]', ${seats}, ${days}, 3, 'sdk', ${at}, ${at}`,
    },
    {
      into: `cycles (id, listing_id, status, starts_on, timezone, duration_days, max_missed_days, day_starts, closed_days, next_at,
        created_at)`,
      count: cycles,
      select: `${id("6", "n")}, ${id("5", "((n + 1) / 2)")}, 'running', '${starts[0]?.slice(0, 10)}', 'UTC', ${days}, 3,
        '${JSON.stringify(starts)}', ${past}, '${starts[past + 1]}', ${at}`,
    },
    {
      into: `slots (id, cycle_id, seat, status, tester_id, request_expires_at, activated_at, active_from_day, counted, key_hash,
        created_at)`,
      count: cycles * seats,
      select: `${id("7", slot)}, ${id("6", `((n - 1) / ${seats} + 1)`)}, 1 + (n - 1) % ${seats},
        CASE WHEN (n - 1) % ${seats} < ${heldSeats} THEN 'active' WHEN (n - 1) % ${seats} = ${heldSeats} THEN 'requested' ELSE 'open' END,
        CASE WHEN n <= ${ownSeats} * ${seats} AND n % ${seats} = 1 THEN '${personId}'
          WHEN (n - 1) % ${seats} <= ${heldSeats} THEN ${id("2", `(1 + n % 4999)`)} END,
        CASE WHEN (n - 1) % ${seats} = ${heldSeats} THEN ${instant(String(now + 30 * day))} END,
        ${at}, 1, ',${counted},', 'hash ' || CAST(n AS text), ${at}`,
    },
    {
      into: "test_sessions (id, slot_id, day_index, started_at, ended_at, screens, app_version, reason, received_at)",
      count: testSessions,
      select: `${id("8", "n")}, ${id("7", heldSlot("n"))}, ${dayOf("n")}, ${instant(began("n"))}, ${instant(`${began("n")} + 60000`)},
        '["Home","Map"]', '1.4.0', CASE WHEN n > ${cycles * heldSeats * past} THEN 'already_submitted' END, ${instant(`${began("n")} + 61000`)}`,
    },
    {
      into: "counted_days (slot_id, day_index, kind, evidence_id, counted_at)",
      count: cycles * heldSeats * past,
      select: `${id("7", heldSlot("n"))}, ${dayOf("n")}, 'session', ${id("8", "n")}, ${instant(`${began("n")} + 61000`)}`,
    },
  ];
}
