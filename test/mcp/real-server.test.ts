import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashOf } from "../../mcp/proposal-files.ts";
import { nextDecisionCheck } from "../support/service/next-decision-check.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "./support/clients.ts";
import { openMcpSession } from "./support/mcp-session.ts";
import { readToolResult } from "./support/tool-result.ts";

const texts = { summary: "The kettle is null.", plan: "1. Check the kettle.\n2. Add a test." };
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.each(eras)("the MCP server with the real server over %s", (era) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service, { name: "Teapot" });
  });
  afterAll(() => service.stop());

  const start = async (more: object = {}) => {
    const feedback = await submitFeedback(service, cast, more);
    const agentToken = cast.agent.authorization.slice("Bearer ".length);
    const { client } = await openMcpSession(era, { baseUrl: service.baseUrl, agentToken });
    const call = async (name: string, args: Record<string, unknown>) =>
      readToolResult(await client.callTool(name, args));
    const propose = async () =>
      String((await call("propose_plan", { feedback, ...texts })).structured.run_id);
    return { feedback, call, propose };
  };

  it("allows an agent to read a user's feedback with its image", async () => {
    const { feedback, call } = await start({
      message: "It leaks.",
      metadata: { device: "Pixel 9" },
      images: [`data:image/png;base64,${png}`],
    });
    const { structured, content } = await call("read_feedback", { feedback, include_images: true });
    expect(structured).toMatchObject({
      app: { id: cast.appId },
      team: { app_name: "Teapot" },
      images: [{ url: expect.stringContaining(`${service.baseUrl}/uploads/`), shown: "yes" }],
      console_url: `${service.deps.settings.consoleUrl}/feedback/${cast.appId}/${feedback}`,
      category: "bug",
      status: "open",
      untrusted: { message: "It leaks.", metadata: { device: "Pixel 9" } },
    });
    expect(content.at(-1)).toMatchObject({ type: "image", data: png, mimeType: "image/png" });
  });

  it("allows an agent to find a thread by its console link", async () => {
    const { feedback, call } = await start();
    const { structured } = await call("read_feedback", { feedback });
    const again = await call("read_feedback", { feedback: structured.console_url });
    expect(again.structured.feedback_id).toBe(feedback);
  });

  it("allows an agent to wait for a person's approval, and returns the approved text", async () => {
    const { call, propose } = await start();
    const run_id = await propose();
    const looked = nextDecisionCheck(service);
    const answer = call("get_decision", { run_id, wait_seconds: 50 });
    await looked;
    await decide(service, cast, run_id, { decision: "approve", note: "Only step 1." });
    expect((await answer).structured).toMatchObject({
      status: "approved",
      may_proceed: true,
      decision_note: "Only step 1.",
      approved_plan: { ...texts, sha256: hashOf(texts.plan) },
    });
  });

  it("returns the approved text from the thread to an agent without a record", async () => {
    const { feedback, propose } = await start();
    const run_id = await propose();
    await decide(service, cast, run_id, { decision: "approve" });
    const { call } = await start();
    const { structured } = await call("get_decision", { run_id, feedback });
    expect(structured.approved_plan).toEqual({ ...texts, sha256: hashOf(texts.plan) });
  });

  it("shows an agent which proposal replaced the agent's own proposal", async () => {
    const { feedback, call, propose } = await start();
    const run_id = await propose();
    const newer = { feedback, summary: "Other", plan: "Another plan", expected_run_id: run_id };
    const { structured } = await call("propose_plan", newer);
    expect((await call("get_decision", { run_id })).structured).toMatchObject({
      status: "rejected",
      may_proceed: false,
      superseded_by: structured.run_id,
    });
  });

  it("shows an agent which changes a person requests", async () => {
    const { call, propose } = await start();
    const run_id = await propose();
    await decide(service, cast, run_id, { decision: "request_changes", note: "Also on tablets." });
    expect((await call("get_decision", { run_id })).structured).toMatchObject({
      ...{ status: "rejected", decision: "request_changes", decision_note: "Also on tablets." },
      next_step: expect.stringContaining("call propose_plan with the new plan and expected_run_id"),
    });
  });

  it("shows a person exactly the plan that the record has", async () => {
    const { feedback, call } = await start();
    const plan = "  1. Say \u201ccaf\u00e9\u201d \\n, then \u{1f469}\u{1f3fd}\u200d\u{1f4bb}\u200b  ";
    await call("propose_plan", { feedback, summary: "S", plan });
    const { body } = await service.request("GET", `/api/v1/agent/feedback/${feedback}`, {
      headers: cast.agent,
    });
    expect(body).toMatchObject({ latestProposal: { plan: plan.replace("\u200b", "").trim() } });
  });

  it("hides threads of another owner", async () => {
    const stranger = await makeAppWithAgent(service);
    const feedback = await submitFeedback(service, stranger);
    const { call } = await start();
    const { isError, text } = await call("read_feedback", { feedback });
    expect(isError).toBe(true);
    expect(text).toContain("belongs to another owner");
  });
});
