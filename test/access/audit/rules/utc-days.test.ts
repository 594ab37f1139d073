import { describe, expect, it } from "vitest";
import { endOfDay, startOfDay } from "../../../../server/access/audit/rules.ts";

describe("a day in UTC", () => {
  it.each([
    ["2026-11-22", "2026-11-22T00:00:00.000Z", "2026-11-23T00:00:00.000Z"],
    ["2024-02-28", "2024-02-28T00:00:00.000Z", "2024-02-29T00:00:00.000Z"],
    ["2026-12-31", "2026-12-31T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
  ])("that is written as %s begins at %s and ends at %s", (day, start, end) => {
    expect([startOfDay(day), endOfDay(day)]).toEqual([start, end]);
  });

  it.each(["", "yesterday", "2026-02-30", "2026-13-01", "2026-1-1", "2026-11-22T00:00:00Z", "x2026-11-22"])(
    "cannot be written as %j",
    (text) => {
      expect([startOfDay(text), endOfDay(text)]).toEqual([undefined, undefined]);
    },
  );
});
