import { describe, expect, it } from "vitest";
import {
  dayStartsOf,
  graceEndOf,
  judgeSession,
  type TestedSlot,
} from "../../../../server/testing/days/rules.ts";
import { fc } from "../../../support/property.ts";
import { rounds } from "../../../support/torture.ts";

const zones = Intl.supportedValuesOf("timeZone");
const minute = 60_000;
const day = 86_400_000;
const durationDays = 14;

/** Dates as the runtime's calendar prints them. The reference uses no other data about time zones. */
const calendars = new Map<string, Intl.DateTimeFormat>();
function dateIn(timeZone: string, at: number): string {
  const calendar =
    calendars.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  calendars.set(timeZone, calendar);
  return calendar.format(at);
}

interface Case {
  readonly zone: string;
  readonly startsOn: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly startedAt: number;
  readonly activatedAt: number;
  readonly seconds: number;
  readonly screens: number;
  readonly counted: readonly number[];
}

const dayAt = ({ zone, startsOn }: Case, at: number): number =>
  (Date.parse(dateIn(zone, at)) - Date.parse(startsOn)) / day + 1;

/** The rules in their simplest form, without a list of days. */
function reference(given: Case): string {
  const [today, dayOfSession] = [dayAt(given, given.now), dayAt(given, given.startedAt)];
  const isAhead = given.startedAt - given.now > 120_000;
  if (today < 1 || today > durationDays + 1) return "cycle_not_running";
  if (dayOfSession > durationDays && (today > durationDays || !isAhead)) return "cycle_not_running";
  if (isAhead) return "session_in_future";
  if (dayOfSession < 1 || dayOfSession > durationDays) return "session_stale";
  if (dayOfSession < dayAt(given, given.activatedAt)) return "session_stale";
  if (today - dayOfSession > 1) return "session_stale";
  if (given.counted.includes(dayOfSession)) return "already_submitted";
  const written = given.startedAt + given.seconds * 1_000;
  const end = written - given.now > 120_000 ? given.now : written;
  if (end - given.startedAt < 45_000 || given.screens < 2) return "session_below_bar";
  return `day ${dayOfSession}`;
}

const iso = (at: number): string => new Date(at).toISOString();

/** The cycle in its state at this moment. */
function slotOf({ zone, startsOn, now, activatedAt, counted }: Case): TestedSlot {
  const plan = { startsOn, timezone: zone, durationDays };
  const dayStarts = dayStartsOf(plan);
  const isBegun = iso(now) >= (dayStarts[0] ?? "");
  const status = isBegun ? (iso(now) < graceEndOf(plan) ? "running" : "completed") : "recruiting";
  return {
    status: "active",
    activatedAt: iso(activatedAt),
    countedDays: new Set(counted),
    cycle: { ...plan, dayStarts, status },
  };
}

function verdictOn(given: Case): string {
  const { startedAt, seconds, screens } = given;
  const session = {
    startedAt: iso(startedAt),
    endedAt: iso(startedAt + seconds * 1_000),
    screens: Array.from({ length: screens }, (_, at) => `Screen ${at}`),
  };
  const { counted, dayIndex, reason } = judgeSession(session, slotOf(given), new Date(given.now));
  return counted ? `day ${dayIndex}` : String(reason);
}

/** An instant near the days of a cycle, often near a midnight at which clocks change. */
const near = (startsOn: string): fc.Arbitrary<number> =>
  fc
    .record({
      days: fc.integer({ min: -2, max: durationDays + 3 }),
      hours: fc.oneof(fc.integer({ min: -15, max: 15 }), fc.constant(0)),
      ms: fc.oneof(fc.constantFrom(-1, 0, 1), fc.integer({ min: -150_000, max: 150_000 })),
    })
    .map(({ days, hours, ms }) => Date.parse(startsOn) + days * day + hours * 60 * minute + ms);

const cases: fc.Arbitrary<Case> = fc
  .integer({ min: 0, max: 3 * 365 })
  .map((days) => iso(Date.UTC(2026, 0, 1) + days * day).slice(0, 10))
  .chain((startsOn) =>
    near(startsOn).chain((now) =>
      fc.record({
        zone: fc.constantFrom(...zones),
        startsOn: fc.constant(startsOn),
        now: fc.constant(now),
        startedAt: fc.oneof(
          near(startsOn),
          fc.integer({ min: -3 * day, max: 4 * minute }).map((by) => now + by),
          fc.integer({ min: -4 * minute, max: 4 * minute }).map((by) => now + by),
        ),
        activatedAt: fc.oneof(fc.constant(Date.parse(startsOn) - 3 * day), near(startsOn)),
        seconds: fc.oneof(fc.integer({ min: 40, max: 50 }), fc.integer({ min: 0, max: 7_200 })),
        screens: fc.integer({ min: 1, max: 3 }),
        counted: fc.uniqueArray(fc.integer({ min: 1, max: durationDays }), { maxLength: 4 }),
      }),
    ),
  );

describe("the verdict on a session", () => {
  it("equals the verdict of a slow reference that uses only the runtime's calendar, in every time zone", {
    timeout: rounds(60_000, 900_000),
  }, () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(cases, (given) => {
        const verdict = verdictOn(given);
        seen.add(verdict.replace(/\d+/, "N"));
        expect(verdict).toBe(reference(given));
      }),
      { numRuns: rounds(10_000, 100_000) },
    );
    // The cases cause every verdict except those about the slot.
    expect([...seen].sort()).toEqual([
      "already_submitted",
      "cycle_not_running",
      "day N",
      "session_below_bar",
      "session_in_future",
      "session_stale",
    ]);
  });

  it("equals the reference on days without a midnight, one millisecond before and after their first moment", () => {
    const withoutMidnight = [
      ["Africa/Cairo", "2026-04-24"],
      ["America/Havana", "2026-03-08"],
      ["America/Santiago", "2026-09-06"],
      ["Asia/Beirut", "2026-03-29"],
      ["America/Asuncion", "2023-10-01"],
    ] as const;
    for (const [zone, date] of withoutMidnight) {
      const [first = ""] = dayStartsOf({ startsOn: date, timezone: zone, durationDays: 1 });
      const startsOn = iso(Date.parse(date) - 3 * day).slice(0, 10);
      for (const ms of [-60 * minute, -1, 0, 1, 60 * minute]) {
        const startedAt = Date.parse(first) + ms;
        const now = startedAt + 2 * minute;
        const activatedAt = startedAt - 10 * day;
        const given = { zone, startsOn, now, startedAt, activatedAt, seconds: 60, screens: 2, counted: [] };
        expect([zone, ms, verdictOn(given)]).toEqual([zone, ms, `day ${ms < 0 ? 3 : 4}`]);
        expect(reference(given)).toBe(verdictOn(given));
      }
    }
  });
});
