import { expect, it } from "vitest";
import type { ProposalRow } from "../../server/feedback/proposals/store.ts";
import { createWaitingAgents } from "../../server/feedback/proposals/waiting-agents.ts";

const run: ProposalRow = {
  ...{ id: "run", feedbackId: "thread", appId: "app", summary: "Mend it.", plan: "Test.", owners: "owner" },
  ...{ status: "approved", decision: "approve", decisionNote: null, decidedAt: null, replacedBy: null },
  ...{ createdAt: "", expiresAt: null, firstReadAt: null, approvalHours: null, claimId: null, worker: null },
  ...{ claimedAt: null, releasedAt: null, progressCount: null, progressText: null, progressAt: null },
  ...{ outcomeStatus: null, outcomeSummary: null, outcomeLinks: null, outcomeAt: null },
};

const resting = { tokenId: "one", isResting: () => true };
const busy = { tokenId: "two", isResting: () => false };

it("the list of waiting agents returns the token of an agent whose request is idle", () => {
  const agents = createWaitingAgents();
  agents.add("run", busy);
  expect(agents.readerOf("run")).toBeNull();
  agents.add("run", resting);
  expect(agents.readerOf("run")).toBe("one");
  expect(agents.readerOf("other")).toBeNull();
});

it("the list of waiting agents removes only the agent that disconnects", () => {
  const agents = createWaitingAgents();
  const leave = [agents.add("run", resting), agents.add("run", { ...resting, tokenId: "three" })];
  leave[0]?.();
  expect(agents.readerOf("run")).toBe("three");
  leave[1]?.();
  expect(agents.readerOf("run")).toBeNull();
  agents.add("run", resting);
  leave[1]?.();
  expect(agents.readerOf("run")).toBe("one");
});

it.each<["sqlite" | "postgres", boolean, number]>([
  ["sqlite", true, 1],
  ["sqlite", false, 0],
  ["postgres", true, 0],
])("a new proposal on %s is given to a waiting agent with a signal: %s", (engine, waits, signals) => {
  const agents = createWaitingAgents();
  const leave = agents.add("run", busy);
  if (!waits) leave();
  const topics: string[] = [];
  agents.handOver({ engine, signal: (topic) => void topics.push(topic) }, run);
  expect(topics).toHaveLength(signals);
  expect(topics.map((topic) => agents.handedOver(topic.replace("decided:", "")))).toEqual(
    topics.map(() => run),
  );
  expect(agents.handedOver("other")).toBeUndefined();
  leave();
  expect(agents.handedOver("run")).toBeUndefined();
});
