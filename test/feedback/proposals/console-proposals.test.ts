import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  propose,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a decision on a proposal", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const newRun = async () => {
    const threadId = await sendFeedback(service, world.app.key);
    return { threadId, runId: await propose(service, world.agentToken, threadId) };
  };
  const decide = (runId: string, body: object) => world.call("POST", `/runs/${runId}/decision`, body);
  const poll = (runId: string, wait = 0) =>
    service.request("GET", `/api/v1/agent/runs/${runId}?wait=${wait}`, { headers: bearer(world.agentToken) });

  it.each([{}, { note: null }, { note: "  " }])("does not need a note: %j", async (note) => {
    const { runId } = await newRun();
    expect((await decide(runId, { decision: "approve", ...note })).body).toMatchObject({
      decisionNote: null,
    });
  });

  it("is shown in the inbox and on the thread", async () => {
    const { runId, threadId } = await newRun();
    await decide(runId, { decision: "reject" });
    const inbox = await world.call("GET", `/apps/${world.app.id}/feedback`);
    const line = expect.objectContaining({ id: threadId, proposalStatus: "rejected" });
    expect(inbox.body).toMatchObject({ items: expect.arrayContaining([line]) });
    expect((await world.call("GET", `/feedback/${threadId}`)).body).toMatchObject({
      latestProposal: { id: runId, status: "rejected" },
    });
  });

  it("succeeds once when many arrive at the same time", async () => {
    const { runId } = await newRun();
    const decisions = Array.from({ length: 100 }, (_, n) =>
      decide(runId, { decision: n % 2 ? "approve" : "reject", note: `Number ${n}` }),
    );
    const answers = await Promise.all(decisions);
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(99);
    expect((await poll(runId)).body).toEqual(won[0]?.body);
  });

  it("and a replacement at the same time leave the proposal either decided or replaced", async () => {
    const { runId, threadId } = await newRun();
    const [decided, newer] = await Promise.all([
      decide(runId, { decision: "approve" }),
      propose(service, world.agentToken, threadId),
    ]);
    const run = (await poll(runId)).body;
    if (decided.status === 200) expect(run).toMatchObject({ status: "approved", replacedBy: null });
    else expect(run).toMatchObject({ status: "rejected", replacedBy: newer });
    expect((await world.call("GET", `/feedback/${threadId}`)).body).toMatchObject({
      latestProposal: { id: newer, status: "awaiting_approval" },
    });
    const line = expect.objectContaining({ id: threadId, proposalStatus: "awaiting_approval" });
    const inbox = await world.call("GET", `/apps/${world.app.id}/feedback`);
    expect(inbox.body).toMatchObject({ items: expect.arrayContaining([line]) });
  });

  it("gets the first response again if it is repeated with the same Idempotency-Key", async () => {
    const { runId } = await newRun();
    const headers = { ...world.headers, "Idempotency-Key": runId };
    const send = () =>
      service.request("POST", `/api/v1/console/runs/${runId}/decision`, {
        headers,
        body: { decision: "approve" },
      });
    const [first, second] = [await send(), await send()];
    expect(second.status).toBe(200);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotent-replay")).toBe("true");
  });

  it.each([{}, { decision: "maybe" }, { decision: "approve", note: "x".repeat(4_001) }])(
    "is refused if it has the wrong form: %j",
    async (body) => {
      expect((await decide(world.runId, body)).status).toBe(400);
      expect((await poll(world.runId)).body).toMatchObject({ status: "awaiting_approval" });
    },
  );
});
