import { describe, expect, it } from "vitest";
import {
  isBelow,
  type StandingCycle,
  type StandingSlot,
  standingOf,
} from "../../../server/testing/days/rules.ts";

const dayStart = (day: number): string => new Date(Date.UTC(2026, 4, day)).toISOString();

/** A test of 4 days from 1 May, in which 3 missed days remove a tester. `closedDays` are over. */
const cycleOf = (closedDays: number, more: Partial<StandingCycle> = {}): StandingCycle => ({
  status: "running",
  durationDays: 4,
  maxMissedDays: 3,
  dayStarts: [1, 2, 3, 4, 5].map(dayStart),
  graceEnd: dayStart(6),
  createdAt: "2026-04-01T00:00:00.000Z",
  verificationTier: "sdk",
  closedDays,
  ...more,
});

const byProofs = { verificationTier: "screenshot" } as const;

/**
 * The slots of a test, in the order of their numbers. `c` is a counted day and `-` one that is not. The slot has a
 * tester since before the test, or with `@2` since day 2. `open` and `asked` have no tester; `gone:c-` is a removed
 * tester.
 */
const slotsOf = (...lines: readonly string[]): StandingSlot[] =>
  lines.map((line, at) => slotOf(line, at + 1));

function slotOf(line: string, seat: number): StandingSlot {
  const empty = {
    id: `slot ${seat}`,
    seat,
    missedDays: 0,
    countedDays: new Set<number>(),
    activeFromDay: null,
  };
  if (line === "open") return { ...empty, status: "open" };
  if (line === "asked") return { ...empty, status: "requested" };
  const [, gone, days = "", from = "0", missed = "0"] =
    /^(gone:)?([c-]*)(?:@(\d))?(?:!(\d))?$/.exec(line) ?? [];
  return {
    ...empty,
    status: gone ? "removed" : "active",
    activeFromDay: Number(from),
    missedDays: Number(missed),
    countedDays: new Set([...days].flatMap((day, at) => (day === "c" ? [at + 1] : []))),
  };
}

const verdictOf = (cycle: StandingCycle, lines: readonly string[]) =>
  standingOf(cycle, slotsOf(...lines)).verdict;

