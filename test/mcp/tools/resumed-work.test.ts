import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "../support/clients.ts";
import { openHttpSession } from "../support/http-session.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

describe.each(eras)("the continuation of work over %s (rule A32)", (era) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const newToken = () => service.makeToken(cast.owner, "agent", { scopes: ["runs:work"] });
  /** A process with the tools for work, by default with a separate token. */
  const agent = async (token?: string) => {
    const agentToken = token ?? (await newToken());
    const { client } = await openMcpSession(era, { baseUrl: service.baseUrl, agentToken, work: true });
    return async (name: string, args: Record<string, unknown> = {}) =>
      readToolResult(await client.callTool(name, args));
  };
  const approved = async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    await decide(service, cast, runId, { decision: "approve" });
    return runId;
  };

  it("is possible with resume after the answer was lost, and ends the earlier claim", async () => {
    const run_id = await approved();
    const token = await newToken();
    const lost = (await (await agent(token))("start_work", { run_id })).structured;
    const later = await agent(token);
    expect((await later("get_decision", { run_id })).text).toContain(
      "the answer says whether you may continue",
    );
    expect((await later("start_work", { run_id })).text).toContain("resume: true");
    const { structured } = await later("start_work", { run_id, resume: true });
    expect(structured).toMatchObject({ may_proceed: true, approved_plan: { plan: "1. Check the size." } });
    const report = { run_id, status: "succeeded", summary: "Mended." };
    for (const [name, args] of [
      ["start_work", { run_id, claim_id: lost.claim_id }],
      ["report_outcome", { ...report, claim_id: lost.claim_id }],
    ] as const)
      expect((await later(name, args)).text).toContain("has resumed this claim. Stop the work");
    const done = await later("report_outcome", { ...report, claim_id: structured.claim_id });
    expect(done.structured).toMatchObject({ outcome: "succeeded" });
  });

  it("is possible over HTTP with resume, and each call without resume is refused", async () => {
    const run_id = await approved();
    const client = await openHttpSession(era, { baseUrl: service.baseUrl, token: await newToken() });
    const call = async (args: object) =>
      readToolResult(await client.callTool("start_work", { run_id, ...args }));
    const { claim_id } = (await call({})).structured;
    expect(await call({})).toMatchObject({ isError: true, text: expect.stringContaining("resume: true") });
    const { structured } = await call({ resume: true });
    expect(structured).toMatchObject({ may_proceed: true });
    expect(structured.claim_id).not.toBe(claim_id);
    expect((await call({ claim_id })).text).toContain("Stop the work");
  });

  it("can begin again in the same process after a person has released the claim, as the decision says", async () => {
    const run_id = await approved();
    const call = await agent();
    await call("start_work", { run_id });
    const path = `/api/v1/console/runs/${run_id}/release`;
    await service.request("POST", path, { headers: cast.person, body: {} });
    expect((await call("get_decision", { run_id })).structured).toMatchObject({ may_proceed: true });
    expect((await call("start_work", { run_id })).structured).toMatchObject({ may_proceed: true });
  });

  it("is offered and allowed only to agents that may use resume", async () => {
    const run_id = await approved();
    await (await agent())("start_work", { run_id });
    const other = await agent();
    for (const args of [{ run_id }, { run_id, resume: true }]) {
      const { isError, text } = await other("start_work", args);
      expect(isError).toBe(true);
      expect(text).toContain("Another worker has claimed this run");
      expect(text).not.toContain("resume");
    }
  });

  it("is refused for a claim_id that belongs to no claim", async () => {
    const run_id = await approved();
    const call = await agent();
    const claim_id = "b5d1c0de-0000-4000-8000-000000000002";
    expect(await call("start_work", { run_id, claim_id })).toMatchObject({
      isError: true,
      text: expect.stringContaining("has no claim with this claim_id. Do not carry out the plan"),
    });
  });
});
