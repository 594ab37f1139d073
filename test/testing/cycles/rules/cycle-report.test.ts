import { describe, expect, it } from "vitest";
import { type ReportedCycle, type ReportedSlot, reportOf } from "../../../../server/testing/cycles/rules.ts";

const id = "01a1fda4-237d-759b-ad89-7cf5663516dc";
const cycle: ReportedCycle["cycle"] = {
  id,
  listingId: id,
  appId: id,
  status: "running",
  startsOn: "2026-05-01",
  timezone: "UTC",
  durationDays: 2,
  maxMissedDays: 2,
  startsAt: "2026-05-01T00:00:00.000Z",
  endsAt: "2026-05-03T00:00:00.000Z",
  dayIndex: 2,
  createdAt: "2026-04-01T00:00:00.000Z",
};
const slotOf = (name: string, seat: number, more: Partial<ReportedSlot> = {}): ReportedSlot => ({
  id: name,
  seat,
  status: "active",
  missedDays: 0,
  activatedAt: "2026-05-01T08:00:00.000Z",
  endedAt: null,
  ...more,
});
const report = (more: Partial<ReportedCycle> = {}) =>
  reportOf({
    cycle,
    closedDays: 1,
    verificationTier: "sdk",
    appName: "A",
    packageName: "a",
    slots: [],
    days: [],
    sessions: [],
    ...more,
  });

const slots = [
  slotOf("gone", 1, { status: "removed", endedAt: "2026-05-02T00:00:00.000Z" }),
  slotOf("successor", 1),
  slotOf("held", 2),
  slotOf("open", 3, { status: "open", activatedAt: null }),
];
const days = [
  { slotId: "held", dayIndex: 1, kind: "session" },
  { slotId: "held", dayIndex: 2, kind: "proof" },
  { slotId: "successor", dayIndex: 2, kind: "session" },
] as const;

describe("the report on a cycle", () => {
  it("counts the testers with a slot, their days, and the testers of each day", () => {
    expect(report({ slots, days })).toMatchObject({
      testers: 2,
      testersWithEveryDay: 1,
      testersPerDay: [
        { dayIndex: 1, testers: 1 },
        { dayIndex: 2, testers: 2 },
      ],
    });
  });

  it("lists the counted days of each slot, in whole seconds", () => {
    const sessions = [{ slotId: "held", sessions: 3, milliseconds: 90_999 }];
    const [, successor, held] = report({ slots, days, sessions }).seats;
    expect(held).toMatchObject({
      daysCounted: 2,
      daysBySession: 1,
      daysByProof: 1,
      sessions: 3,
      secondsTested: 90,
    });
    expect(successor).toMatchObject({
      daysCounted: 1,
      daysBySession: 1,
      daysByProof: 0,
      sessions: 0,
      secondsTested: 0,
    });
  });

  it("counts testers who were removed with a cancelled cycle, but not testers who were removed before", () => {
    const removed = { status: "removed" } as const;
    const all = [slotOf("gone", 1, removed), slotOf("last", 1, removed), slotOf("other", 2, removed)];
    expect(report({ slots: all, cycle: { ...cycle, status: "cancelled" } }).testers).toBe(2);
    expect(report({ slots: all }).testers).toBe(0);
  });
});

describe("the statement of a report", () => {
  const sentences = (more: Partial<ReportedCycle>) =>
    report(more).statement.split(" A day counted by a session")[0];
  const inCycle = (status: ReportedCycle["cycle"]["status"], durationDays = 2) => ({
    ...cycle,
    status,
    durationDays,
  });

  it.each<[Partial<ReportedCycle>, string]>([
    [
      { cycle: inCycle("recruiting"), slots: [], closedDays: 0 },
      "The test has not started. 0 testers have a slot.",
    ],
    [
      { slots, days },
      "The test is on day 2 of 2. 2 testers have a slot; 1 of them has the one finished day counted.",
    ],
    [{ slots, days, closedDays: 0 }, "The test is on day 2 of 2. 2 testers have a slot."],
    [
      { slots, days, closedDays: 2, cycle: inCycle("running", 3) },
      "The test is on day 2 of 3. 2 testers have a slot; 1 of them has all 2 finished days counted.",
    ],
    [
      { slots: [slotOf("held", 2)], days, closedDays: 2 },
      "The last day of the test is over; late sessions of that day still count. 1 tester has a slot; 1 of them has every day of the test counted.",
    ],
    [
      { slots: [slotOf("held", 2)], days, closedDays: 2, verificationTier: "screenshot" },
      "The last day of the test is over; no further day can count. 1 tester has a slot; 1 of them has every day of the test counted.",
    ],
    [
      { cycle: inCycle("completed", 1), slots: [slotOf("held", 2)], days: [] },
      "The test ran for 1 day. 1 tester had a slot when it ended; 0 of them have every day of the test counted.",
    ],
    [
      { cycle: inCycle("cancelled"), slots: [] },
      "The test was cancelled before its end. 0 testers had a slot when it ended; 0 of them have every day of the test counted.",
    ],
  ])("has the expected text in example %#", (more, expected) => {
    expect(sentences(more)).toBe(expected);
  });

  it("says what a counted day means", () => {
    expect(report().statement).toContain("at least 45 seconds reached at least 2 screens on that day");
  });
});
