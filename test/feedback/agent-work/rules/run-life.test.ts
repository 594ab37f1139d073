import { describe, expect, it } from "vitest";
import {
  type ClaimFacts,
  claimVerdict,
  endOfClaim,
  mayResume,
  outcomeNote,
} from "../../../../server/feedback/agent-work/rules.ts";
import {
  expiresAfter,
  expiryOf,
  recallRefusal,
  stateAt,
  statusOf,
} from "../../../../server/feedback/proposals/rules.ts";

const at = (time: string) => new Date(`2026-05-01T${time}Z`);
const certain = (time: string) => ({ now: at(time), doubtful: false, behindMs: 0 });
const approval = { status: "approved", expiresAt: "2026-05-01T12:00:00.000Z" } as const;

describe("an approval with a lifetime", () => {
  it.each([
    ["11:59:59.999", "good"],
    ["12:00:00.000", "over"],
    ["12:00:00.001", "over"],
  ])("that ends at 12:00 is, at the time %s, %s", (time, expected) => {
    expect(expiryOf(approval, certain(time))).toBe(expected);
  });

  it.each([
    { status: "approved", expiresAt: null },
    { status: "rejected", expiresAt: approval.expiresAt },
    { status: "awaiting_approval", expiresAt: null },
  ] as const)("does not expire if it is %j", (run) => {
    expect(expiryOf(run, certain("13:00:00.000"))).toBe("good");
    expect(expiryOf(run, { ...certain("13:00:00.000"), doubtful: true })).toBe("good");
  });

  it.each([
    ["11:59:59.999", 0, "good"],
    ["12:00:00.000", 0, "unknown"],
    ["11:00:00.000", 3_599_999, "good"],
    ["11:00:00.000", 3_600_000, "unknown"],
  ])("is, with an uncertain clock at %s that may be %s ms behind, %s", (time, behindMs, expected) => {
    expect(expiryOf(approval, { now: at(time), doubtful: true, behindMs })).toBe(expected);
  });

  it.each([
    [null, null],
    [1, "2026-05-01T13:00:00.000Z"],
    [24, "2026-05-02T12:00:00.000Z"],
  ])("of %s hours ends at %s", (hours, expected) => {
    expect(expiresAfter(at("12:00:00.000"), hours)).toBe(expected);
  });

  it("is shown as rejected after its end", () => {
    const run = { ...approval, decision: "approve", decidedAt: "2026-05-01T11:00:00.000Z", id: "r" } as const;
    expect(stateAt(run, at("11:59:59.999"))).toBe(run);
    expect(stateAt(run, at("12:00:00.000"))).toEqual({
      ...run,
      status: "rejected",
      decision: "expired",
      decidedAt: approval.expiresAt,
    });
  });
});

it.each([
  ["approve", "approved"],
  ["reject", "rejected"],
  ["request_changes", "rejected"],
  ["replaced", "rejected"],
  ["recalled", "rejected"],
  ["expired", "rejected"],
] as const)("the decision %s has the status %s", (decision, status) => {
  expect(statusOf(decision)).toBe(status);
});

