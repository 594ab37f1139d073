import { describe, expect, it } from "vitest";
import {
  homesOf,
  isOpenRun,
  type MergeStep,
  reaches,
  undoRefusal,
  withMerged,
} from "../../../../server/feedback/merge/rules.ts";

const step = (id: string, intoId: string, number: number): MergeStep => ({ id, intoId, number });

describe("a reply to everyone", () => {
  // b was merged into a, as the first merge of a. Then a was merged into c, as the first merge of c.
  const steps = [step("b", "a", 1), step("a", "c", 2)];
  const homes = (id: string) => homesOf(id, new Map(steps.map((one) => [one.id, one])));

  it.each([
    ["of the own thread, before the merge", "b", { home: "b", beforeMerge: 1 }, true],
    ["of the other thread, before the merge", "b", { home: "a", beforeMerge: 1 }, false],
    ["of the other thread, after the merge", "b", { home: "a", beforeMerge: 2 }, true],
    ["of a thread beside it", "a", { home: "b", beforeMerge: 1 }, false],
    ["of the last thread, before its merge", "b", { home: "c", beforeMerge: 2 }, false],
    ["of the last thread, now", "b", { home: "c", beforeMerge: null }, true],
    ["of the last thread, now, to its own report", "c", { home: "c", beforeMerge: null }, true],
    ["of the last thread, before its merge, to its own report", "c", { home: "c", beforeMerge: 2 }, true],
    ["of another thread", "c", { home: "d", beforeMerge: null }, false],
  ])("%s", (_, id, reply, is) => {
    expect(reaches(reply, homes(id))).toBe(is);
  });

  it("ends if the merges form a circle", () => {
    const circle = [step("b", "a", 1), step("a", "b", 2)];
    const homes = homesOf("b", new Map(circle.map((one) => [one.id, one])));
    expect([...homes.keys()]).toEqual(["b", "a"]);
  });

  it("belongs to a thread and all that were merged into it", () => {
    expect([...withMerged("a", steps)].sort()).toEqual(["a", "b"]);
    expect([...withMerged("c", steps)].sort()).toEqual(["a", "b", "c"]);
    expect([...withMerged("b", steps)]).toEqual(["b"]);
  });
});

describe("a merge", () => {
  const mergedAt = "2026-11-01T10:00:00.000Z";

  it.each([
    ["can be undone for 30 days", { erased: 0, hasReport: true }, "2026-12-01T10:00:00.000Z", undefined],
    ["and not later", { erased: 0, hasReport: true }, "2026-12-01T10:00:00.001Z", /within 30 days/],
    ["not after an erasure", { erased: 1, hasReport: true }, mergedAt, /erased/],
    ["not without its report", { erased: 0, hasReport: false }, mergedAt, /erased/],
  ])("%s", (_, facts, now, refusal) => {
    const given = undoRefusal({ mergedAt, ...facts }, new Date(now));
    if (refusal === undefined) expect(given).toBeUndefined();
    else expect(given).toMatch(refusal);
  });

  it.each([
    ["awaiting_approval", null, true],
    ["approved", null, true],
    ["approved", "succeeded", false],
    ["approved", "failed", false],
    ["rejected", null, false],
  ])("waits for a proposal that is %s with the outcome %s: %s", (status, outcomeStatus, is) => {
    expect(isOpenRun({ status, outcomeStatus })).toBe(is);
  });
});
