import { describe, expect, it } from "vitest";
import {
  acceptsTesters,
  afterDay,
  canEarn,
  countedDaysOf,
  isMissed,
  requestMilliseconds,
} from "../../../../server/testing/days/rules.ts";

describe("the end of a day", () => {
  it.each([
    ["counts as missed for a slot that has missed none", 0, [], "missed"],
    ["counts as missed for a slot that has missed two of three", 2, [], "missed"],
    ["ends a slot that has missed three before it", 3, [], "removed"],
    ["ends a slot that has missed three before it, even if this day is counted", 3, [5], "removed"],
    ["ends a slot that has missed more under an older rule", 7, [], "removed"],
    ["changes nothing for a slot with a session or a proof on that day", 2, [5], "unchanged"],
  ] as const)("%s", (_, missedDays, counted, outcome) => {
    const slot = { missedDays, activeFromDay: 0, countedDays: new Set(counted) };
    expect(afterDay(slot, 5, 3)).toBe(outcome);
  });

  it("does not change a slot that became active on that day", () => {
    expect(afterDay({ missedDays: 0, activeFromDay: 5, countedDays: new Set() }, 5, 1)).toBe("unchanged");
  });
});

describe("a cycle", () => {
  const dayStarts = ["2026-05-01T00:00:00.000Z", "2026-05-02T00:00:00.000Z", "2026-05-03T00:00:00.000Z"];
  it.each([
    ["recruiting", "2026-04-01T00:00:00.000Z", true],
    ["running", "2026-05-02T23:59:59.999Z", true],
    ["running", "2026-05-03T00:00:00.000Z", false],
    ["completed", "2026-05-02T00:00:00.000Z", false],
    ["cancelled", "2026-04-01T00:00:00.000Z", false],
  ])("that is %s accepts testers at %s: %s", (status, now, gives) => {
    expect(acceptsTesters({ status, dayStarts }, now)).toBe(gives);
  });
});

describe("a day that has ended", () => {
  it.each([
    ["is missed if it is not counted", 5, 1, [4], true],
    ["is not missed if it is counted", 5, 1, [4, 5], false],
    ["is never missed if the slot became active on it", 5, 5, [], false],
    ["is missed if the slot became active the day before", 5, 4, [], true],
    ["is not missed if the slot became active after it", 5, 6, [], false],
    ["is missed if it is the first day and the slot was active before", 1, 0, [], true],
  ])("%s", (_, dayIndex, activeFromDay, counted, missed) => {
    expect(isMissed(dayIndex, activeFromDay, new Set(counted))).toBe(missed);
  });
});

describe("a slot", () => {
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
  ])("that is %s in a cycle that is %s can get a counted day: %s", (status, cycleStatus, can) => {
    expect(canEarn(status, cycleStatus)).toBe(can);
  });

  it("can have a request that is valid for 48 hours", () => {
    expect(requestMilliseconds).toBe(48 * 60 * 60 * 1_000);
  });

  it.each([
    [",", []],
    [",3,", [3]],
    [",1,2,14,", [1, 2, 14]],
  ])("that is stored with %s has the counted days %j", (counted, days) => {
    expect([...countedDaysOf(counted)]).toEqual(days);
  });
});