describe("a claim of an approval", () => {
  const free: ClaimFacts = {
    run: { status: "approved", expiresAt: null },
    held: undefined,
    resume: false,
    newerApproval: undefined,
  };
  const now = certain("11:00:00.000");
  const own = { own: true, finished: false, mayResume: true };
  const ours = { ...own, own: false };
  const others = { ...ours, mayResume: false };

  it.each<[string, Partial<ClaimFacts>, string]>([
    ["of an approved proposal", {}, "new"],
    ["in its lifetime", { run: approval }, "new"],
    ["by the worker that has it", { held: own }, "same"],
    ["by the worker that has it, after a newer approval", { held: own, newerApproval: "r" }, "same"],
    ["by the worker that has it, to go on under a new claim", { held: own, resume: true }, "resumed"],
    ["a worker that may resume it", { held: ours }, "run_claimed"],
    ["a request to resume by a worker that may resume it", { held: ours, resume: true }, "resumed"],
    ["a request to resume after the outcome", { held: { ...ours, finished: true }, resume: true }, "same"],
    ["a request to resume by a worker that may not resume it", { held: others, resume: true }, "run_claimed"],
    ["a request to resume what nobody has claimed", { resume: true }, "new"],
    [
      "a proposal that waits for a decision",
      { run: { status: "awaiting_approval", expiresAt: null } },
      "wrong_state",
    ],
    ["a rejected proposal", { run: { status: "rejected", expiresAt: null } }, "wrong_state"],
    ["an approval that another worker has claimed", { held: others }, "run_claimed"],
    ["a newer approval on the thread", { newerApproval: "r" }, "run_superseded"],
  ])("in the case of %s (%j) results in %s", (_, facts, expected) => {
    expect(claimVerdict({ ...free, ...facts }, now)).toBe(expected);
  });

  it("is refused after the lifetime, and delayed while the clock is uncertain", () => {
    const late = certain("12:00:00.000");
    expect(claimVerdict({ ...free, run: approval }, late)).toBe("wrong_state");
    expect(claimVerdict({ ...free, run: approval }, { ...late, doubtful: true })).toBe("time_in_doubt");
    expect(claimVerdict({ ...free, run: approval, held: own }, late)).toBe("same");
  });
});

describe("the recall", () => {
  const moment = certain("12:00:00.000");
  it.each([
    [{ status: "approved", expiresAt: null }, false, undefined],
    [{ status: "approved", expiresAt: null }, true, "run_claimed"],
    [{ status: "rejected", expiresAt: null }, false, "wrong_state"],
    [{ status: "awaiting_approval", expiresAt: null }, false, "wrong_state"],
    [approval, false, "wrong_state"],
  ] as const)("of %j that is claimed (%s) is refused with %s", (run, held, expected) => {
    expect(recallRefusal(run, { held, moment })).toBe(expected);
  });

  it("is allowed while the clock is uncertain, because nobody can act on the approval after it", () => {
    expect(recallRefusal(approval, { held: false, moment: { ...moment, doubtful: true } })).toBeUndefined();
  });
});

describe("the right to resume a claim", () => {
  const use = { ofAccount: true, ofToken: false, tokenEnded: false, heardAt: "2026-05-01T11:00:00.000Z" };

  it.each([
    ["the token that claimed", { ofToken: true }, "11:00:00.000", true],
    [
      "another token of the account after the token that claimed has ended",
      { tokenEnded: true },
      "11:00:00.000",
      true,
    ],
    ["another token of the account within 15 minutes", {}, "11:14:59.999", false],
    ["another token of the account after 15 minutes", {}, "11:15:00.000", true],
    ["another account at any time", { ofAccount: false, tokenEnded: true }, "23:00:00.000", false],
  ])("of %s with %j at %s is %s", (_, facts, time, expected) => {
    expect(mayResume({ ...use, ...facts }, certain(time))).toBe(expected);
  });

  it("does not begin because of a silence that only an uncertain clock shows", () => {
    const moment = { ...certain("23:00:00.000"), doubtful: true };
    expect(mayResume(use, moment)).toBe(false);
    expect(mayResume({ ...use, tokenEnded: true }, moment)).toBe(true);
  });
});

describe("a worker's report of its work", () => {
  it.each([
    [null, null, undefined],
    ["then", null, "claim_released"],
    ["then", "c", "claim_resumed"],
  ])(
    "on a claim that was released (%s) and resumed (%s) is refused with %s",
    (releasedAt, resumedAs, expected) => {
      expect(endOfClaim({ releasedAt, resumedAs })).toBe(expected);
    },
  );

  it("becomes a note with its links, if it has links", () => {
    const links = ["https://git.example/1", "https://git.example/2"];
    expect(outcomeNote({ status: "failed", summary: "No.", links: [] })).toBe(
      "An agent reports: failed\n\nNo.",
    );
    expect(outcomeNote({ status: "succeeded", summary: "Done.", links })).toBe(
      "An agent reports: succeeded\n\nDone.\n\nhttps://git.example/1\nhttps://git.example/2",
    );
  });
});
