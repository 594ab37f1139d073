import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unknownId } from "../support/service/endpoints.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

describe("data of another app or owner", () => {
  let service: Service;
  let owner: AppWithAgent;
  let stranger: AppWithAgent;
  let ids: { faqId: string; feedbackId: string; runId: string };
  beforeAll(async () => {
    service = await startService();
    [owner, stranger] = [await makeAppWithAgent(service), await makeAppWithAgent(service)];
    const body = { question: "How?", answer: "So." };
    const faqId = (await service.request("POST", "/api/v1/faqs/remote", { headers: owner.key, body })).field(
      "id",
    );
    const feedbackId = await submitFeedback(service, owner);
    ids = { faqId, feedbackId, runId: await propose(service, owner, feedbackId) };
  });
  afterAll(() => service.stop());

  const everything = async () => {
    const faqs = await service.request("GET", "/api/v1/faqs/remote", { headers: owner.key });
    const thread = await service.request("GET", `/api/v1/agent/feedback/${ids.feedbackId}`, {
      headers: owner.agent,
    });
    return faqs.text + thread.text;
  };

  const proposal = { summary: "Take over.", plan: "1. Delete." };
  it.each([
    ["an FAQ entry", "PATCH", "/api/v1/faqs/remote/:faqId", { answer: "Not so." }],
    ["an FAQ entry", "PATCH", "/api/v1/faqs/remote/:faqId", {}],
    ["an FAQ entry", "DELETE", "/api/v1/faqs/remote/:faqId", undefined],
    ["a thread", "GET", "/api/v1/agent/feedback/:feedbackId", undefined],
    ["a thread", "POST", "/api/v1/agent/feedback/:feedbackId/proposal", proposal],
    ["a proposal", "GET", "/api/v1/agent/runs/:runId", undefined],
    ["a proposal", "GET", "/api/v1/agent/runs/:runId?wait=55", undefined],
  ])(
    "do not exist for a caller: %s answers %s %s with 404, and does not change",
    async (_, method, path, body) => {
      const before = await everything();
      const call = (id: (name: string) => string) =>
        service.request(
          method,
          path.replace(/:(\w+)/, (_, name: string) => id(name)),
          {
            headers: { ...stranger.key, ...stranger.agent },
            body,
          },
        );
      const answer = await call((name) => new Map(Object.entries(ids)).get(name) ?? "");
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(answer.text).toBe((await call(() => unknownId)).text);
      expect(await everything()).toBe(before);
    },
  );

  it("of the same owner cannot be reached with an app key, which is limited to one app", async () => {
    const sister = await service.makeApp(owner.owner);
    const headers = { "x-api-key": sister.key };
    expect((await service.request("GET", "/api/v1/faqs/remote", { headers })).body).toEqual([]);
    const path = `/api/v1/faqs/remote/${ids.faqId}`;
    expect(await service.request("DELETE", path, { headers })).toMatchObject({ status: 404 });
  });

  it("of the same owner cannot be reached with an agent token that is limited to one app", async () => {
    const sister = await service.makeApp(owner.owner);
    const token = await service.makeToken(owner.owner, "agent", { appId: sister.id });
    const headers = { authorization: `Bearer ${token}` };
    const thread = `/api/v1/agent/feedback/${ids.feedbackId}`;
    const answers = [
      await service.request("GET", thread, { headers }),
      await service.request("POST", `${thread}/proposal`, { headers, body: proposal }),
      await service.request("GET", `/api/v1/agent/runs/${ids.runId}`, { headers }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
