import { describe, expect, it } from "vitest";
import {
  afterMissedDay,
  canEarn,
  countedDaysOf,
  isMissed,
  requestMilliseconds,
} from "../../server/domain/seat.ts";

describe("a seat whose day closes uncounted", () => {
  it.each([
    ["active", 0, 3, "at_risk", 1],
    ["active", 1, 3, "at_risk", 2],
    ["active", 2, 3, "at_risk", 3],
    ["at_risk", 1, 3, "at_risk", 2],
    ["at_risk", 2, 3, "removed", 3],
    ["at_risk", 3, 3, "removed", 4],
    ["active", 0, 1, "at_risk", 1],
    ["at_risk", 1, 1, "removed", 2],
    ["at_risk", 1, 2, "removed", 2],
  ] as const)("%s with %d missed of %d becomes %s with %d", (status, missedDays, most, after, missed) => {
    expect(afterMissedDay({ status, missedDays }, most)).toEqual({ status: after, missedDays: missed });
  });
});

describe("a day that closes", () => {
  it.each([
    ["is missed where it is not counted", 5, 1, [4], true],
    ["is not missed where it is counted", 5, 1, [4, 5], false],
    ["is never missed where the seat became active on it", 5, 5, [], false],
    ["is missed where the seat became active the day before", 5, 4, [], true],
    ["is not missed where the seat became active after it", 5, 6, [], false],
    ["is missed where it is the first and the seat was active before", 1, 0, [], true],
  ])("%s", (_, dayIndex, activeFromDay, counted, missed) => {
    expect(isMissed(dayIndex, activeFromDay, new Set(counted))).toBe(missed);
  });
});

describe("a seat", () => {
  it.each([
    ["active", "recruiting", true],
    ["active", "running", true],
    ["at_risk", "running", true],
    ["active", "completed", false],
    ["active", "cancelled", false],
    ["open", "running", false],
    ["requested", "running", false],
    ["completed", "completed", false],
    ["removed", "running", false],
  ])("that is %s in a cycle that is %s can earn a day: %s", (status, cycleStatus, can) => {
    expect(canEarn(status, cycleStatus)).toBe(can);
  });

  it("is asked for for 48 hours", () => {
    expect(requestMilliseconds).toBe(48 * 60 * 60 * 1_000);
  });

  it.each([
    [",", []],
    [",3,", [3]],
    [",1,2,14,", [1, 2, 14]],
  ])("stored with %s has the counted days %j", (counted, days) => {
    expect([...countedDaysOf(counted)]).toEqual(days);
  });
});
