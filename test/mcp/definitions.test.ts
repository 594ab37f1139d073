import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { eras } from "./support/clients.ts";
import { openMcpSession } from "./support/mcp-session.ts";

const nowhere = "http://127.0.0.1:9";
const snapshot = (name: string) => `./__snapshots__/${name}.json.snap`;
const shown = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

describe.each(eras)("the server's definitions over %s", (era) => {
  it("include six tools with --work in this order and form", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere, work: true });
    const { tools } = await client.listTools();
    await expect(shown(tools)).toMatchFileSnapshot(snapshot("tools"));
  });

  it("include no tool for approved work unless a setting offers it", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject(
      ["list_feedback", "read_feedback", "propose_plan", "get_decision"].map((name) => ({ name })),
    );
    expect(tools).toHaveLength(4);
    await expect(client.callTool("start_work", { run_id: "x" })).rejects.toThrow(/not found/);
  });

  it("need at most 1,850 tokens of a model for all six tools together", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere, work: true });
    const { tools } = await client.listTools();
    expect(countTokens(JSON.stringify({ tools }))).toBeLessThanOrEqual(1_850);
  });

  it("include no tool that writes if the server is read-only", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere, readOnly: true });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([
      { name: "list_feedback" },
      { name: "read_feedback" },
      { name: "get_decision" },
    ]);
    await expect(client.callTool("propose_plan", { feedback: "x", summary: "s", plan: "p" })).rejects.toThrow(
      /not found/,
    );
  });

  it("include instructions of less than 1 kB that begin with the most important rule", async () => {
    for (const options of [{}, { work: true }, { readOnly: true }]) {
      const { client } = await openMcpSession(era, { baseUrl: nowhere, ...options });
      const instructions = client.instructions() ?? "";
      expect(Buffer.byteLength(instructions)).toBeLessThan(1_024);
      expect(instructions).toMatch(
        /^Act on a plan only when get_decision or start_work returns may_proceed: true/,
      );
    }
  });

  it("include the expected resources and prompts", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere });
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listTemplates();
    const { prompts } = await client.listPrompts();
    await expect(shown({ resources, resourceTemplates, prompts })).toMatchFileSnapshot(snapshot("resources"));
  });
});