describe("the verdict on a test", () => {
  it.each<[StandingCycle, string[], string, string | null]>([
    [
      cycleOf(0, { status: "recruiting" }),
      ["", "open"],
      "Not started: 1 of 2 slots have a tester.",
      "Fill slot 2 before the first day is over.",
    ],
    [cycleOf(0, { status: "recruiting" }), ["", ""], "Not started: 2 of 2 slots have a tester.", null],
    [cycleOf(0, { status: "recruiting" }), [""], "Not started: 1 of 1 slot has a tester.", null],
    [cycleOf(0), ["", "c"], "On track: 2 testers, 1 needs a session today.", null],
    [
      cycleOf(0),
      ["", "open"],
      "Still possible: the goal of 2 testers for 4 days needs 1 more tester with a session today.",
      null,
    ],
    [
      cycleOf(0),
      ["c", "asked", "open"],
      "Still possible: the goal of 3 testers for 4 days needs 2 more testers with a session today.",
      null,
    ],
    [cycleOf(2), ["cc", "ccc"], "On track: 2 testers, 1 needs a session today.", null],
    [cycleOf(2), ["ccc", "ccc"], "On track: 2 testers, nobody needs a session today.", null],
    [cycleOf(2), ["cc"], "On track: 1 tester, 1 needs a session today.", null],
    [
      cycleOf(2),
      ["c-c!1", "ccc"],
      "Still possible: the goal of 2 testers for 4 days needs a late session of day 2 from 1 tester before the end of today.",
      null,
    ],
    [
      cycleOf(1),
      ["-c@1", "cc"],
      "Still possible: the goal of 2 testers for 4 days needs a late session of day 1 from 1 tester before the end of today.",
      null,
    ],
    [
      cycleOf(1),
      ["-c@2", "cc"],
      "Cannot reach the goal of 2 testers for 4 days any more: since day 1, only 1 tester can still have every day counted.",
      "Plan a new cycle.",
    ],
    [
      cycleOf(3),
      ["c-c!1", "ccc"],
      "Cannot reach the goal of 2 testers for 4 days any more: since day 2, only 1 tester can still have every day counted.",
      "Plan a new cycle.",
    ],
    [
      cycleOf(1),
      ["cc", "open", "asked"],
      "Cannot reach the goal of 3 testers for 4 days any more: since day 1, only 1 tester can still have every day counted.",
      "New testers in slots 2 and 3 can have at most 3 of the 4 days counted. Only a new cycle can reach the goal.",
    ],
    [
      cycleOf(2),
      ["ccc", "gone:c-@0!3", "-@2"],
      "Cannot reach the goal of 3 testers for 4 days any more: since day 2, only 1 tester can still have every day counted.",
      "Plan a new cycle.",
    ],
    [
      cycleOf(2),
      ["open", "open", "open", "asked"],
      "Cannot reach the goal of 4 testers for 4 days any more: since day 1, no tester can still have every day counted.",
      "New testers in 4 open slots can have at most 2 of the 4 days counted. Only a new cycle can reach the goal.",
    ],
    [
      cycleOf(1, { createdAt: "2026-05-02T00:00:00.000Z" }),
      ["-c@2", "open"],
      "Cannot reach the goal of 2 testers for 4 days: when the cycle was planned, its first day was already over, so no tester can have every day counted.",
      "Plan a new cycle.",
    ],
    [
      cycleOf(4),
      ["cccc", "cccc"],
      "Reached the goal of 2 testers for 4 days: 2 testers have all 4 days counted.",
      null,
    ],
    [
      cycleOf(4),
      ["cccc", "ccc-!1"],
      "Still possible: the goal of 2 testers for 4 days needs a late session of day 4 from 1 tester before the end of today.",
      null,
    ],
    [
      cycleOf(4),
      ["cccc", "cc-c!1"],
      "Cannot reach the goal of 2 testers for 4 days any more: since day 3, only 1 tester can still have every day counted.",
      "Plan a new cycle.",
    ],
    [
      cycleOf(4, { status: "completed" }),
      ["cccc", "ccc-!1"],
      "Did not reach the goal of 2 testers for 4 days: 1 tester has all 4 days counted.",
      null,
    ],
    [
      cycleOf(4, { status: "completed" }),
      ["cccc"],
      "Reached the goal of 1 tester for 4 days: 1 tester has all 4 days counted.",
      null,
    ],
    [cycleOf(2, { status: "cancelled" }), ["cc"], "The test was cancelled before its end.", null],
  ])("has the expected text and advice in example %#", (cycle, lines, text, advice) => {
    expect(verdictOf(cycle, lines)).toMatchObject({ text, advice });
  });

  it.each<[StandingCycle, string[], string]>([
    [cycleOf(0, byProofs), ["", "c"], "On track: 2 testers, 1 needs a proof today."],
    [cycleOf(2, byProofs), ["ccc"], "On track: 1 tester, nobody needs a proof today."],
    [
      cycleOf(0, byProofs),
      ["c", "open"],
      "Still possible: the goal of 2 testers for 4 days needs 1 more tester with a proof today.",
    ],
    [
      cycleOf(2, byProofs),
      ["c-c!1", "ccc"],
      "Cannot reach the goal of 2 testers for 4 days any more: since day 2, only 1 tester can still have every day counted.",
    ],
    [
      cycleOf(4, byProofs),
      ["cccc", "ccc-!1"],
      "Cannot reach the goal of 2 testers for 4 days any more: since day 4, only 1 tester can still have every day counted.",
    ],
    [
      cycleOf(4, byProofs),
      ["cccc"],
      "Reached the goal of 1 tester for 4 days: 1 tester has all 4 days counted.",
    ],
  ])(
    "asks for proofs if the test is verified by screenshots, and for no late ones, in example %#",
    (cycle, lines, text) => {
      expect(verdictOf(cycle, lines).text).toBe(text);
    },
  );

  it("counts a removed slot and its successor as one slot", () => {
    const [gone, next] = slotsOf("gone:c-", "-@2");
    const slots = [gone, next].flatMap((slot) => (slot ? [{ ...slot, seat: 1 }] : []));
    expect(standingOf(cycleOf(2), slots).verdict).toMatchObject({ testersNeeded: 1, testersPossible: 0 });
  });

  it("says for a test of one day with one tester that the tester has the day", () => {
    const cycle = cycleOf(1, { status: "completed", durationDays: 1, dayStarts: [1, 2].map(dayStart) });
    expect(verdictOf(cycle, ["c"]).text).toBe(
      "Reached the goal of 1 tester for 1 day: 1 tester has the day counted.",
    );
  });

  it.each<[boolean, StandingCycle, string[]]>([
    [true, cycleOf(3), ["c-c!1"]],
    [true, cycleOf(2), ["c-c!1"]],
    [false, cycleOf(2), ["cc"]],
    [false, cycleOf(0, { status: "recruiting" }), ["open"]],
    [false, cycleOf(4), ["cccc"]],
    [false, cycleOf(4, { status: "completed" }), ["ccc-"]],
    [false, cycleOf(2, { status: "cancelled" }), ["c-"]],
    [false, cycleOf(1, { createdAt: "2026-05-02T00:00:00.000Z" }), ["open"]],
  ])("causes a warning (%s) only while the test is running: %#", (alarm, cycle, lines) => {
    expect(isBelow(cycle, verdictOf(cycle, lines))).toBe(alarm);
  });
});

