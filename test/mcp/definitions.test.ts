import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tools as listedTools } from "../../mcp/tools/tool-list.ts";
import { eras } from "./support/clients.ts";
import { openMcpSession } from "./support/mcp-session.ts";

const nowhere = "http://127.0.0.1:9";
const snapshot = (name: string) => `./__snapshots__/${name}.json.snap`;
const shown = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

describe.each(eras)("the server's definitions over %s", (era) => {
  it("include three tools, in this order and form", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere });
    const { tools } = await client.listTools();
    await expect(shown(tools)).toMatchFileSnapshot(snapshot("tools"));
  });

  it("fit into 4.5 kB of a model's context", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere });
    const { tools } = await client.listTools();
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(4_500);
  });

  it("include no tool that writes when the server is read-only", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere, readOnly: true });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: "read_feedback" }, { name: "get_decision" }]);
    await expect(client.callTool("propose_plan", { feedback: "x", summary: "s", plan: "p" })).rejects.toThrow(
      /not found/,
    );
  });

  it("include instructions of less than 1 kB that begin with the main rule", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere });
    const instructions = client.instructions() ?? "";
    expect(Buffer.byteLength(instructions)).toBeLessThan(1_024);
    expect(instructions).toMatch(/^Act on a plan only when get_decision returns may_proceed: true/);
  });

  it("include these resources and prompts", async () => {
    const { client } = await openMcpSession(era, { baseUrl: nowhere });
    const { resources } = await client.listResources();
    const { resourceTemplates } = await client.listTemplates();
    const { prompts } = await client.listPrompts();
    await expect(shown({ resources, resourceTemplates, prompts })).toMatchFileSnapshot(snapshot("resources"));
  });
});

describe("the bundle's manifest", () => {
  it("names the server's tools and the package's version", async () => {
    const { tools, version } = await jsonIn("../../mcp/manifest.json");
    expect(tools).toMatchObject(Object.values(listedTools).map(({ name }) => ({ name })));
    expect(version).toBe((await jsonIn("../../package.json")).version);
  });
});

const jsonIn = async (file: string) => JSON.parse(await readFile(join(import.meta.dirname, file), "utf8"));
