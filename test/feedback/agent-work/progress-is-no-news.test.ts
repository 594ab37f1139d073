import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeWorkingAgent } from "../../support/worlds/agents/approved-proposal.ts";

describe("an agent's action on a thread", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("makes the thread unread for people if it is a proposal or an outcome, but not if it is progress", async () => {
    const agent = await makeWorkingAgent(service);
    const thread = await agent.newThread();
    service.clock.advance(1_000);
    const newer = await agent.newThread();
    const inbox = async (query = ""): Promise<string[]> => {
      const path = `/api/v1/console/apps/${agent.appId}/feedback?order=activity${query}`;
      const { body } = await service.request("GET", path, { headers: agent.person });
      return Object(body).items.map(({ id }: { id: string }) => id);
    };
    const unread = () => inbox("&unread=true");
    const read = async (id: string) => {
      const path = `/api/v1/console/feedback/${id}/read`;
      const answer = await service.request("PUT", path, { headers: agent.person, body: { read: true } });
      expect(answer.status).toBeLessThan(300);
    };
    for (const id of [thread, newer]) await read(id);
    expect(await unread()).toEqual([]);

    service.clock.advance(1_000);
    const runId = await agent.proposeOn(thread);
    expect(await unread()).toEqual([thread]);
    await read(thread);
    await agent.decide(runId, { decision: "approve" });
    expect(await unread()).toEqual([]);

    service.clock.advance(1_000);
    const again = await agent.newThread();
    await read(again);
    service.clock.advance(1_000);
    const claimId = (await agent.claim(runId)).field("claimId");
    for (const text of ["One.", "Two.", "Three."])
      expect((await agent.work(runId, "progress", { claimId, text })).status).toBe(200);
    expect(await unread()).toEqual([]);
    expect(await inbox()).toEqual([again, thread, newer]);

    await agent.work(runId, "outcome", { claimId, status: "failed", summary: "It does not build." });
    expect(await unread()).toEqual([thread]);
    expect((await inbox())[0]).toBe(thread);
  });
});