describe("the summary of today", () => {
  it("counts the testers with a slot whose day is counted, and the others", () => {
    const { today } = standingOf(cycleOf(1), slotsOf("cc", "c-", "open", "gone:c-", "-@2"));
    expect(today).toEqual({ dayIndex: 2, endsAt: dayStart(3), counted: 1, open: 2 });
  });

  it.each([
    cycleOf(0, { status: "recruiting" }),
    cycleOf(4),
    cycleOf(4, { status: "completed" }),
    cycleOf(1, { status: "cancelled" }),
  ])("does not exist if no day is running: %#", (cycle) => {
    expect(standingOf(cycle, slotsOf("cccc")).today).toBeNull();
  });
});

describe("the list of testers who need attention", () => {
  const attention = (cycle: StandingCycle, ...lines: readonly string[]) =>
    standingOf(cycle, slotsOf(...lines)).attention.map(({ seat, state }) => `${seat} ${state}`);

  it("begins with the testers who can still miss a day today", () => {
    const lines = ["ccc", "cc", "c-!1", "--c!2", "--!3", "gone:", "open", "-c!2", "ccc!2"];
    expect(attention(cycleOf(2), ...lines)).toEqual([
      "5 removal_due",
      "4 one_miss_left",
      "8 one_miss_left",
      "3 missed_yesterday",
      "2 today_open",
      "9 one_miss_left",
      "1 active",
    ]);
  });

  it("asks nobody for yesterday if the test is verified by screenshots", () => {
    const slots = slotsOf("c-c!1", "c-!1", "c-!3");
    expect(standingOf(cycleOf(2, byProofs), slots).attention).toMatchObject([
      { seat: 3, state: "removal_due", needsToday: true, needsYesterday: false },
      { seat: 2, state: "today_open", needsToday: true, needsYesterday: false },
      { seat: 1, state: "active", needsToday: false, needsYesterday: false, until: null },
    ]);
  });

  it("never says that a tester missed the day on which the tester got the slot", () => {
    expect(attention(cycleOf(2), "@2", "--c@2")).toEqual(["1 today_open", "2 active"]);
  });

  it("does not warn of a removal without a missed day, even if the first missed day removes", () => {
    expect(attention(cycleOf(2, { maxMissedDays: 1 }), "cc")).toEqual(["1 today_open"]);
  });

  it("says before the first day that all testers are active", () => {
    expect(attention(cycleOf(0, { status: "recruiting" }), "", "open")).toEqual(["1 active"]);
  });

  it("says until when a tester can act, and how many misses are left", () => {
    expect(standingOf(cycleOf(2), slotsOf("c-!1", "ccc")).attention).toEqual([
      {
        slotId: "slot 1",
        seat: 1,
        state: "missed_yesterday",
        needsToday: true,
        needsYesterday: true,
        until: dayStart(4),
        missedDays: 1,
        missesLeft: 2,
      },
      expect.objectContaining({ seat: 2, needsToday: false, needsYesterday: false, until: null }),
    ]);
  });

  it("ends with the time for late sessions after the last day", () => {
    expect(standingOf(cycleOf(4), slotsOf("ccc-!1")).attention).toEqual([
      expect.objectContaining({ needsToday: false, needsYesterday: true, until: dayStart(6) }),
    ]);
  });
});

describe("the numbers of testers with every day", () => {
  const runs = (cycle: StandingCycle, ...lines: readonly string[]) =>
    standingOf(cycle, slotsOf(...lines)).unbroken.map(({ testers, possible }) => [testers, possible]);

  it("are counted after each day that has begun, and can still increase for yesterday and today", () => {
    expect(runs(cycleOf(2), "ccc", "cc", "c", "-cc", "gone:cc")).toEqual([
      [4, 4],
      [3, 4],
      [1, 3],
    ]);
  });

  it("do not increase after the test", () => {
    expect(runs(cycleOf(4, { status: "completed" }), "cccc", "ccc")).toEqual([
      [2, 2],
      [2, 2],
      [2, 2],
      [1, 1],
    ]);
  });

  it("do not exist before the first day", () => {
    expect(runs(cycleOf(0, { status: "recruiting" }), "")).toEqual([]);
  });
});
