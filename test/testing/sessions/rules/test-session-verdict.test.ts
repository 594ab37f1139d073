import { describe, expect, it } from "vitest";
import { judgeSession, type TestedSlot, wouldHaveCounted } from "../../../../server/testing/days/rules.ts";
import { sessionReasons } from "../../../../src/contract/test-sessions.ts";
import { activeSlot, secondsAfter, slotInCycle } from "../../../support/worlds/active-slot.ts";

/** Day 5, at noon. */
const noon = "2026-05-05T12:00:00.000Z";

interface Reported {
  readonly startedAt?: string;
  readonly seconds?: number;
  readonly screens?: readonly string[];
}

function judge(
  { startedAt = secondsAfter(noon, -60), seconds = 60, screens = ["Home", "Map"] }: Reported,
  slot: TestedSlot = activeSlot,
  now = noon,
) {
  const endedAt = secondsAfter(startedAt, seconds);
  return judgeSession({ startedAt, endedAt, screens }, slot, new Date(now));
}

const reasonOf = (...reported: Parameters<typeof judge>) => judge(...reported).reason;

describe("a session of 45 seconds or more on 2 different screens, for an active slot of a running cycle,", () => {
  it("counts the day of its start", () => {
    expect(judge({})).toEqual({ counted: true, dayIndex: 5, reason: null });
  });

  it("counts for a slot at risk", () => {
    expect(judge({}, { ...activeSlot, status: "at_risk" }).counted).toBe(true);
  });

  it("counts for the day on which it happened if it is uploaded one day late", () => {
    const late = judge({ startedAt: "2026-05-04T00:00:00.000Z" });
    expect(late).toEqual({ counted: true, dayIndex: 4, reason: null });
  });

  it("counts for the day on which it began if it lasts past midnight", () => {
    const late = judge({ startedAt: "2026-05-04T23:59:30.000Z", seconds: 3_600 });
    expect(late).toEqual({ counted: true, dayIndex: 4, reason: null });
  });
});

describe("the check of a session", () => {
  it.each([
    ["44.999 seconds long", { seconds: 44.999 }, "session_below_bar"],
    ["45 seconds long", { seconds: 45 }, null],
    ["45.001 seconds long", { seconds: 45.001 }, null],
    ["with no screen", { screens: [] }, "session_below_bar"],
    ["with 1 screen", { screens: ["Home"] }, "session_below_bar"],
    ["with 2 screens", { screens: ["Home", "Map"] }, null],
    ["with 3 screens", { screens: ["Home", "Map", "Settings"] }, null],
    [
      "that begins 119.999 s ahead of the clock",
      { startedAt: secondsAfter(noon, 119.999) },
      "session_below_bar",
    ],
    ["that begins 120 s ahead of the clock", { startedAt: secondsAfter(noon, 120) }, "session_below_bar"],
    [
      "that begins 120.001 s ahead of the clock",
      { startedAt: secondsAfter(noon, 120.001) },
      "session_in_future",
    ],
    ["that ends 120 s ahead of the clock", { startedAt: secondsAfter(noon, 60) }, null],
    [
      "that ends 120.001 s ahead of the clock",
      { startedAt: secondsAfter(noon, 60.001) },
      "session_below_bar",
    ],
    [
      "that began a second ago and ends in 59 minutes",
      { startedAt: secondsAfter(noon, -1), seconds: 3_541 },
      "session_below_bar",
    ],
    ["that began 45 s ago and ends in an hour", { startedAt: secondsAfter(noon, -45), seconds: 3_645 }, null],
    ["from the first moment of the day before", { startedAt: "2026-05-04T00:00:00.000Z" }, null],
    ["from the last moment of two days before", { startedAt: "2026-05-03T23:59:59.999Z" }, "session_stale"],
    ["from the day before the cycle", { startedAt: "2026-04-30T12:00:00.000Z" }, "session_stale"],
  ] as const)("of a session %s results in: %s", (_, reported, reason) => {
    expect(reasonOf({ ...reported })).toBe(reason);
  });

  it.each([
    ["recruiting", "cycle_not_running"],
    ["completed", "cycle_not_running"],
    ["cancelled", "cycle_not_running"],
    ["running", null],
  ])("in a cycle that is %s results in: %s", (status, reason) => {
    expect(reasonOf({}, slotInCycle(status))).toBe(reason);
  });

  it.each([
    ["open", "slot_not_active"],
    ["requested", "slot_not_active"],
    ["removed", "slot_not_active"],
    ["completed", "slot_not_active"],
    ["active", null],
    ["at_risk", null],
  ])("for a slot that is %s results in: %s", (status, reason) => {
    expect(reasonOf({}, { ...activeSlot, status })).toBe(reason);
  });

  it.each([
    ["in the last millisecond of the day before", "2026-05-04T23:59:59.999Z", "session_stale"],
    ["at the beginning of the day", "2026-05-05T00:00:00.000Z", null],
    ["after the moment", "2026-05-05T09:00:01.000Z", null],
  ])("of a session that begins %s on which the slot became active results in: %s", (_, startedAt, reason) => {
    const slot = { ...activeSlot, activatedAt: "2026-05-05T09:00:00.000Z" };
    expect(reasonOf({ startedAt }, slot)).toBe(reason);
  });

  it("results in already_submitted for a counted day, but not for another day", () => {
    const slot = { ...activeSlot, countedDays: new Set([5]) };
    expect(reasonOf({}, slot)).toBe("already_submitted");
    expect(reasonOf({ startedAt: "2026-05-04T12:00:00.000Z" }, slot)).toBeNull();
  });

  it("returns the day of the session, and 0 outside the cycle", () => {
    expect(judge({ seconds: 1 }).dayIndex).toBe(5);
    expect(judge({ startedAt: "2026-05-01T12:00:00.000Z" }).dayIndex).toBe(1);
    expect(judge({ startedAt: "2026-04-30T12:00:00.000Z" }).dayIndex).toBe(0);
    expect(judge({}, slotInCycle("completed"), "2026-05-15T00:00:30.000Z").dayIndex).toBe(5);
    expect(judge({ startedAt: "2026-05-15T00:00:10.000Z" }, activeSlot, "2026-05-14T23:59:50.000Z")).toEqual({
      counted: false,
      dayIndex: 0,
      reason: "cycle_not_running",
    });
  });
});

