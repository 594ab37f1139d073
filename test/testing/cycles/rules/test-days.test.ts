import { describe, expect, it } from "vitest";
import {
  dayIndexAt,
  dayStartsOf,
  dueByOf,
  graceEndOf,
  isOver,
  spanOfToday,
  type TestDays,
  todayOf,
} from "../../../../server/testing/days/rules.ts";

function testIn(timezone: string, startsOn: string, durationDays = 14): TestDays {
  const plan = { timezone, startsOn, durationDays };
  return { ...plan, dayStarts: dayStartsOf(plan) };
}

const hour = 3_600_000;
const lengths = ({ dayStarts }: TestDays) =>
  dayStarts.slice(1).map((start, at) => (Date.parse(start) - Date.parse(dayStarts[at] ?? "")) / hour);

describe("the first day of a cycle", () => {
  it.each([
    ["UTC", "2026-05-01", "2026-05-01T00:00:00.000Z", 24],
    ["Europe/Berlin", "2026-05-01", "2026-04-30T22:00:00.000Z", 24],
    ["Pacific/Kiritimati", "2026-05-01", "2026-04-30T10:00:00.000Z", 24],
    ["Pacific/Pago_Pago", "2026-05-01", "2026-05-01T11:00:00.000Z", 24],
    ["Asia/Kathmandu", "2026-05-01", "2026-04-30T18:15:00.000Z", 24],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00.000Z", 23],
    ["Europe/Berlin", "2026-10-25", "2026-10-24T22:00:00.000Z", 25],
    ["Australia/Lord_Howe", "2026-10-04", "2026-10-03T13:30:00.000Z", 23.5],
    ["Australia/Lord_Howe", "2026-04-05", "2026-04-04T13:00:00.000Z", 24.5],
    // These days have no midnight: clocks change from 0:00 to 1:00.
    ["Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00.000Z", 23],
    ["America/Havana", "2026-03-08", "2026-03-08T05:00:00.000Z", 23],
    ["America/Santiago", "2026-09-06", "2026-09-06T04:00:00.000Z", 23],
    ["Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00.000Z", 23],
    ["Atlantic/Azores", "2026-03-29", "2026-03-29T01:00:00.000Z", 23],
    // This day has two midnights.
    ["Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00.000Z", 25],
  ])("in %s on %s begins at %s and lasts %d hours", (timezone, startsOn, start, hours) => {
    const days = testIn(timezone, startsOn);
    expect([days.dayStarts[0], lengths(days)[0]]).toEqual([start, hours]);
  });
});

describe("a day that a time zone skipped", () => {
  const days = testIn("Pacific/Apia", "2011-12-29", 4);

  it("has no length and contains no instant", () => {
    expect(lengths(days)).toEqual([24, 0, 24, 24]);
    expect(dayIndexAt(days, "2011-12-30T09:59:59.999Z")).toBe(1);
    expect(dayIndexAt(days, "2011-12-30T10:00:00.000Z")).toBe(3);
  });
});

describe("a cycle whose stored days differ from its time zone's current rules", () => {
  // As if Berlin had ended summer time after the cycle was planned.
  const days = {
    ...testIn("Europe/Berlin", "2026-07-01", 2),
    dayStarts: testIn("Africa/Lagos", "2026-07-01", 2).dayStarts,
  };

  it("keeps the stored days", () => {
    expect(days.dayStarts[0]).toBe("2026-06-30T23:00:00.000Z");
    expect(dayIndexAt(days, "2026-06-30T22:30:00.000Z")).toBe(0);
    expect(dayIndexAt(days, "2026-07-01T22:30:00.000Z")).toBe(1);
    expect(dayIndexAt(days, "2026-07-02T22:59:59.999Z")).toBe(2);
  });

  it("has not begun before its stored days and has ended after them, on any date", () => {
    const moved = (hours: number): TestDays => ({
      ...days,
      dayStarts: days.dayStarts.map((start) => new Date(Date.parse(start) + hours * hour).toISOString()),
    });
    // Its date in Berlin is the first or the last day's date.
    expect(dayIndexAt(moved(10), "2026-07-01T08:00:00.000Z")).toBe(0);
    expect(dayIndexAt(moved(-10), "2026-07-02T20:00:00.000Z")).toBe(3);
    expect(dayIndexAt(days, "2026-06-28T12:00:00.000Z")).toBe(-2);
    expect(dayIndexAt(days, "2026-07-05T12:00:00.000Z")).toBe(5);
  });
});

describe("a cycle of two weeks from 1 May 2026 in UTC", () => {
  const days = testIn("UTC", "2026-05-01");

  it.each([
    ["2026-04-29T12:00:00.000Z", -1, 0],
    ["2026-04-30T23:59:59.999Z", 0, 0],
    ["2026-05-01T00:00:00.000Z", 1, 1],
    ["2026-05-14T23:59:59.999Z", 14, 14],
    ["2026-05-15T00:00:00.000Z", 15, 14],
    ["2027-05-01T00:00:00.000Z", 366, 14],
  ])("is at %s on day %d, and its day today is %d", (instant, index, today) => {
    expect(dayIndexAt(days, instant)).toBe(index);
    expect(todayOf(days, new Date(instant))).toBe(today);
  });

  it.each([
    [0, "2026-05-02T00:00:00.000Z"],
    [1, "2026-05-02T00:00:00.000Z"],
    [14, "2026-05-15T00:00:00.000Z"],
    [15, "2026-05-15T00:00:00.000Z"],
  ])("has the end of day %d at %s", (dayIndex, dueBy) => {
    expect(dueByOf(days, dayIndex)).toBe(dueBy);
  });

  it("ends with its last day, and accepts late sessions for one more day", () => {
    const isOverAt = (now: string) => isOver(days, now);
    expect(["2026-05-14T23:59:59.999Z", "2026-05-15T00:00:00.000Z"].map(isOverAt)).toEqual([false, true]);
    expect(graceEndOf(days)).toBe("2026-05-16T00:00:00.000Z");
  });
});

describe("the period in which the day today stays the same", () => {
  const days = testIn("Europe/Berlin", "2026-05-01", 2);
  const [first = "", second = "", end = ""] = days.dayStarts;
  it.each([
    ["before the test", "2026-04-01T00:00:00.000Z", Number.NEGATIVE_INFINITY, Date.parse(first)],
    ["at the beginning of a day", first, Date.parse(first), Date.parse(second)],
    ["on the last day", "2026-05-02T12:00:00.000Z", Date.parse(second), Date.parse(end)],
    ["after the test", end, Date.parse(end), Number.POSITIVE_INFINITY],
  ])("has the right start and end %s", (_, now, from, until) => {
    expect(spanOfToday(days, new Date(now))).toEqual({ from, until });
  });
});
