import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { credentialsTopic } from "../../../server/database/transaction.ts";
import { bearerOf } from "../../../server/http/authenticate.ts";
import { hashOf } from "../../../server/secrets/secrets.ts";
import { eventually } from "../../support/eventually.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent, type WorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

describe("the first read of the decision by an agent that waits for it", () => {
  let service: Service;
  let world: WorkingAgent;
  beforeAll(async () => {
    service = await startService();
    world = await makeWorkingAgent(service);
  });
  afterAll(() => service.stop());

  const pathOf = (runId: string) => `/api/v1/agent/runs/${runId}?wait=55`;
  const isWaitedFor = (runId: string) =>
    eventually(() => expect(service.deps.waitingAgents.readerOf(runId)).not.toBeNull());
  async function beginToWait(runId: string, headers = world.agent) {
    const held = service.request("GET", pathOf(runId), { headers });
    await isWaitedFor(runId);
    return { held };
  }
  const timesOf = (runId: string) =>
    service.deps.database.get<{ decided: string; read: string | null }>(
      "SELECT decided_at AS decided, first_read_at AS read FROM runs WHERE id = ?",
      runId,
    );

  it("is stored with the approval before the person gets the answer", async () => {
    const runId = await world.proposeOn(await world.newThread());
    const { held } = await beginToWait(runId);
    await world.decide(runId, { decision: "approve" });
    const times = await timesOf(runId);
    expect(times?.read).toBe(times?.decided);
    expect(await held).toMatchObject({ status: 200, body: { status: "approved", decision: "approve" } });
    // The result of the transaction is the same as a new read of the database.
    await service.deps.database.write(async (tx) => tx.signal(credentialsTopic));
    expect((await held).body).toEqual((await world.poll(runId)).body);
  });

  it("can be followed by an immediate recall, after which nobody reads the approval", async () => {
    const runId = await world.proposeOn(await world.newThread());
    const { held } = await beginToWait(runId);
    await Promise.all([world.decide(runId, { decision: "approve" }), held]);
    await world.order(runId, "recall");
    expect(await world.poll(runId)).toMatchObject({ body: { status: "rejected", decision: "recalled" } });
  });

  it.each(["reject", "request_changes"])("is not stored with the decision %s", async (decision) => {
    const runId = await world.proposeOn(await world.newThread());
    const { held } = await beginToWait(runId);
    await world.decide(runId, { decision, note: "Not so." });
    expect((await timesOf(runId))?.read).toBeNull();
    expect(await held).toMatchObject({ status: 200, body: { status: "rejected", decision } });
    expect((await timesOf(runId))?.read).toBeNull();
  });

  it("is not stored for an agent whose connection has ended", async () => {
    const runId = await world.proposeOn(await world.newThread());
    const connection = await connectRaw(service.baseUrl);
    connection.write(headOf("GET", pathOf(runId), world.agent));
    await isWaitedFor(runId);
    await connection.cut();
    await eventually(() => expect(service.deps.waitingAgents.readerOf(runId)).toBeNull());
    await world.decide(runId, { decision: "approve" });
    expect((await timesOf(runId))?.read).toBeNull();
  });

  it("is not stored for an agent whose token was deleted, even if no signal reports it", async () => {
    const runId = await world.proposeOn(await world.newThread());
    const other = await world.makeAgent();
    const { held } = await beginToWait(runId, other);
    await service.deps.database.write(async (tx) => {
      await tx.run("DELETE FROM tokens WHERE token_hash = ?", hashOf(bearerOf(other.authorization)));
      tx.signal(credentialsTopic);
    });
    await world.decide(runId, { decision: "approve" });
    expect((await timesOf(runId))?.read).toBeNull();
    expect(await held).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("is not stored for the agent of a person who no longer owns the app", async () => {
    const mine = await makeWorkingAgent(service);
    const runId = await mine.proposeOn(await mine.newThread());
    const { held } = await beginToWait(runId, mine.agent);
    await service.deps.database.write(async (tx) => {
      await tx.run("UPDATE app_members SET role = 'maintainer' WHERE app_id = ?", mine.appId);
      tx.signal(credentialsTopic);
    });
    await mine.decide(runId, { decision: "approve" });
    expect((await timesOf(runId))?.read).toBeNull();
    expect(await held).toMatchObject({ status: 404 });
  });
});
