import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

describe("an agent that has used its limit of proposals", () => {
  let service: Service;
  let cast: AppWithAgent;
  let agentToken: string;
  let threads: readonly string[];
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "proposals=2/3600" } });
    cast = await makeAppWithAgent(service);
    threads = [
      await submitFeedback(service, cast),
      await submitFeedback(service, cast),
      await submitFeedback(service, cast),
    ];
    agentToken = await service.makeToken(cast.owner, "agent");
    for (const id of threads.slice(0, 2))
      await service.request("POST", `/api/v1/agent/feedback/${id}/proposal`, {
        headers: { authorization: `Bearer ${agentToken}` },
        body: { summary: "S", plan: "P" },
      });
  });
  afterAll(() => service.stop());

  const session = async () => {
    const { client } = await openMcpSession("2025-11-25", { baseUrl: service.baseUrl, agentToken });
    return async (name: string, args: Record<string, unknown>) =>
      readToolResult(await client.callTool(name, args));
  };

  it("gets a message that names the limit, and says that reading is still possible", async () => {
    const call = await session();
    const { isError, text } = await call("propose_plan", { feedback: threads[2], summary: "S", plan: "P" });
    expect(isError).toBe(true);
    expect(text).toMatch(/^This token has made as many proposals .* Nothing was posted/);
    expect(text).toMatch(/reading still works: .* Wait 3\d{3} s, then call again/);
    expect((await call("read_feedback", { feedback: threads[2] })).isError).toBe(false);
  });

  it("gets the existing run for the same plan", async () => {
    const call = await session();
    const same = await call("propose_plan", { feedback: threads[0], summary: "S", plan: "P" });
    expect(same).toMatchObject({ isError: false, structured: { duplicate: true } });
  });

  it("gets the same message from the API, where a repeat with the same key is not counted", async () => {
    const post = (feedback: string | undefined, key: string) =>
      service.request("POST", `/api/v1/agent/feedback/${feedback}/proposal`, {
        headers: { ...cast.agent, "idempotency-key": key },
        body: { summary: "S", plan: "P" },
      });
    const first = await post(threads[0], "one");
    await post(threads[1], "two");
    const refused = await post(threads[2], "three");
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(refused.field("error")).toMatch(/limit for proposals\. Reading still works\./);
    expect((await post(threads[0], "one")).text).toBe(first.text);
  });
});
