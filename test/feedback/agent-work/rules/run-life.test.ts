import { describe, expect, it } from "vitest";
import {
  type ClaimFacts,
  claimVerdict,
  endOfClaim,
  expiresAfter,
  expiryOf,
  mayResume,
  outcomeNote,
  recallRefusal,
  stateAt,
  statusOf,
} from "../../../../server/feedback/proposals/rules.ts";

const at = (time: string) => new Date(`2026-05-01T${time}Z`);
const certain = (time: string) => ({ now: at(time), doubtful: false, behindMs: 0 });
const approval = { status: "approved", expiresAt: "2026-05-01T12:00:00.000Z" } as const;

describe("the lifetime of an approval", () => {
  it.each([
    ["11:59:59.999", "good"],
    ["12:00:00.000", "over"],
    ["12:00:00.001", "over"],
  ])("that ends at 12:00, at %s is %s", (time, expected) => {
    expect(expiryOf(approval, certain(time))).toBe(expected);
  });

  it.each([
    { status: "approved", expiresAt: null },
    { status: "rejected", expiresAt: approval.expiresAt },
    { status: "awaiting_approval", expiresAt: null },
  ] as const)("does not end for %j", (run) => {
    expect(expiryOf(run, certain("13:00:00.000"))).toBe("good");
    expect(expiryOf(run, { ...certain("13:00:00.000"), doubtful: true })).toBe("good");
  });

  it.each([
    ["11:59:59.999", 0, "good"],
    ["12:00:00.000", 0, "unknown"],
    ["11:00:00.000", 3_599_999, "good"],
    ["11:00:00.000", 3_600_000, "unknown"],
  ])("with a clock in doubt at %s that may be %s ms behind is %s", (time, behindMs, expected) => {
    expect(expiryOf(approval, { now: at(time), doubtful: true, behindMs })).toBe(expected);
  });

  it.each([
    [null, null],
    [1, "2026-05-01T13:00:00.000Z"],
    [24, "2026-05-02T12:00:00.000Z"],
  ])("of %s hours ends at %s", (hours, expected) => {
    expect(expiresAfter(at("12:00:00.000"), hours)).toBe(expected);
  });

  it("shows the approval as rejected after its end", () => {
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
] as const)("the decision %s reads %s", (decision, status) => {
  expect(statusOf(decision)).toBe(status);
});

describe("a claim", () => {
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
    ["by one that may go on", { held: ours }, "run_claimed"],
    ["by one that may go on and says so", { held: ours, resume: true }, "resumed"],
    ["by one that may go on, after the outcome", { held: { ...ours, finished: true }, resume: true }, "same"],
    ["by one that may not go on and wants to", { held: others, resume: true }, "run_claimed"],
    ["to go on with what nobody has", { resume: true }, "new"],
    ["of a waiting proposal", { run: { status: "awaiting_approval", expiresAt: null } }, "wrong_state"],
    ["of a rejected proposal", { run: { status: "rejected", expiresAt: null } }, "wrong_state"],
    ["of one that another worker has", { held: others }, "run_claimed"],
    ["of an older approval", { newerApproval: "r" }, "run_superseded"],
  ])("%s: %s results in %s", (_, facts, expected) => {
    expect(claimVerdict({ ...free, ...facts }, now)).toBe(expected);
  });

  it("after the lifetime is refused, and with a clock in doubt put off", () => {
    const late = certain("12:00:00.000");
    expect(claimVerdict({ ...free, run: approval }, late)).toBe("wrong_state");
    expect(claimVerdict({ ...free, run: approval }, { ...late, doubtful: true })).toBe("time_in_doubt");
    expect(claimVerdict({ ...free, run: approval, held: own }, late)).toBe("same");
  });
});

describe("a recall", () => {
  const moment = certain("12:00:00.000");
  it.each([
    [{ status: "approved", expiresAt: null }, false, undefined],
    [{ status: "approved", expiresAt: null }, true, "run_claimed"],
    [{ status: "rejected", expiresAt: null }, false, "wrong_state"],
    [{ status: "awaiting_approval", expiresAt: null }, false, "wrong_state"],
    [approval, false, "wrong_state"],
  ] as const)("of %j with a claim: %s is refused with %s", (run, held, expected) => {
    expect(recallRefusal(run, { held, moment })).toBe(expected);
  });

  it("with a clock in doubt is allowed, because nobody can act on it afterwards", () => {
    expect(recallRefusal(approval, { held: false, moment: { ...moment, doubtful: true } })).toBeUndefined();
  });
});

describe("the right to go on with a claim", () => {
  const use = { ofAccount: true, ofToken: false, tokenEnded: false, heardAt: "2026-05-01T11:00:00.000Z" };

  it.each([
    ["its own token", { ofToken: true }, "11:00:00.000", true],
    ["a token of its account after its own has ended", { tokenEnded: true }, "11:00:00.000", true],
    ["a token of its account within 15 minutes", {}, "11:14:59.999", false],
    ["a token of its account after 15 minutes", {}, "11:15:00.000", true],
    ["another account at any time", { ofAccount: false, tokenEnded: true }, "23:00:00.000", false],
  ])("%s: %j at %s results in %s", (_, facts, time, expected) => {
    expect(mayResume({ ...use, ...facts }, certain(time))).toBe(expected);
  });

  it("does not come from a silence that a clock in doubt shows", () => {
    const moment = { ...certain("23:00:00.000"), doubtful: true };
    expect(mayResume(use, moment)).toBe(false);
    expect(mayResume({ ...use, tokenEnded: true }, moment)).toBe(true);
  });
});

describe("a report of a worker", () => {
  it.each([
    [null, null, undefined],
    ["then", null, "claim_released"],
    ["then", "c", "claim_resumed"],
  ])(
    "on a claim released %s and taken up again as %s is refused with %s",
    (releasedAt, resumedAs, expected) => {
      expect(endOfClaim({ releasedAt, resumedAs })).toBe(expected);
    },
  );

  it("results in a note with its links, if it has any", () => {
    const links = ["https://git.example/1", "https://git.example/2"];
    expect(outcomeNote({ status: "failed", summary: "No.", links: [] })).toBe(
      "An agent reports: failed\n\nNo.",
    );
    expect(outcomeNote({ status: "succeeded", summary: "Done.", links })).toBe(
      "An agent reports: succeeded\n\nDone.\n\nhttps://git.example/1\nhttps://git.example/2",
    );
  });
});
