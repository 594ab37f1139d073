import { describe, expect, it } from "vitest";
import {
  arrivalsAt,
  byTarget,
  depthOf,
  homesOf,
  isOpenRun,
  type MergeStep,
  mergeRefusal,
  placesOfMail,
  reaches,
  undoRefusal,
} from "../../../server/feedback/merge/rules.ts";
import { limits } from "../../../src/contract/limits.ts";

const step = (id: string, intoId: string, number: number): MergeStep => ({ id, intoId, number });

describe("a reply to everyone", () => {
  // b was merged into a, as the first merge of a. Then a was merged into c, as the first merge of c.
  const steps = [step("b", "a", 1), step("a", "c", 2)];
  const homes = (id: string) => homesOf(id, new Map(steps.map((one) => [one.id, one])));

  it.each([
    [
      "in the sender's own thread before its merge reaches the sender",
      "b",
      { home: "b", beforeMerge: 1 },
      true,
    ],
    ["in the target before the merge does not reach the sender", "b", { home: "a", beforeMerge: 1 }, false],
    ["in the target after the merge reaches the sender", "b", { home: "a", beforeMerge: 2 }, true],
    [
      "in a thread that was merged into the sender's thread does not reach the sender before the merge",
      "a",
      { home: "b", beforeMerge: 1 },
      false,
    ],
    [
      "in the last target before its merge does not reach the sender",
      "b",
      { home: "c", beforeMerge: 2 },
      false,
    ],
    ["in the last target now reaches the sender", "b", { home: "c", beforeMerge: null }, true],
    [
      "in the last target now reaches the sender of its own report",
      "c",
      { home: "c", beforeMerge: null },
      true,
    ],
    [
      "in the last target before its merge reaches the sender of its own report",
      "c",
      { home: "c", beforeMerge: 2 },
      true,
    ],
    ["in an unrelated thread does not reach the sender", "c", { home: "d", beforeMerge: null }, false],
  ])("%s", (_, id, reply, is) => {
    expect(reaches(reply, homes(id).get(reply.home))).toBe(is);
    expect(reaches(reply, arrivalsAt(reply.home, byTarget(steps)).get(id))).toBe(is);
  });

  it("has a finite list of threads even if the merges form a circle", () => {
    const circle = [step("b", "a", 1), step("a", "b", 2)];
    const homes = homesOf("b", new Map(circle.map((one) => [one.id, one])));
    expect([...homes.keys()]).toEqual(["b", "a"]);
    expect([...arrivalsAt("b", byTarget(circle)).keys()]).toEqual(["b", "a"]);
  });

  it("is in a thread whose depth is the longest chain of merges into it", () => {
    expect([depthOf("c", steps), depthOf("a", steps.slice(0, 1)), depthOf("b", [])]).toEqual([2, 1, 0]);
    expect(depthOf("c", [...steps, step("d", "c", 3)])).toBe(2);
  });

  it("belongs to a thread and to all threads that were merged into it", () => {
    const inside = (id: string) => [...arrivalsAt(id, byTarget(steps)).keys()].sort();
    expect(inside("a")).toEqual(["a", "b"]);
    expect(inside("c")).toEqual(["a", "b", "c"]);
    expect(inside("b")).toEqual(["b"]);
  });
});

