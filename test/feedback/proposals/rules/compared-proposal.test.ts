import { describe, expect, it } from "vitest";
import { comparedProposal } from "../../../../server/feedback/proposals/rules.ts";
import type { RunDecision } from "../../../../src/contract/runs.ts";

const history = (...decisions: (RunDecision | null)[]) =>
  decisions.map((decision, at) => ({ id: String(at), decision }));

describe("the proposal that a new proposal is compared with", () => {
  const cases: readonly (readonly [(RunDecision | null)[], string | undefined])[] = [
    [[null], undefined],
    [["request_changes", null], "0"],
    [["recalled", null], "0"],
    [["expired", null], "0"],
    [["replaced", null], "0"],
    [["request_changes", "replaced", null], "0"],
    [["replaced", "request_changes", null], "1"],
    [["reject", null], undefined],
    [["approve", null], undefined],
    [["reject", "replaced", null], "1"],
    [["request_changes", "reject", null], undefined],
    [["replaced", "replaced", null], "1"],
  ];
  it.each(cases)("is, after the decisions %j, number %s", (decisions, expected) => {
    const proposals = history(...decisions);
    expect(comparedProposal(proposals, { id: String(proposals.length - 1) })?.id).toBe(expected);
  });

  it("is the proposal that the person has just read", () => {
    const proposals = history("request_changes", "replaced", null);
    expect(comparedProposal(proposals, { id: "2", readId: "1" })?.id).toBe("1");
    expect(comparedProposal(proposals, { id: "2", readId: "2" })?.id).toBe("0");
  });

  it("is an earlier proposal, never a later one", () => {
    expect(comparedProposal(history(null, "request_changes"), { id: "0", readId: "1" })).toBeUndefined();
    expect(comparedProposal(history("request_changes"), { id: "9" })).toBeUndefined();
  });
});
