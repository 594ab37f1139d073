import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { refusal } from "../../support/service/refusals.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const minutes = 60_000;
const done = { status: "succeeded", summary: "Done." };

describe.each(databases)("a request to resume a claim on $name (rule A32)", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeWorkingAgent(service);
  });
  afterAll(() => service.stop());

  const claimed = async () => {
    const runId = await world.approved();
    return { runId, claimId: (await world.claim(runId)).field("claimId") };
  };
  const resume = (runId: string, headers = world.agent, worker = "two") =>
    world.work(runId, "claim", { worker, resume: true }, headers);
  /** Another token of the account, and what revokes it. */
  const otherToken = async () => {
    const path = "/api/v1/console/tokens";
    const body = { kind: "agent", label: "other", scopes: ["runs:work"] };
    const made = await service.request("POST", path, { headers: world.person, body });
    return {
      headers: { authorization: `Bearer ${made.field("token")}` },
      revoke: () => service.request("DELETE", `${path}/${made.field("id")}`, { headers: world.person }),
    };
  };

  it("returns a new claim immediately to the token that claimed, and ends the old claim", async () => {
    const { runId, claimId } = await claimed();
    const answer = await resume(runId);
    expect(answer).toMatchObject({
      status: 200,
      body: { run: { claim: { worker: "two", releasedAt: null } } },
    });
    const next = answer.field("claimId");
    expect(next).not.toBe(claimId);
    for (const refused of [
      await world.work(runId, "claim", { worker: "one", claimId }),
      await world.work(runId, "progress", { claimId, text: "Half." }),
      await world.work(runId, "outcome", { claimId, ...done }),
    ])
      expect(refused).toMatchObject(refusal(409, "claim_resumed"));
    expect(await world.work(runId, "outcome", { claimId: next, ...done })).toMatchObject({ status: 200 });
  });

  it("is named by the refusal only for a token that may resume the claim now", async () => {
    const { runId } = await claimed();
    const own = await world.claim(runId, "two");
    expect(own).toMatchObject({ ...refusal(409, "run_claimed"), body: { mayResume: true } });
    expect(own.text).toContain("`resume: true`");
    const other = await world.claim(runId, "two", await world.makeAgent());
    expect(other).toMatchObject(refusal(409, "run_claimed"));
    expect(other.text).not.toMatch(/resume/i);
  });

  it("succeeds for another token of the account only after 15 minutes without a request of the worker", async () => {
    const { runId, claimId } = await claimed();
    const other = await world.makeAgent();
    service.clock.advance(14 * minutes);
    await world.work(runId, "progress", { claimId, text: "Half." });
    service.clock.advance(14 * minutes);
    expect(await resume(runId, other)).toMatchObject(refusal(409, "run_claimed"));
    service.clock.advance(minutes);
    expect((await world.claim(runId, "two", other)).body).toMatchObject({ mayResume: true });
    expect(await resume(runId, other)).toMatchObject({ status: 200 });
  });

  it("succeeds immediately for another token of the account if the token that claimed was revoked", async () => {
    const gone = await otherToken();
    const runId = await world.approved();
    const claimId = (await world.claim(runId, "one", gone.headers)).field("claimId");
    expect(await resume(runId)).toMatchObject(refusal(409, "run_claimed"));
    await gone.revoke();
    expect((await world.claim(runId, "two")).body).toMatchObject({ mayResume: true });
    const next = (await resume(runId)).field("claimId");
    expect(next).not.toBe(claimId);
    expect(await world.work(runId, "outcome", { claimId: next, ...done })).toMatchObject({ status: 200 });
  });

  it("needs the scope for work, and finds no proposal of another account", async () => {
    const { runId } = await claimed();
    expect(await resume(runId, await world.makeAgent([]))).toMatchObject(refusal(403, "insufficient_scope"));
    const stranger = await makeWorkingAgent(service);
    expect(await resume(runId, stranger.agent)).toMatchObject(refusal(404, "not_found"));
  });

  it("is always refused for another owner of the app, also after a long time without progress", async () => {
    const { runId } = await claimed();
    const second = await service.makeMember(world.appId, "owner");
    const token = await service.makeToken(second, "agent", { scopes: ["runs:work"] });
    const headers = { authorization: `Bearer ${token}` };
    service.clock.advance(60 * minutes);
    const refused = await resume(runId, headers);
    expect(refused).toMatchObject(refusal(409, "run_claimed"));
    expect(refused.text).not.toMatch(/resume/i);
  });

  it("creates a normal claim if nobody has claimed, and no claim after the outcome", async () => {
    const runId = await world.approved();
    const claimId = (await resume(runId)).field("claimId");
    await world.work(runId, "outcome", { claimId, ...done });
    expect((await resume(runId)).body).toMatchObject({ claimId, run: { outcome: { status: "succeeded" } } });
  });

  it("returns the same claim for the same Idempotency-Key, and ends the stored answer of the old claim", async () => {
    const runId = await world.approved();
    const [first, second] = ["first", "second"].map((key) => ({ ...world.agent, "idempotency-key": key }));
    await world.claim(runId, "one", first);
    const answer = await resume(runId, second);
    expect((await resume(runId, second)).body).toEqual(answer.body);
    expect(await world.claim(runId, "one", first)).toMatchObject(refusal(409, "run_claimed"));
  });

  it("does not prevent the outcome of a claim whose token was revoked", async () => {
    const gone = await otherToken();
    const runId = await world.approved();
    const claimId = (await world.claim(runId, "one", gone.headers)).field("claimId");
    await gone.revoke();
    expect(await world.work(runId, "claim", { worker: "one", claimId })).toMatchObject({
      status: 200,
      body: { claimId },
    });
    expect(await world.work(runId, "outcome", { claimId, ...done })).toMatchObject({ status: 200 });
  });

  it("is recorded in the audit and shown on the page of the thread", async () => {
    const { runId } = await claimed();
    await resume(runId);
    const audit = await service.request("GET", "/api/v1/console/audit?action=run.resume", {
      headers: world.person,
    });
    expect(audit.body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ target: runId })]),
    });
    const threadId = (await world.poll(runId)).field("feedbackId");
    const page = await service.request("GET", `/console/feedback/${world.appId}/${threadId}`, {
      headers: world.person,
    });
    expect(page.text).toContain("continued by the same account");
  });
});
