import { describe, expect, it } from "vitest";
import { eras } from "../support/clients.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

describe.each(eras)("empty arguments over %s", (era) => {
  const start = async () => {
    const api = await startFakeApi();
    const { client } = await openMcpSession(era, { baseUrl: api.baseUrl });
    const call = async (name: string, args: Record<string, unknown>) =>
      readToolResult(await client.callTool(name, args));
    return { api, call };
  };

  it.each([null, "", "  "])("are left out where they are optional: %j", async (empty) => {
    const { api, call } = await start();
    const feedback = api.addThread();
    const read = { feedback, messages_before: empty, max_chars: empty, include_images: empty };
    expect((await call("read_feedback", read)).isError).toBe(false);
    const plan = { feedback, summary: "S", plan: "P", expected_run_id: empty };
    const { structured } = await call("propose_plan", plan);
    const run_id = String(structured.run_id);
    expect((await call("get_decision", { run_id, wait_seconds: empty, feedback: empty })).isError).toBe(
      false,
    );
  });

  it.each([null, ""])("are refused where they are required: %j", async (empty) => {
    const { call } = await start();
    const { isError, text } = await call("read_feedback", { feedback: empty });
    expect(isError).toBe(true);
    expect(text).toContain("`feedback`");
  });

  it("with several faults get each of them named", async () => {
    const { call } = await start();
    const { text } = await call("read_feedback", {
      feedback: "seven",
      messages_before: "x",
      max_chars: 1,
      what: 1,
    });
    for (const name of ["feedback", "messages_before", "max_chars", "what"])
      expect(text).toContain(`\`${name}\``);
  });
});
