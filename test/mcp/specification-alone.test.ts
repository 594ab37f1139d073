import { describe, expect, it } from "vitest";
import { threadId } from "../support/specified-server/agent.ts";
import { secrets } from "../support/specified-server/operation.ts";
import { startSpecifiedServer } from "../support/specified-server/server.ts";
import { eras } from "./support/clients.ts";
import { openMcpSession } from "./support/mcp-session.ts";
import { readToolResult } from "./support/tool-result.ts";

describe.each(eras)(
  "the MCP server with a server that has only the specification, over %s (rule L60),",
  (era) => {
    it("allows an agent to read a thread, propose a plan and proceed after the approval", async () => {
      const server = await startSpecifiedServer();
      const { client } = await openMcpSession(era, {
        baseUrl: server.baseUrl,
        agentToken: secrets.agentToken,
      });
      const call = async (name: string, args: Record<string, unknown>) =>
        readToolResult(await client.callTool(name, args)).structured;
      expect(await call("read_feedback", { feedback: threadId })).toMatchObject({
        team: { app_name: "Larder" },
        untrusted: { message: "The settings close." },
      });
      const { run_id } = await call("propose_plan", { feedback: threadId, summary: "S", plan: "P" });
      expect(await call("get_decision", { run_id })).toMatchObject({ may_proceed: false });
      server.decide("approved");
      expect(await call("get_decision", { run_id, wait_seconds: 5 })).toMatchObject({
        status: "approved",
        may_proceed: true,
        decision_note: "Also on tablets.",
      });
    });

    it("uses a recent approval in place of a claim on a server without claims, and says what such a server cannot do", async () => {
      const server = await startSpecifiedServer();
      const options = { baseUrl: server.baseUrl, agentToken: secrets.agentToken, work: true };
      const { client } = await openMcpSession(era, options);
      const call = async (name: string, args: Record<string, unknown>) =>
        readToolResult(await client.callTool(name, args));
      expect((await call("list_feedback", {})).text).toContain("This server lists no feedback for agents");
      const { run_id } = (await call("propose_plan", { feedback: threadId, summary: "S", plan: "P" }))
        .structured;
      expect((await call("start_work", { run_id })).structured).toMatchObject({
        may_proceed: false,
        claim_id: null,
      });
      server.decide("approved");
      expect((await call("start_work", { run_id })).structured).toMatchObject({
        may_proceed: true,
        claim_id: null,
        approved_plan: { plan: "P" },
        decision_note: "Also on tablets.",
        next_step: expect.stringContaining("This server has no claims and does not accept outcomes"),
      });
      const claim_id = "b5d1c0de-0000-4000-8000-000000000001";
      const report = await call("report_outcome", { run_id, claim_id, status: "failed", summary: "No." });
      expect(report.text).toContain("does not accept outcomes");
      const ofApp = await call("list_feedback", { app_id: claim_id, waiting: "approved", limit: 5 });
      expect(ofApp).toMatchObject({
        isError: true,
        text: expect.stringMatching(/lists no feedback|no such app/),
      });
      expect(await client.readResource(`innkeep://runs/${run_id}`)).toBeDefined();
      await expect(client.readResource("innkeep://queue")).rejects.toThrow(/lists no feedback for agents/);
    });
  },
);
