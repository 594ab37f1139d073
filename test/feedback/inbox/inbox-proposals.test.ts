import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createProposalWorker, type ProposalWorker } from "../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const hour = 3_600_000;

describe("a thread with a proposal in the inbox", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let worker: ProposalWorker;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, await service.signIn(world.owner));
    const token = await service.makeToken(world.owner, "agent", { scopes: ["runs:work"] });
    worker = createProposalWorker(service, world, token);
  });
  afterAll(() => service.stop());

  const inbox = () => owner.open(`/console/feedback/${world.app.id}?status=all`);
  /** Returns the text of a thread's row. */
  async function lineOf(id: string): Promise<string> {
    const page = await inbox();
    const line = page.text.split(/<li\b/).find((part) => part.includes(id)) ?? "";
    return readingOf({ ...page, text: line });
  }
  async function proposed() {
    const id = await worker.newThread();
    return { id, runId: await worker.propose(id) };
  }
  async function claimed() {
    const made = await proposed();
    await worker.decide(made.runId, "approve");
    return { ...made, claimId: await worker.claim(made.runId) };
  }

  it("has a badge for each decision of a person", async () => {
    const { id, runId } = await proposed();
    expect(await lineOf(id)).toContain("Plan waits");
    await worker.decide(runId, "request_changes", "Smaller steps.");
    expect(await lineOf(id)).toContain("Changes asked for");
    const second = await worker.propose(id);
    expect(await lineOf(id)).toContain("Plan waits");
    await worker.decide(second, "approve");
    expect(await lineOf(id)).toContain("Plan approved");
    await world.call("POST", `/runs/${second}/recall`, {});
    expect(await lineOf(id)).toContain("Approval recalled");
    await worker.decide(await worker.propose(id), "reject");
    expect(await lineOf(id)).toContain("Plan rejected");
  });

  it("has a badge for the agent's work and for its outcome", async () => {
    const [good, bad] = [await claimed(), await claimed()];
    expect(await lineOf(good.id)).toContain("Plan in work");
    await worker.outcome(good.runId, { claimId: good.claimId });
    await worker.outcome(bad.runId, { claimId: bad.claimId, status: "failed", summary: "No disk." });
    expect(await lineOf(good.id)).toContain("Work succeeded");
    expect(await lineOf(bad.id)).toContain("Work failed");
  });

  it("is approved again after a release, and expires without a request of an agent", async () => {
    await world.call("PATCH", `/apps/${world.app.id}`, { approvalHours: 5 });
    const { id, runId } = await claimed();
    await world.call("POST", `/runs/${runId}/release`, {});
    expect(await lineOf(id)).toContain("Plan approved");
    service.clock.advance(6 * hour);
    owner = createBrowserWithoutScripts(service, await service.signIn(world.owner));
    expect(await lineOf(id)).toContain("Approval expired");
  });

  it("has a badge only if there is a proposal", async () => {
    expect(await lineOf(await worker.newThread())).not.toMatch(/Plan|Proposal|Work|Approval/);
  });
});
