import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { hashOf } from "../../../mcp/proposal-files.ts";
import { nextDecisionCheck } from "../../support/service/next-decision-check.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { type CallOptions, eras, type TestClient } from "../support/clients.ts";
import { openHttpSession } from "../support/http-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const texts = { summary: "The kettle is null.", plan: "1. Check the kettle.\n2. Add a test." };
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe.each(eras)("the MCP tools over HTTP, %s,", (era) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service, { name: "Teapot" });
  });
  afterAll(() => service.stop());

  const tokenOf = ({ agent }: AppWithAgent) => agent.authorization.slice("Bearer ".length);

  const start = async (more: object = {}, token = tokenOf(cast)) => {
    const feedback = await submitFeedback(service, cast, more);
    const client = await openHttpSession(era, { baseUrl: service.baseUrl, token });
    const call = async (name: string, args: Record<string, unknown>, options?: CallOptions) =>
      readToolResult(await client.callTool(name, args, options));
    const propose = async () =>
      String((await call("propose_plan", { feedback, ...texts })).structured.run_id);
    return { feedback, client, call, propose };
  };

  it("allow an agent to read a user's feedback with its image", async () => {
    const { feedback, call, client } = await start({
      message: "It leaks.",
      images: [`data:image/png;base64,${png}`],
    });
    const { structured, content } = await call("read_feedback", { feedback, include_images: true });
    expect(structured).toMatchObject({ feedback_id: feedback, untrusted: { message: "It leaks." } });
    expect(content.at(-1)).toMatchObject({ type: "image", data: png, mimeType: "image/png" });
    expect(await client.readResource(`innkeep://feedback/${feedback}/images/0`)).toMatchObject({
      contents: [{ blob: png, mimeType: "image/png" }],
    });
  });

  it("allow an agent to wait for a person's approval with progress, and return the approved text", async () => {
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

  it("return the same run for the same proposal", async () => {
    const { call, feedback, propose } = await start();
    const run_id = await propose();
    const again = await call("propose_plan", { feedback, ...texts });
    expect(again.structured).toMatchObject({ run_id, duplicate: true });
  });

  it("return the rejection for the same proposal after it, until the agent requests a new proposal", async () => {
    const { call, feedback, propose } = await start();
    const run_id = await propose();
    await decide(service, cast, run_id, { decision: "reject", note: "Too risky." });
    const again = await call("propose_plan", { feedback, ...texts });
    expect(again.structured).toMatchObject({
      ...{ run_id, duplicate: true, status: "rejected", may_proceed: false, decision_note: "Too risky." },
      next_step: expect.stringContaining("Stop."),
    });
    const anew = await call("propose_plan", { feedback, ...texts, expected_run_id: run_id });
    expect(anew.structured).toMatchObject({ duplicate: false, status: "awaiting_approval" });
    expect(anew.structured.run_id).not.toBe(run_id);
  });

  it("allow a person to request changes, and the agent to propose again", async () => {
    const { call, feedback, propose } = await start();
    const run_id = await propose();
    await decide(service, cast, run_id, { decision: "request_changes", note: "Also on tablets." });
    const { structured, text } = await call("get_decision", { run_id });
    expect(structured).toMatchObject({
      ...{ status: "rejected", decision: "request_changes", decision_note: "Also on tablets." },
      next_step: expect.stringContaining("call propose_plan with the new plan and expected_run_id"),
    });
    expect(text).toContain("decision_note ===\nAlso on tablets.");
    const changed = {
      feedback,
      summary: texts.summary,
      plan: "Also check tablets.",
      expected_run_id: run_id,
    };
    expect((await call("propose_plan", changed)).structured).toMatchObject({ duplicate: false });
  });

  it("refuse a plan that contains the token of the connection", async () => {
    const { call, feedback } = await start();
    const { isError, text } = await call("propose_plan", { feedback, summary: "S", plan: tokenOf(cast) });
    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringContaining("Nothing was posted"),
    });
  });

  it("store no record of proposals, and list the waiting proposals", async () => {
    const { client, propose, feedback } = await start();
    await propose();
    expect(JSON.stringify(await client.listResources())).not.toContain("innkeep://proposals");
    expect(JSON.stringify(await client.listPrompts())).not.toContain("resume_proposals");
    expect(JSON.stringify(await client.readResource("innkeep://queue"))).not.toContain("isError");
    const { structured } = await call(client, { waiting: "approval" });
    expect(JSON.stringify(structured)).toContain(feedback);
  });
  const call = async (client: TestClient, args: Record<string, unknown>) =>
    readToolResult(await client.callTool("list_feedback", args));

  it("hide threads of another owner", async () => {
    const stranger = await makeAppWithAgent(service);
    const feedback = await submitFeedback(service, stranger);
    const { call } = await start();
    const { isError, text } = await call("read_feedback", { feedback });
    expect(isError).toBe(true);
    expect(text).toContain("belongs to another owner");
  });

  it("cause an audit entry for a proposal, with the token and the address", async () => {
    const { propose } = await start();
    const run_id = await propose();
    const { body } = await service.request("GET", "/api/v1/console/audit?action=run.propose", {
      headers: cast.person,
    });
    const entry = expect.objectContaining({ target: run_id, address: "127.0.0.1" });
    expect(body).toMatchObject({ items: expect.arrayContaining([entry]) });
  });

  it("end a waiting request immediately if the token is revoked", async () => {
    const token = await service.makeToken(cast.owner, "agent");
    const { call, propose } = await start({}, token);
    const run_id = await propose();
    const looked = nextDecisionCheck(service);
    const answer = call("get_decision", { run_id, wait_seconds: 50 });
    await looked;
    const { body } = await service.request("GET", "/api/v1/console/tokens", { headers: cast.person });
    await service.request("DELETE", `/api/v1/console/tokens/${newestIdIn(body)}`, { headers: cast.person });
    expect(await answer).toMatchObject({ isError: true, text: expect.stringContaining("revoked") });
    const { status } = await service.request("POST", "/mcp", {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(status).toBe(401);
  });

  it("stop waiting if the client disconnects", async () => {
    const { client, propose } = await start();
    const run_id = await propose();
    const waits = vi.spyOn(service.deps.waiting, "until");
    const looked = nextDecisionCheck(service);
    const gone = new AbortController();
    const answer = client
      .callTool("get_decision", { run_id, wait_seconds: 50 }, { signal: gone.signal })
      .catch(() => "ended");
    await looked;
    gone.abort();
    expect(await answer).toBe("ended");
    await client.close();
    await waits.mock.results.at(-1)?.value;
  });
});

function newestIdIn(body: unknown): string {
  const items = typeof body === "object" && body !== null && "items" in body ? body.items : [];
  const last: unknown = Array.isArray(items) ? items.at(-1) : undefined;
  return typeof last === "object" && last !== null && "id" in last ? String(last.id) : "";
}
