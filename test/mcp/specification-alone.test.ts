import { describe, expect, it } from "vitest";
import { threadId } from "../support/specified-server/agent.ts";
import { secrets } from "../support/specified-server/operation.ts";
import { startSpecifiedServer } from "../support/specified-server/server.ts";
import { eras } from "./support/clients.ts";
import { openMcpSession } from "./support/mcp-session.ts";
import { readToolResult } from "./support/tool-result.ts";

describe.each(eras)("a server that has only the specification, over %s (rule L60)", (era) => {
  it("lets an agent read a thread, propose a plan and proceed after the approval", async () => {
    const server = await startSpecifiedServer();
    const { client } = await openMcpSession(era, {
      baseUrl: server.baseUrl,
      agentToken: secrets.agentToken,
    });
    const call = async (name: string, args: Record<string, unknown>) =>
      readToolResult(await client.callTool(name, args)).structured;
    expect(await call("read_feedback", { feedback: threadId })).toMatchObject({
      app: { name: "Larder" },
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
});