describe("a merge", () => {
  const mergedAt = "2026-11-01T10:00:00.000Z";

  it.each([
    [
      "can be undone for 30 days",
      { erased: 0, subject: "It crashes" },
      "2026-12-01T10:00:00.000Z",
      undefined,
    ],
    [
      "cannot be undone after 30 days",
      { erased: 0, subject: "It crashes" },
      "2026-12-01T10:00:00.001Z",
      /within 30 days/,
    ],
    ["cannot be undone after an erasure", { erased: 1, subject: "It crashes" }, mergedAt, /erased/],
    ["cannot be undone after its report was deleted", { erased: 0, subject: null }, mergedAt, /erased/],
  ])("%s", (_, facts, now, refusal) => {
    const given = undoRefusal({ mergedAt, ...facts }, new Date(now));
    if (refusal === undefined) expect(given).toBeUndefined();
    else expect(given?.message).toMatch(refusal);
  });

  it.each([
    ["awaiting_approval", null, null, true],
    ["approved", null, null, true],
    ["approved", null, "2026-11-01T10:00:00.001Z", true],
    ["approved", null, "2026-11-01T10:00:00.000Z", false],
    ["approved", "succeeded", null, false],
    ["approved", "failed", null, false],
    ["rejected", null, null, false],
  ] as const)(
    "has to wait for a proposal that is %s with the outcome %s and expires at %s: %s",
    (status, outcomeStatus, expiresAt, is) => {
      expect(isOpenRun({ status, outcomeStatus, expiresAt }, new Date(mergedAt))).toBe(is);
    },
  );

  const own = { appId: "app", mergedInto: null };
  const pair = { id: "a", into: "b", thread: own, other: own, runs: [], messages: 1, merged: 0, depth: 1 };

  it.each([
    ["another thread of the app", {}, undefined],
    ["itself", { into: "a" }, "bad_request"],
    ["a thread that the caller may not read", { other: undefined }, "not_found"],
    ["a thread of another app", { other: { ...own, appId: "b" } }, "not_found"],
    ["a thread that is merged itself", { other: { ...own, mergedInto: "c" } }, "merged"],
    [
      "a deleted thread after the own thread was merged",
      { thread: { ...own, mergedInto: "c" }, other: undefined },
      "merged",
    ],
    [
      "another thread, from a thread with an open proposal,",
      { runs: [{ status: "approved", expiresAt: null, outcomeStatus: null }] },
      "run_open",
    ],
    ["another thread, with the maximum number of messages,", { messages: limits.mergedMessages }, undefined],
    [
      "another thread, with one message more than the maximum,",
      { messages: limits.mergedMessages + 1 },
      "wrong_state",
    ],
    ["another thread with one merge less than the maximum", { merged: limits.mergedThreads - 1 }, undefined],
    ["another thread with the maximum number of merges", { merged: limits.mergedThreads }, "wrong_state"],
    ["another thread after the maximum number of earlier merges", { depth: limits.mergeDepth }, undefined],
    ["another thread after one earlier merge too many", { depth: limits.mergeDepth + 1 }, "wrong_state"],
  ] as const)("into %s is accepted, or refused with the right code", (_, facts, code) => {
    expect(mergeRefusal({ ...pair, ...facts }, new Date(mergedAt))?.code).toBe(code);
  });
});

describe("a mail with a reply to everyone, after the undoing of a merge", () => {
  const report = (id: string, email: string, createdAt = "1") => ({ id, email, createdAt });
  const divided = {
    inside: [report("bo", "bo@attic.example"), report("ada-again", "ada@kitchen.example")],
    outside: [report("ada", "ada@kitchen.example"), report("cy", "cy@cellar.example")],
  };

  it.each([
    ["of a report that was taken out", "bo", "bo@attic.example", true, false],
    ["of a report of the other thread", "cy", "cy@cellar.example", false, false],
    ["to an address with reports in both threads", "ada", "ada@kitchen.example", false, true],
    ["to such an address, of the report that was taken out", "ada-again", "ada@kitchen.example", true, true],
  ])("%s is placed", (_, reportId, recipient, isInside, isInBoth) => {
    expect(placesOfMail({ reportId, recipient }, divided, "2")).toEqual({ isInside, isInBoth });
  });

  it("is not given to a report that came after the reply", () => {
    const mail = { reportId: "bo", recipient: "bo@attic.example" };
    const later = { ...divided, outside: [report("late", "bo@attic.example", "3")] };
    expect(placesOfMail(mail, later, "2").isInBoth).toBe(false);
  });
});