describe("a session that arrives on the day after the last day, while the cycle is still running,", () => {
  const after = "2026-05-15T12:00:00.000Z";

  it.each([
    [
      "counts for the last day if it is from that day",
      "2026-05-14T23:00:00.000Z",
      { counted: true, dayIndex: 14, reason: null },
    ],
    [
      "is too old if it is from an earlier day",
      "2026-05-13T23:00:00.000Z",
      { counted: false, dayIndex: 13, reason: "session_stale" },
    ],
    [
      "is outside the cycle if it begins after the last day",
      "2026-05-15T11:00:00.000Z",
      { counted: false, dayIndex: 0, reason: "cycle_not_running" },
    ],
    [
      "is outside the cycle if it begins in the future",
      "2026-05-15T13:00:00.000Z",
      { counted: false, dayIndex: 0, reason: "cycle_not_running" },
    ],
  ])("%s", (_, startedAt, verdict) => {
    expect(judge({ startedAt }, activeSlot, after)).toEqual(verdict);
  });

  it("is refused as in the future if the last day has not ended and it begins long after that day", () => {
    expect(reasonOf({ startedAt: "2026-05-20T12:00:00.000Z" })).toBe("session_in_future");
  });
});

describe("a session that is refused only because of its time", () => {
  const session = (startedAt: string) => ({
    startedAt,
    endedAt: secondsAfter(startedAt, 60),
    screens: ["Home", "Map"],
  });

  it.each([
    ["it is from a day of the cycle", activeSlot, noon, true],
    ["the cycle has not been started yet", slotInCycle("recruiting"), noon, true],
    ["it is from before the cycle", slotInCycle("recruiting"), "2026-04-30T12:00:00.000Z", false],
    ["the cycle is over", slotInCycle("completed"), noon, false],
    ["the slot was removed", { ...activeSlot, status: "removed" }, noon, false],
    ["its day is counted", { ...activeSlot, countedDays: new Set([5]) }, noon, false],
  ])("is judged as if it had arrived in time, for example if %s", (_, slot, startedAt, would) => {
    expect(wouldHaveCounted(session(startedAt), slot)).toBe(would);
  });
});

describe("the reasons against a session", () => {
  /** A session and a slot with every fault that can occur together, from a given reason on. */
  const everythingWrongFrom = (reason: (typeof sessionReasons)[number]) => {
    const from = sessionReasons.indexOf(reason);
    const isWrong = (name: (typeof sessionReasons)[number]) => sessionReasons.indexOf(name) >= from;
    const slot = {
      ...slotInCycle(isWrong("cycle_not_running") ? "completed" : "running"),
      status: isWrong("slot_not_active") ? "removed" : "active",
      countedDays: new Set([4, 5, 6]),
      // The slot is active since tomorrow, so every reported session was earlier.
      activatedAt: isWrong("session_stale") ? "2026-05-06T12:00:00.000Z" : activeSlot.activatedAt,
    };
    if (reason === "session_below_bar") slot.countedDays = new Set();
    const startedAt = isWrong("session_in_future") ? secondsAfter(noon, 3_600) : secondsAfter(noon, -60);
    return reasonOf({ startedAt, seconds: 1, screens: [] }, slot);
  };

  it.each(sessionReasons)("have an order: %s has priority over all later reasons", (reason) => {
    expect(everythingWrongFrom(reason)).toBe(reason);
  });
});
