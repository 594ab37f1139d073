import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { makeAppWithAgent, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "../support/clients.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

describe.each(eras)("the tool list_feedback with a tag over %s", (era) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("returns the threads that have all of the tags", async () => {
    const cast = await makeAppWithAgent(service);
    const tagged = async (addTags: readonly string[]) => {
      const id = await submitFeedback(service, cast);
      const path = `/api/v1/console/feedback/${id}`;
      await service.request("PATCH", path, { headers: cast.person, body: { addTags } });
      return expect.stringMatching(new RegExp(`^\\d ${id} `));
    };
    const [both, one] = [await tagged(["login", "old"]), await tagged(["login"])];
    await tagged(["old"]);
    const agentToken = await service.makeToken(cast.owner, "agent");
    const { client } = await openMcpSession(era, { baseUrl: service.baseUrl, agentToken });
    const found = async (tag: string) =>
      readToolResult(await client.callTool("list_feedback", { tag })).structured.threads;
    expect(await found("Login")).toEqual([one, both]);
    expect(await found("login,old")).toEqual([both]);
    expect(await found("unknown")).toEqual([]);
  });
});
