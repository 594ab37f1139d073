import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { createProposalWorker, type ProposalWorker } from "../../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

describe("the page of decisions", () => {
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

  const claimed = async () => {
    const id = await worker.newThread();
    const runId = await worker.propose(id);
    await worker.decide(runId, "approve");
    return { id, runId, claimId: await worker.claim(runId) };
  };
  const reading = async () => readingOf(await owner.open("/console"));

  it("shows no list of agents' work if there is no work", async () => {
    expect(await reading()).not.toMatch(/Approved, not claimed|In work|Failed|Waiting for a new plan/);
  });

  it("lists approved plans, the longest waiting first, until a worker claims them", async () => {
    const [first, second] = [await worker.newThread(), await worker.newThread()];
    const [later, sooner] = [
      await worker.propose(first, "1.", "Later"),
      await worker.propose(second, "1.", "Sooner"),
    ];
    await worker.decide(sooner, "approve", "Carefully.");
    service.clock.advance(60_000);
    await worker.decide(later, "approve");
    expect(await reading()).toMatch(
      /Approved, not claimed It broke\. Sooner Demo approved 1 minute ago It broke\. Later Demo approved just now/,
    );
    expect((await owner.open("/console")).text).toContain(`href="${worker.address(second)}#proposal"`);
    await worker.claim(sooner);
    expect(await reading()).not.toContain("Sooner Demo approved");
    await worker.order(sooner, "release");
    expect(await reading()).toContain("Sooner Demo approved 1 minute ago");
    await worker.claim(sooner);
    await worker.claim(later);
    expect(await reading()).not.toContain("Approved, not claimed");
  });

  it.each([
    ["is recalled", (runId: string) => worker.order(runId, "recall")],
    ["has a newer proposal", (_: string, id: string) => worker.propose(id)],
    [
      "is on a resolved thread",
      (_: string, id: string) => world.call("PATCH", `/feedback/${id}`, { status: "resolved" }),
    ],
  ])("does not list an approved plan that %s", async (_, end) => {
    const id = await worker.newThread();
    const runId = await worker.propose(id);
    await worker.decide(runId, "approve");
    expect(await reading()).toContain("Approved, not claimed");
    await end(runId, id);
    expect(await reading()).not.toContain("Approved, not claimed");
  });

  it("does not list an approved plan whose approval has expired, before the expiry is stored", async () => {
    await world.call("PATCH", `/apps/${world.app.id}`, { approvalHours: 1 });
    await worker.decide(await worker.propose(await worker.newThread()), "approve");
    expect(await reading()).toContain("Approved, not claimed");
    service.clock.advance(3_600_000);
    expect(await reading()).not.toContain("Approved, not claimed");
  });

  it("shows ten approved plans, and says that there are more", async () => {
    for (let count = 0; count < 11; count += 1)
      await worker.decide(await worker.propose(await worker.newThread()), "approve");
    expect(await reading()).toMatch(/Approved, not claimed .* Only 10 are shown\./);
  });

  it("lists the threads that agents work on, until the outcome is reported", async () => {
    const { runId, claimId } = await claimed();
    await worker.progress(runId, claimId, "Half of it.");
    expect(await reading()).toMatch(/In work It broke\. Half of it\. Demo build-7 last activity just now/);
    await worker.outcome(runId, { claimId });
    expect(await reading()).not.toContain("In work");
  });

  it("lists failed work until a newer proposal arrives or the thread is resolved", async () => {
    const [first, second] = [await claimed(), await claimed()];
    for (const { runId, claimId } of [first, second])
      await worker.outcome(runId, { claimId, status: "failed", summary: `No disk for ${claimId}.` });
    expect(await reading()).toMatch(/Failed in the last 30 days .* No disk .* No disk .* failed just now/);
    await worker.propose(first.id);
    await world.call("PATCH", `/feedback/${second.id}`, { status: "resolved" });
    expect(await reading()).not.toContain("Failed in the last 30 days");
  });

  it("lists proposals with requested changes until the agent proposes a new plan", async () => {
    const id = await worker.newThread();
    await worker.decide(await worker.propose(id), "request_changes", "Smaller steps.");
    expect(await reading()).toMatch(
      /Waiting for a new plan It broke\. Smaller steps\. Demo changes requested just now/,
    );
    await worker.propose(id);
    expect(await reading()).not.toContain("Waiting for a new plan");
  });

  it("does not list proposals with requested changes for more than 30 days", async () => {
    await worker.decide(await worker.propose(await worker.newThread()), "request_changes", "Smaller steps.");
    service.clock.advance(31 * 86_400_000);
    owner = createBrowserWithoutScripts(service, await service.signIn(world.owner));
    expect(await reading()).not.toContain("Waiting for a new plan");
  });

  it("shows ten proposals, and says that there are more", async () => {
    for (let count = 0; count < 11; count += 1)
      await worker.decide(await worker.propose(await worker.newThread()), "request_changes", "Smaller.");
    expect(await reading()).toContain("Only 10 are shown.");
  });

  it("shows no work on threads of other owners", async () => {
    await claimed();
    const stranger = await makeOwnerWithOneOfEach(service);
    const page = await createBrowserWithoutScripts(service, stranger.headers).open("/console");
    expect(readingOf(page)).not.toContain("In work");
  });

  it("shows no approved plans of other owners", async () => {
    await worker.decide(await worker.propose(await worker.newThread()), "approve");
    const stranger = await makeOwnerWithOneOfEach(service);
    const page = await createBrowserWithoutScripts(service, stranger.headers).open("/console");
    expect(readingOf(page)).not.toContain("Approved, not claimed");
  });
});
