import { describe, expect, it } from "vitest";
import { afterQuiet, dueAt, isDailyTime, nextAt } from "../../server/notices/waiting/rules.ts";

const berlin = "Europe/Berlin";
const at = (text: string) => new Date(text);
const none = { timezone: berlin, quiet: null };
const night = { timezone: berlin, quiet: { from: "22:00", to: "07:00" } };

describe("a mail with notices", () => {
  it("waits 15 minutes for more notices", () => {
    expect(dueAt("mail", at("2026-06-01T10:00:00Z"), none)).toEqual(at("2026-06-01T10:15:00Z"));
  });

  it("waits for the end of quiet hours that last past midnight", () => {
    expect(dueAt("mail", at("2026-06-01T20:30:00Z"), night)).toEqual(at("2026-06-02T05:00:00Z"));
    expect(dueAt("mail", at("2026-06-01T02:00:00Z"), night)).toEqual(at("2026-06-01T05:00:00Z"));
    expect(dueAt("mail", at("2026-06-01T05:00:00Z"), night)).toEqual(at("2026-06-01T05:15:00Z"));
  });

  it("waits for the end of quiet hours within a day", () => {
    const noon = { timezone: berlin, quiet: { from: "12:00", to: "13:30" } };
    expect(afterQuiet(at("2026-06-01T10:00:00Z"), noon)).toEqual(at("2026-06-01T11:30:00Z"));
    expect(afterQuiet(at("2026-06-01T11:30:00Z"), noon)).toEqual(at("2026-06-01T11:30:00Z"));
    expect(afterQuiet(at("2026-06-01T09:59:59Z"), noon)).toEqual(at("2026-06-01T09:59:59Z"));
  });
});

describe("the daily mail", () => {
  it("is sent at 9:00 in the time zone of the member", () => {
    expect(dueAt("daily", at("2026-06-01T10:00:00Z"), none)).toEqual(at("2026-06-02T07:00:00Z"));
    expect(dueAt("daily", at("2026-06-01T06:59:59Z"), none)).toEqual(at("2026-06-01T07:00:00Z"));
    const tokyo = { timezone: "Asia/Tokyo", quiet: null };
    expect(dueAt("daily", at("2026-06-01T10:00:00Z"), tokyo)).toEqual(at("2026-06-02T00:00:00Z"));
    const fixed = { timezone: "+03:00", quiet: null };
    expect(dueAt("daily", at("2026-06-01T10:00:00Z"), fixed)).toEqual(at("2026-06-02T06:00:00Z"));
  });

  it("is sent at 9:00 on the days on which the clock changes", () => {
    expect(dueAt("daily", at("2026-03-28T20:00:00Z"), none)).toEqual(at("2026-03-29T07:00:00Z"));
    expect(dueAt("daily", at("2026-10-24T20:00:00Z"), none)).toEqual(at("2026-10-25T08:00:00Z"));
  });

  it("has a known time for each day", () => {
    const isDaily = (text: string, hours = none) => isDailyTime(at(text), hours);
    expect(isDaily("2026-06-02T07:00:00Z")).toBe(true);
    expect(isDaily("2026-03-29T07:00:00Z")).toBe(true);
    expect(isDaily("2026-10-25T08:00:00Z")).toBe(true);
    expect(isDaily("2026-06-02T07:00:01Z")).toBe(false);
    expect(isDaily("2026-06-02T09:00:00Z")).toBe(false);
    const late = { timezone: berlin, quiet: { from: "20:00", to: "10:30" } };
    expect(isDailyTime(at("2026-06-02T08:30:00Z"), late)).toBe(true);
    expect(isDailyTime(at("2026-06-02T07:00:00Z"), late)).toBe(false);
  });

  it("is sent at the end of the quiet hours if they end later", () => {
    const late = { timezone: berlin, quiet: { from: "20:00", to: "10:30" } };
    expect(dueAt("daily", at("2026-06-01T10:00:00Z"), late)).toEqual(at("2026-06-02T08:30:00Z"));
  });
});

describe("a time zone that this version of Node does not support", () => {
  it("is read as UTC", () => {
    const mars = { timezone: "Mars/Olympus", quiet: { from: "22:00", to: "07:00" } };
    expect(dueAt("daily", at("2026-06-01T10:00:00Z"), mars)).toEqual(at("2026-06-02T09:00:00Z"));
    expect(dueAt("mail", at("2026-06-01T23:00:00Z"), mars)).toEqual(at("2026-06-02T07:00:00Z"));
  });
});

describe("quiet hours when the clock changes", () => {
  const short = { timezone: berlin, quiet: { from: "01:00", to: "02:30" } };

  it("end after the missing hour if they would end within it", () => {
    // At 1:00 UTC clocks change from 2:00 to 3:00.
    expect(afterQuiet(at("2026-03-29T00:30:00Z"), short)).toEqual(at("2026-03-29T01:30:00Z"));
  });

  it("include both repetitions of the repeated hour", () => {
    // At 1:00 UTC clocks change from 3:00 back to 2:00.
    expect(afterQuiet(at("2026-10-25T00:15:00Z"), short)).toEqual(at("2026-10-25T00:30:00Z"));
    expect(afterQuiet(at("2026-10-25T01:15:00Z"), short)).toEqual(at("2026-10-25T01:30:00Z"));
    expect(afterQuiet(at("2026-10-25T01:30:00Z"), short)).toEqual(at("2026-10-25T01:30:00Z"));
  });

  it("last as long as the clock shows, even in a longer or shorter night", () => {
    expect(afterQuiet(at("2026-03-28T22:00:00Z"), night)).toEqual(at("2026-03-29T05:00:00Z"));
    expect(afterQuiet(at("2026-10-24T21:00:00Z"), night)).toEqual(at("2026-10-25T06:00:00Z"));
  });

  it("end after their start, in every time zone and at every hour of a year", () => {
    for (const timezone of ["America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca", "Asia/Kathmandu"])
      for (let hour = 0; hour < 366 * 24; hour += 11) {
        const now = new Date(Date.UTC(2026, 0, 1, hour, 30));
        const hours = { timezone, quiet: { from: "01:30", to: "02:45" } };
        const end = afterQuiet(now, hours);
        expect(end.getTime()).toBeGreaterThanOrEqual(now.getTime());
        expect(end.getTime() - now.getTime()).toBeLessThanOrEqual(3 * 3_600_000);
        expect(nextAt(now, "09:00", timezone).getTime() - now.getTime()).toBeLessThanOrEqual(
          25.5 * 3_600_000,
        );
      }
  });
});
