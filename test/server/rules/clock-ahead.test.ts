import { describe, expect, it } from "vitest";
import { byServerClock, clockAheadOf } from "../../../server/clock.ts";
import { fc } from "../../support/property.ts";

const now = new Date("2026-11-22T12:00:00.400Z");
const shows = (milliseconds: number) => new Date(now.getTime() + milliseconds).toUTCString();

describe("the function that compares a sender's clock with the server's clock", () => {
  it.each<[string, string | undefined, number]>([
    ["no date", undefined, 0],
    ["a clock that is right", shows(0), 0],
    ["the same second, because its fraction is unknown", "Sun, 22 Nov 2026 12:00:00 GMT", 0],
    ["the next second", "Sun, 22 Nov 2026 12:00:01 GMT", 1_600],
    ["a clock that is ahead by an hour", "Sun, 22 Nov 2026 13:00:00 GMT", 3_600_600],
    ["a clock that is behind", shows(-3_600_000), 0],
    ["the last year of the form", "Fri, 31 Dec 9999 23:59:59 GMT", Date.UTC(10_000, 0) - now.getTime()],
    ["a text that is no date", "yesterday", 0],
    ["another form of a date", "2026-11-22T13:00:00Z", 0],
    ["a text around a date", "x Sun, 22 Nov 2026 13:00:00 GMT", 0],
    ["a text after a date", "Sun, 22 Nov 2026 13:00:00 GMT, Sun, 22 Nov 2020 13:00:00 GMT", 0],
    ["a day that does not exist", "Sun, 99 Nov 2026 13:00:00 GMT", 0],
  ])("accepts %s", (_, date, ahead) => {
    expect(clockAheadOf(date, now)).toBe(ahead);
  });
});

describe("the function that corrects a sender's time", () => {
  it.each([
    ["does not change a time of a right clock", "2026-11-22T12:00:00.000Z", 0, "2026-11-22T12:00:00.000Z"],
    ["moves a time of a fast clock back", "2026-11-22T12:00:00.000Z", 60_000, "2026-11-22T11:59:00.000Z"],
    ["moves a time by one millisecond", "2026-11-22T12:00:00.000Z", 1, "2026-11-22T11:59:59.999Z"],
    ["returns no time before 1970", "1970-01-01T00:00:01.000Z", 60_000, "1970-01-01T00:00:00.000Z"],
  ])("%s", (_, instant, ahead, expected) => {
    expect(byServerClock(instant, ahead)).toBe(expected);
  });

  it("never returns a later time, for any value of the sender", () => {
    const instants = fc.date({
      min: new Date(0),
      max: new Date("9999-12-31T23:59:59.999Z"),
      noInvalidDate: true,
    });
    const dates = fc.oneof(
      fc.string(),
      instants.map((date) => date.toUTCString()),
    );
    fc.assert(
      fc.property(instants, dates, (instant, date) => {
        const given = instant.toISOString();
        expect(byServerClock(given, clockAheadOf(date, now)) <= given).toBe(true);
      }),
    );
  });
});
