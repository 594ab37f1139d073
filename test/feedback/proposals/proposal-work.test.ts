import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createProposalWorker, type ProposalWorker } from "../../support/worlds/agents/proposal-states.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const hour = 3_600_000;

describe("an approved proposal in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let worker: ProposalWorker;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, await service.signIn(world.owner));
    const token = await service.makeToken(world.owner, "agent", { scopes: ["runs:work"] });
    worker = createProposalWorker(service, world, token);
  });
  afterAll(() => service.stop());

  const approved = async () => {
    const id = await worker.newThread();
    const runId = await worker.propose(id);
    await worker.decide(runId, "approve");
    return { id, runId };
  };
  const claimed = async (name = "build-7") => {
    const thread = await approved();
    return { ...thread, claimId: await worker.claim(thread.runId, name) };
  };
  const open = (id: string) => owner.open(worker.address(id));
  const recall = (page: Answer, { id, runId }: { id: string; runId: string }, note = "") =>
    owner.send(page, worker.address(id, "/recall"), { recall: runId, [`recallNote:${runId}`]: note });
  const release = (page: Answer, { id, runId }: { id: string; runId: string }) =>
    owner.send(page, worker.address(id, "/release"), { release: runId });
  const decisionOf = async (runId: string) => (await worker.poll(runId)).field("decision");

  it("shows who approved it, and whether an agent has read it", async () => {
    const { id, runId } = await approved();
    expect(readingOf(await open(id))).toMatch(
      /Approved by .*@example\.org .* No agent has read the approval yet\./,
    );
    await worker.poll(runId);
    const text = readingOf(await open(id));
    expect(text).toMatch(/An agent first read the approval \d/);
    expect(text).toContain("may already have begun");
  });

  it("shows how long it is valid", async () => {
    await world.call("PATCH", `/apps/${world.app.id}`, { approvalHours: 5 });
    const { id, runId } = await approved();
    await world.call("PATCH", `/apps/${world.app.id}`, { approvalHours: null });
    service.clock.advance(1.5 * hour);
    expect(readingOf(await open(id))).toContain(
      "It expires in 3 hours , unless an agent claims the proposal before then.",
    );
    service.clock.advance(5 * hour);
    expect(readingOf(await open(id))).toMatch(
      /Proposal Expired .* The approval expired .* No agent had claimed .* Had been approved by \S+@example\.org/,
    );
    expect(await decisionOf(runId)).toBe("expired");
  });

  it("can be recalled with a note until it is claimed", async () => {
    const thread = await approved();
    const after = await owner.follow(await recall(await open(thread.id), thread, "Wait for the design."));
    expect(readingOf(after)).toMatch(/Proposal Recalled .* Approval recalled by .* Wait for the design\./);
    expect(readingOf(after)).toMatch(/Had been approved by \S+@example\.org .* Without a note\./);
    expect(() => formOf(after, worker.address(thread.id, "/recall"))).toThrow();
    expect(await decisionOf(thread.runId)).toBe("recalled");
  });

  it("shows after a recall who had approved it, and the note of the approval", async () => {
    const id = await worker.newThread();
    const runId = await worker.propose(id);
    await worker.decide(runId, "approve", "Only on Android.");
    await recall(await open(id), { id, runId }, "Wait for the design.");
    expect(readingOf(await open(id))).toMatch(
      /Wait for the design\. Had been approved by \S+ .* Only on Android\./,
    );
  });

  it("is recalled once if the form is sent twice", async () => {
    const thread = await approved();
    const page = await open(thread.id);
    const answers = await Promise.all([recall(page, thread), recall(page, thread)]);
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
  });

  it("is not recalled after a worker claimed it, and the typed note is kept", async () => {
    const thread = await approved();
    const page = await open(thread.id);
    await worker.claim(thread.runId);
    const answer = await recall(page, thread, "Wait for the design.");
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain("A worker has claimed this proposal. Release its claim first.");
    expect(answer.text).toContain("Wait for the design.");
    expect(await decisionOf(thread.runId)).toBe("approve");
  });

  it("keeps the typed note of a recall when another form is sent", async () => {
    const { id, runId } = await approved();
    const answer = await owner.send(await open(id), worker.address(id, "/messages"), {
      ...{ direction: "note", noteBody: "Seen.", [`recallNote:${runId}`]: "Half a thought" },
    });
    expect(readingOf(answer)).toContain("The note was added to the thread.");
    expect(answer.text).toContain("Half a thought");
  });

  it("shows the worker and its progress as words of the agent", async () => {
    const { id, runId, claimId } = await claimed();
    for (let at = 1; at <= 7; at += 1) await worker.progress(runId, claimId, `Step ${at} is done.`);
    expect(readingOf(await open(id))).toMatch(
      /Proposal In work .* build-7 \(token .*\) claimed it .* Last message: just now .* Progress, in the agent’s words Show 2 earlier steps Step 1 .* Step 2 .* Step 3 .* Step 7/,
    );
  });

  it("shows how long a worker has reported nothing, and does not end the claim", async () => {
    const { id, runId } = await claimed();
    service.clock.advance(3.5 * hour);
    expect(readingOf(await open(id))).toContain(
      "Silent for 3 hours. Innkeep does not end a claim because of silence.",
    );
    service.clock.advance(400 * hour);
    expect(readingOf(await open(id))).toContain("Silent for 16 days.");
    expect((await worker.poll(runId)).body).toMatchObject({ claim: { releasedAt: null } });
  });

  it("allows a person to release the claim, and shows who released it", async () => {
    const thread = await claimed();
    const after = await owner.follow(await release(await open(thread.id), thread));
    expect(readingOf(after)).toMatch(
      /Proposal Approved .* Claim released build-7 .* released by .*@example\.org/,
    );
    await worker.claim(thread.runId, "build-8");
    expect(readingOf(await open(thread.id))).toMatch(/In work build-8 .* Earlier claims build-7 , from/);
  });

  it("does not release the claim of a worker that the page did not show", async () => {
    const thread = await claimed();
    const page = await open(thread.id);
    await worker.order(thread.runId, "release");
    service.clock.advance(1_000);
    await worker.claim(thread.runId, "build-8");
    const answer = await release(page, thread);
    expect(answer.status).toBe(409);
    expect(readingOf(answer)).toContain("Another worker has the claim now.");
    expect((await worker.poll(thread.runId)).body).toMatchObject({
      claim: { worker: "build-8", releasedAt: null },
    });
  });

  it.each([
    ["succeeded", "Succeeded"],
    ["failed", "Failed"],
  ])("shows an outcome that %s with its summary and with safe links", async (status, name) => {
    const { id, runId, claimId } = await claimed();
    const links = ["https://example.com/pull/1"];
    await worker.outcome(runId, { claimId, status, summary: "All \u202Etests ran.", links });
    const page = await open(id);
    expect(readingOf(page)).toMatch(
      new RegExp(`Proposal ${name} .* ${name} .*, in the agent’s words .* All U\\+202E tests ran\\.`),
    );
    expect(page.text).toContain('<a href="https://example.com/pull/1" rel="noopener noreferrer nofollow">');
    expect(readingOf(page)).toContain(`An agent reported that its work ${status}`);
    expect(() => formOf(page, worker.address(id, "/release"))).toThrow();
  });

  it("shows the outcome of an older plan while a newer plan waits", async () => {
    const { id, runId } = await claimed();
    await worker.propose(id, "1. Something else");
    const page = await open(id);
    expect(readingOf(page)).toContain("An agent still works on an earlier proposal of this thread.");
    expect(page.text).toMatch(new RegExp(`<details class="proposal earlier" id="run-${runId}" open`));
    await owner.follow(await release(page, { id, runId }));
    expect((await worker.poll(runId)).field("claim.releasedAt")).not.toBeNull();
  });
});
