import { describe, expect, it } from "vitest";
import { type CycleLife, dayStateOf, type SlotLife } from "../../../../server/testing/cycles/rules.ts";

const dayStarts = ["01", "02", "03", "04", "05"].map((day) => `2026-05-${day}T00:00:00.000Z`);
const cycle: CycleLife = { status: "running", dayStarts, closedDays: 2 };
const slot: SlotLife = { activeFromDay: 1, endedAt: null };

const states = (of: Partial<SlotLife>, within: Partial<CycleLife> = {}) =>
  [1, 2, 3, 4].map((dayIndex) =>
    dayStateOf({ dayIndex, isCounted: false }, { ...slot, ...of }, { ...cycle, ...within }),
  );

describe("the days of a slot", () => {
  it("are missed, open or in the future, except the day on which the slot became active", () => {
    expect(states({})).toEqual(["none", "missed", "open", "ahead"]);
  });

  it("begin when the slot became active", () => {
    expect(states({ activeFromDay: 2 })).toEqual(["none", "none", "open", "ahead"]);
    expect(states({ activeFromDay: 3 })).toEqual(["none", "none", "open", "ahead"]);
    expect(states({ activeFromDay: 4 })).toEqual(["none", "none", "none", "ahead"]);
  });

  it("do not exist for a slot that never became active", () => {
    expect(states({ activeFromDay: null })).toEqual(["none", "none", "none", "none"]);
  });

  it("do not include days that had not ended when the slot was removed", () => {
    const closed = { closedDays: 4 };
    expect(states({ endedAt: "2026-05-03T00:00:00.001Z" }, closed)).toEqual([
      "none",
      "missed",
      "none",
      "none",
    ]);
    expect(states({ endedAt: "2026-05-03T00:00:00.000Z" }, closed)).toEqual(["none", "none", "none", "none"]);
  });

  it("are not open before and after the cycle", () => {
    expect(states({}, { status: "recruiting", closedDays: 0 })).toEqual(["ahead", "ahead", "ahead", "ahead"]);
    expect(states({}, { status: "completed", closedDays: 4 })).toEqual([
      "none",
      "missed",
      "missed",
      "missed",
    ]);
  });

  it("stay counted in all states", () => {
    const ended = { activeFromDay: null, endedAt: dayStarts[0] ?? null };
    expect(dayStateOf({ dayIndex: 2, isCounted: true }, ended, cycle)).toBe("counted");
  });
});
