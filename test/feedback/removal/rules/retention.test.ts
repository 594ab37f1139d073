import { describe, expect, it } from "vitest";
import { retentionTime, tooOldBefore } from "../../../../server/feedback/threads/rules.ts";

const now = new Date("2026-11-23T08:00:00.000Z");

describe("the time of a cleanup", () => {
  it.each([
    ["the clock's time at the first cleanup", undefined, "2026-11-23T08:00:00.000Z"],
    ["the clock's time a day after the last one", "2026-11-22T08:00:00.000Z", "2026-11-23T08:00:00.000Z"],
    [
      "two days after the last one, if the clock is a year ahead",
      "2025-11-23T08:00:00.000Z",
      "2025-11-25T08:00:00.000Z",
    ],
    ["the clock's time, if it was set back", "2027-11-23T08:00:00.000Z", "2026-11-23T08:00:00.000Z"],
  ])("is %s", (_, last, expected) => {
    expect(retentionTime(last, now).toISOString()).toBe(expected);
  });
});

describe("a resolved thread", () => {
  it("is deleted when it is older than the days of its app", () => {
    expect(tooOldBefore(30, now)).toBe("2026-10-24T08:00:00.000Z");
    expect(tooOldBefore(3_650, new Date(0))).toBe("1970-01-01T00:00:00.000Z");
  });
});
