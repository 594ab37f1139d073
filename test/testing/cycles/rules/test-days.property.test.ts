import { describe, expect, it } from "vitest";
import { dayIndexAt, dayStartsOf, type TestDays } from "../../../../server/testing/days/rules.ts";
import { fc } from "../../../support/property.ts";
import { rounds } from "../../../support/torture.ts";

const zones = Intl.supportedValuesOf("timeZone");
const dayMilliseconds = 86_400_000;
const long = { timeout: rounds(60_000, 900_000) };
/** An instant in each week of 2026 to 2028. */
const weeks = Array.from({ length: 157 }, (_, week) => Date.UTC(2026, 0, 1, 12) + week * 7 * dayMilliseconds);
const anyInstant = fc.integer({ min: Date.UTC(2025, 11, 25), max: Date.UTC(2029, 0, 7) });

// The reference uses only the calendar dates that the runtime prints.
function formatsWith(options: Intl.DateTimeFormatOptions): (timeZone: string, at: number) => string {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (timeZone, at) => {
    const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-CA", { timeZone, ...options });
    formats.set(timeZone, format);
    return format.format(at);
  };
}

const dateIn = formatsWith({ dateStyle: "short" });
const hourIn = formatsWith({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / dayMilliseconds;

const referenceDay = ({ startsOn, timezone }: TestDays, at: number): number =>
  daysBetween(startsOn, dateIn(timezone, at)) + 1;

function testIn(timezone: string, plan: { startsOn: string; durationDays: number }): TestDays {
  const whole = { ...plan, timezone };
  return { ...whole, dayStarts: dayStartsOf(whole) };
}

const instant = (at: number): string => new Date(at).toISOString();

/** Returns what is wrong with the first and last instants of a cycle's days, according to the reference. */
function faultsOf(days: TestDays): string[] {
  const starts = days.dayStarts.map((start) => Date.parse(start));
  return starts.flatMap((start, at) => {
    const before = starts[at - 1] ?? start - 1;
    const right =
      start > before && referenceDay(days, start) === at + 1 && referenceDay(days, start - 1) === at;
    return right ? [] : [`day ${at + 1} in ${days.timezone} at ${days.dayStarts[at]}`];
  });
}

/** Cycles of eight days, one for each week in which clocks change in a time zone, and two for ordinary weeks. */
function telling(zone: string): TestDays[] {
  const changing = weeks.filter((at, week) => hourIn(zone, at) !== hourIn(zone, weeks[week - 1] ?? at));
  const weeksBefore = changing.map((at) => at - 7 * dayMilliseconds);
  return [...weeksBefore, Date.UTC(2026, 0, 1), Date.UTC(2028, 11, 25)].map((at) =>
    testIn(zone, { startsOn: instant(at).slice(0, 10), durationDays: 8 }),
  );
}

describe("the days of a cycle", () => {
  it("begin in order, in the first millisecond of their date, in every time zone, at all clock changes of three years", () => {
    const tests = zones.flatMap(telling);
    expect(zones.length).toBeGreaterThan(400);
    expect(tests.length - 2 * zones.length).toBeGreaterThan(500);
    expect(tests.flatMap(faultsOf)).toEqual([]);
  });

  it("contain each instant of their date in the time zone, inside and outside the cycle", long, () => {
    const tests = new Map<string, TestDays>();
    const testOf = (zone: string, startsOn: string) => {
      const name = `${zone} ${startsOn}`;
      const days = tests.get(name) ?? testIn(zone, { startsOn, durationDays: 14 });
      tests.set(name, days);
      return days;
    };
    const startsOn = fc.constantFrom("2026-03-20", "2026-10-20", "2027-04-01", "2028-08-30");
    fc.assert(
      fc.property(fc.constantFrom(...zones), startsOn, anyInstant, (zone, date, at) => {
        const days = testOf(zone, date);
        expect(dayIndexAt(days, instant(at))).toBe(referenceDay(days, at));
      }),
      { numRuns: rounds(10_000, 100_000) },
    );
  });

  it("contain each instant from their start to the last millisecond before the next day", long, () => {
    const day = fc.integer({ min: 1, max: 14 });
    const date = anyInstant.map((at) => instant(at).slice(0, 10));
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        date,
        day,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (...drawn) => {
          const [zone, startsOn, dayIndex, part] = drawn;
          const days = testIn(zone, { startsOn, durationDays: 14 });
          const start = Date.parse(days.dayStarts[dayIndex - 1] ?? "");
          const last = Date.parse(days.dayStarts[dayIndex] ?? "") - 1;
          const within = Math.floor(start + (last - start) * part);
          expect([start, within, last].map((at) => dayIndexAt(days, instant(at)))).toEqual(
            Array(3).fill(dayIndex),
          );
        },
      ),
      { numRuns: rounds(1_500, 10_000) },
    );
  });
});
