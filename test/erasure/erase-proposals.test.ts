import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../support/worlds/agents/approved-proposal.ts";

const grace = "grace.hopper@example.org";
const sentBack = "An address was erased from this proposal. Propose it again if it is still needed.";

describe.each(databases)("a proposal that names an erased person, on $name,", (engine) => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  const begin = async () => {
    world = await makeWorkingAgent(service);
  };
  const propose = async (texts: object = {}): Promise<string> => {
    const answer = await service.request(
      "POST",
      `/api/v1/agent/feedback/${await world.newThread()}/proposal`,
      { headers: world.agent, body: { summary: "Mend it.", plan: `Write to ${grace}.`, ...texts } },
    );
    return answer.field("runId");
  };
  const approve = (runId: string, note = "") => world.decide(runId, { decision: "approve", note });
  const call = (method: string, path: string, body?: object) =>
    service.request(method, `/api/v1/console${path}`, { headers: world.person, body });
  const erase = async () => {
    const { id } = Object((await call("POST", "/people/erase", { email: grace })).body);
    await eventually(async () =>
      expect((await call("GET", `/people/erasures/${id}`)).body).toMatchObject({ status: "done" }),
    );
  };
  const actionsOn = async (runId: string): Promise<string[]> => {
    const { items } = Object((await call("GET", "/audit?limit=100")).body);
    return items
      .filter(
        (entry: { target: string; actor: string }) => entry.target === runId && entry.actor === "server",
      )
      .map(({ action }: { action: string }) => action);
  };

  it("is no longer approved, because no person has read the changed plan", async () => {
    await begin();
    const runs = [
      await propose(),
      await propose({ plan: "Mend it.", summary: `For ${grace}.` }),
      await propose({ plan: "Mend it." }),
    ];
    for (const runId of runs) await approve(runId, runId === runs[2] ? `Tell ${grace}.` : "");
    await erase();
    for (const runId of runs) {
      expect((await world.poll(runId)).body).toMatchObject({
        ...{ status: "rejected", decision: "recalled", decisionNote: sentBack, claim: null },
      });
      expect(await world.claim(runId)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
      expect(await actionsOn(runId)).toEqual(["run.recall"]);
    }
  });

  it("is taken from the worker that had claimed it", async () => {
    await begin();
    const runId = await propose();
    await approve(runId);
    const claimId = (await world.claim(runId)).field("claimId");
    await erase();
    expect((await world.poll(runId)).body).toMatchObject({
      ...{ status: "rejected", decision: "recalled", claim: { worker: "one" } },
    });
    expect(Object((await world.poll(runId)).body).claim.releasedAt).not.toBeNull();
    const released = { status: 409, body: { code: "claim_released" } };
    expect(await world.work(runId, "progress", { claimId, text: "Half." })).toMatchObject(released);
    for (const worker of ["one", "two"])
      expect(await world.claim(runId, worker)).toMatchObject({ status: 409, body: { code: "wrong_state" } });
    expect((await actionsOn(runId)).sort()).toEqual(["run.recall", "run.release"]);
  });

  it("is sent back if it waits for a decision, so that nobody approves a changed plan, and waiting requests end", async () => {
    await begin();
    const runId = await propose();
    const waiting = service.request("GET", `/api/v1/agent/runs/${runId}?wait=50`, { headers: world.agent });
    await erase();
    const answer = { status: "rejected", decision: "request_changes", decisionNote: sentBack };
    expect((await waiting).body).toMatchObject(answer);
    expect(await approve(runId)).toMatchObject({ status: 409, body: { code: "already_decided" } });
    expect((await world.poll(runId)).body).toMatchObject({ ...answer, plan: "Write to [erased]." });
    const { items } = Object(
      (await service.request("GET", "/api/v1/agent/feedback?waiting=changes", { headers: world.agent })).body,
    );
    expect(items).toMatchObject([{ runId }]);
    expect(await actionsOn(runId)).toEqual(["run.request_changes"]);
  });

  it("keeps its state if it was carried out or refused", async () => {
    await begin();
    const done = await propose();
    await approve(done);
    const claimId = (await world.claim(done)).field("claimId");
    await world.work(done, "outcome", { claimId, status: "succeeded", summary: "Done." });
    const refused = await propose();
    await world.decide(refused, { decision: "reject", note: "No." });
    const other = await propose({ plan: "Mend it." });
    await approve(other);
    await erase();
    expect((await world.poll(done)).body).toMatchObject({
      ...{ status: "approved", plan: "Write to [erased].", outcome: { status: "succeeded" } },
    });
    expect((await world.poll(refused)).body).toMatchObject({ decision: "reject", decisionNote: "No." });
    expect((await world.poll(other)).body).toMatchObject({ status: "approved", plan: "Mend it." });
    expect(await world.claim(other)).toMatchObject({ status: 200 });
    for (const runId of [done, refused, other]) expect(await actionsOn(runId)).toEqual([]);
  });
});
