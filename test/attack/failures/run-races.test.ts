import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

const codesOf = (answers: readonly Answer[]) =>
  answers.map((answer) => (answer.status === 200 ? "200" : answer.field("code"))).sort();

describe.each(databases)("two servers with one $name database", (engine) => {
  let database: TestDatabase;
  let servers: readonly [Service, Service];
  let world: WorkingAgent;
  beforeAll(async () => {
    database = await engine.create();
    const environment = { INNKEEP_RATE_LIMITS: "off" };
    servers = [await startService({ database, environment }), await startService({ database, environment })];
    world = await makeWorkingAgent(servers[0]);
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await database.remove();
  });

  const at = (n: number): Service => servers[n % 2 === 0 ? 0 : 1];
  const claimAt = (n: number, runId: string, worker = `worker ${n}`) =>
    at(n).request("POST", `/api/v1/agent/runs/${runId}/claim`, { headers: world.agent, body: { worker } });
  const orderAt = (n: number, runId: string, verb: string, body: object = {}) =>
    at(n).request("POST", `/api/v1/console/runs/${runId}/${verb}`, {
      headers: { ...world.person, origin: at(n).baseUrl },
      body,
    });
  const proposeAt = (n: number, threadId: string) =>
    at(n).request("POST", `/api/v1/agent/feedback/${threadId}/proposal`, {
      headers: world.agent,
      body: { summary: "Mend it.", plan: "1. Mend it." },
    });
  const approved = async (threadId?: string) => {
    const runId = await world.proposeOn(threadId ?? (await world.newThread()));
    await world.decide(runId, { decision: "approve" });
    return runId;
  };

  it("give the claim to one of 100 workers", async () => {
    const runId = await approved();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => claimAt(n, runId)));
    expect(codesOf(answers)).toEqual(["200", ...Array(99).fill("run_claimed")]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await world.poll(runId)).body).toMatchObject({ claim: { worker: winner?.field("worker") } });
  });

  it("give one claim to a worker that sends 100 requests", async () => {
    const runId = await approved();
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => claimAt(n, runId, "one")));
    expect(new Set(answers.map((answer) => answer.field("claimId"))).size).toBe(1);
  });

  it("allow either the recall or the claim", async () => {
    for (let round = 0; round < rounds(20, 300); round++) {
      const runId = await approved();
      const [claim, recall] = await Promise.all([claimAt(round, runId), orderAt(round + 1, runId, "recall")]);
      const run = (await world.poll(runId)).body;
      if (claim?.status === 200) {
        expect(codesOf([recall])).toEqual(["run_claimed"]);
        expect(run).toMatchObject({ status: "approved", claim: { releasedAt: null } });
      } else {
        expect(codesOf([claim, recall])).toEqual(["200", "wrong_state"]);
        expect(run).toMatchObject({ status: "rejected", decision: "recalled", claim: null });
      }
    }
  });

  it("allow either the approval or the newer proposal, and a replaced proposal cannot be claimed", async () => {
    for (let round = 0; round < rounds(20, 300); round++) {
      const threadId = await world.newThread();
      const runId = await world.proposeOn(threadId);
      const [approval, newer, claim] = await Promise.all([
        orderAt(round, runId, "decision", { decision: "approve" }),
        proposeAt(round + 1, threadId),
        claimAt(round + 1, runId),
      ]);
      expect(newer.status).toBe(201);
      const run = (await world.poll(runId)).body;
      if (approval.status === 200) {
        expect(run).toMatchObject({ status: "approved", decision: "approve", replacedBy: null });
      } else {
        expect(codesOf([approval, claim])).toEqual(["already_decided", "wrong_state"]);
        expect(run).toMatchObject({ decision: "replaced", replacedBy: newer.field("runId"), claim: null });
      }
    }
  });

  it("never give a new claim on a proposal after a newer proposal was approved", async () => {
    for (let round = 0; round < rounds(20, 300); round++) {
      const threadId = await world.newThread();
      const older = await approved(threadId);
      const newer = await world.proposeOn(threadId);
      const [claim, approval] = await Promise.all([
        claimAt(round, older),
        orderAt(round + 1, newer, "decision", { decision: "approve" }),
      ]);
      expect(approval.status).toBe(200);
      expect(["200", "run_superseded"]).toContain(codesOf([claim])[0]);
      expect(codesOf([await claimAt(round, older, "late")])).toEqual([
        claim.status === 200 ? "run_claimed" : "run_superseded",
      ]);
    }
  });

  it("release a claim once, and give the next claim to one worker", async () => {
    const runId = await approved();
    await claimAt(0, runId, "first");
    const releases = await Promise.all([0, 1, 2, 3].map((n) => orderAt(n, runId, "release")));
    expect(codesOf(releases)).toEqual(["200", "wrong_state", "wrong_state", "wrong_state"]);
    const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => claimAt(n, runId)));
    expect(codesOf(claims)).toEqual(["200", ...Array(19).fill("run_claimed")]);
  });
});
