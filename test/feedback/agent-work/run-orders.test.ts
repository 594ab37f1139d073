import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

describe.each(databases)("a person's action on a proposal on $name", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeWorkingAgent(service);
  });
  afterAll(() => service.stop());

  describe("a request for changes", () => {
    it("is shown to the agent as a rejection with the note, and the agent can propose again", async () => {
      const threadId = await world.newThread();
      const runId = await world.proposeOn(threadId);
      const wanted = { decision: "request_changes", note: "Keep the old name." };
      const answer = await world.decide(runId, wanted);
      expect(answer).toMatchObject({
        status: 200,
        body: { status: "rejected", decision: "request_changes", decisionNote: wanted.note },
      });
      expect((await world.poll(runId)).body).toEqual(answer.body);
      const second = await world.proposeOn(threadId);
      expect((await world.poll(second)).body).toMatchObject({ status: "awaiting_approval" });
      expect((await world.poll(runId)).body).toMatchObject({ decision: "request_changes", replacedBy: null });
    });

    it.each([undefined, null, "", "  "])("is refused with the note %j", async (note) => {
      const runId = await world.proposeOn(await world.newThread());
      const answer = await world.decide(runId, { decision: "request_changes", note });
      expect(issuesOf(answer)).toEqual(["note: must say what to change"]);
      expect((await world.poll(runId)).body).toMatchObject({ status: "awaiting_approval" });
    });
  });

  describe("POST /api/v1/console/runs/{runId}/recall", () => {
    it("withdraws an approval that nobody has claimed", async () => {
      const runId = await world.approved();
      const answer = await world.order(runId, "recall", { note: "Wait." });
      expect(answer).toMatchObject({
        status: 200,
        body: { status: "rejected", decision: "recalled", decisionNote: "Wait." },
      });
      expect((await world.poll(runId)).body).toEqual(answer.body);
      const claim = await world.claim(runId);
      expect(claim).toMatchObject(refusal(409, "wrong_state"));
      expect(claim.text).toContain("Only an approved proposal can be claimed");
      expect(await world.order(runId, "recall")).toMatchObject(refusal(409, "wrong_state"));
    });

    it("is refused while a worker has the claim, and after the outcome", async () => {
      const runId = await world.approved();
      const claimId = (await world.claim(runId)).field("claimId");
      expect(await world.order(runId, "recall")).toMatchObject(refusal(409, "run_claimed"));
      await world.work(runId, "outcome", { claimId, status: "failed", summary: "No." });
      expect(await world.order(runId, "recall")).toMatchObject(refusal(409, "run_claimed"));
      expect((await world.poll(runId)).body).toMatchObject({ status: "approved" });
    });

    it.each([undefined, "reject"])("is refused for a proposal with the decision %s", async (decision) => {
      const runId = await world.proposeOn(await world.newThread());
      if (decision) await world.decide(runId, { decision });
      expect(await world.order(runId, "recall")).toMatchObject(refusal(409, "wrong_state"));
    });

    it("of an older proposal does not remove the newest proposal from the inbox", async () => {
      const threadId = await world.newThread();
      const older = await world.approved(threadId);
      await world.proposeOn(threadId);
      await world.order(older, "recall");
      const path = `/api/v1/console/apps/${world.appId}/feedback`;
      const inbox = await service.request("GET", path, { headers: world.person });
      const line = expect.objectContaining({ id: threadId, proposalStatus: "awaiting_approval" });
      expect(inbox.body).toMatchObject({ items: expect.arrayContaining([line]) });
    });
  });

  describe("POST /api/v1/console/runs/{runId}/release", () => {
    it("ends only the claim whose time the request names", async () => {
      const runId = await world.approved();
      const claimedAt = (await world.claim(runId)).field("claimedAt");
      const wrong = await world.order(runId, "release", { claimedAt: "2020-01-01T00:00:00.000Z" });
      expect(wrong).toMatchObject(refusal(409, "wrong_state"));
      expect((await world.poll(runId)).body).toMatchObject({ claim: { releasedAt: null } });
      expect(await world.order(runId, "release", { claimedAt })).toMatchObject({ status: 200 });
    });

    it("ends the worker's claim, so that others can claim the proposal", async () => {
      const runId = await world.approved();
      const claimId = (await world.claim(runId)).field("claimId");
      const releasedAt = expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/);
      const answer = await world.order(runId, "release");
      expect(answer).toMatchObject({
        status: 200,
        body: { status: "approved", claim: { worker: "one", releasedAt } },
      });
      for (const refused of [
        await world.work(runId, "claim", { worker: "one", claimId }),
        await world.work(runId, "progress", { claimId, text: "Half." }),
        await world.work(runId, "outcome", { claimId, status: "succeeded", summary: "Done." }),
      ])
        expect(refused).toMatchObject(refusal(409, "claim_released"));
      expect(await world.order(runId, "release")).toMatchObject(refusal(409, "wrong_state"));
      expect(await world.claim(runId, "two")).toMatchObject({
        status: 200,
        body: { run: { claim: { worker: "two", releasedAt: null } } },
      });
    });

    it("allows the same worker to claim the proposal again under the same name", async () => {
      const runId = await world.approved();
      const released = (await world.claim(runId)).field("claimId");
      await world.order(runId, "release");
      const again = await world.claim(runId);
      expect(again).toMatchObject({
        status: 200,
        body: { run: { claim: { worker: "one", releasedAt: null } } },
      });
      const done = { status: "succeeded", summary: "Done." };
      expect(await world.work(runId, "outcome", { claimId: released, ...done })).toMatchObject(
        refusal(409, "claim_released"),
      );
      const claimId = again.field("claimId");
      expect(await world.work(runId, "outcome", { claimId, ...done })).toMatchObject({ status: 200 });
    });

    it("allows a person to recall the approval afterwards", async () => {
      const runId = await world.approved();
      await world.claim(runId);
      await world.order(runId, "release");
      expect(await world.order(runId, "recall")).toMatchObject({ body: { decision: "recalled" } });
      expect(await world.claim(runId, "two")).toMatchObject(refusal(409, "wrong_state"));
    });

    it("is refused if no agent works on the proposal", async () => {
      expect(await world.order(await world.approved(), "release")).toMatchObject(refusal(409, "wrong_state"));
    });
  });

  it("is carried out once if a second request has the same Idempotency-Key", async () => {
    const runId = await world.approved();
    await world.claim(runId);
    const headers = { ...world.person, "idempotency-key": "once" };
    const releasing = `/api/v1/console/runs/${runId}/release`;
    const released = await service.request("POST", releasing, { headers });
    expect(released.status).toBe(200);
    expect((await service.request("POST", releasing, { headers })).body).toEqual(released.body);
    const recalling = `/api/v1/console/runs/${runId}/recall`;
    const recalled = await service.request("POST", recalling, { headers, body: {} });
    expect(recalled.status).toBe(200);
    expect((await service.request("POST", recalling, { headers, body: {} })).body).toEqual(recalled.body);
  });

  it("ends the stored answer of a claim's Idempotency-Key, and so does the outcome", async () => {
    const runId = await world.approved();
    const keyed = { ...world.agent, "idempotency-key": "again" };
    await world.claim(runId, "one", keyed);
    await world.order(runId, "release");
    await world.order(runId, "recall");
    expect(await world.claim(runId, "one", keyed)).toMatchObject({
      status: 409,
      body: { code: "wrong_state" },
    });
    const finished = await world.approved();
    const claimId = (await world.claim(finished, "one", keyed)).field("claimId");
    await world.work(finished, "outcome", { claimId, status: "failed", summary: "No." });
    expect((await world.claim(finished, "one", keyed)).body).toMatchObject({
      claimId,
      run: { outcome: { status: "failed" } },
    });
  });
});
