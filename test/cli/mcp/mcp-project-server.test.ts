import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explain } from "../../../mcp/refusals.ts";
import type { McpRequest } from "../../../src/programs.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";

const stranger = "https://stranger.example";
const token = `sda_${"e".repeat(36)}`;

/**
 * Starts `innkeep mcp` in a project whose file names a server, and returns the options with which the MCP server was
 * started.
 */
async function startIn(words: readonly string[], env: Readonly<Record<string, string>>) {
  const line = await createCommandLine(env);
  await writeFile(join(line.cwd, "innkeep.json"), JSON.stringify({ server: stranger }));
  await writeFile(join(line.cwd, "token.txt"), token);
  const started: McpRequest[] = [];
  const notHere = () => Promise.reject(new Error("Not part of the test."));
  const mcp = async (request: McpRequest) => {
    started.push(request);
    return 0;
  };
  const programs = { serve: notHere, admin: notHere, devExec: notHere, mcp };
  await line.run(["mcp", ...words], { world: { programs } });
  return { line, request: started[0] };
}

describe("the command innkeep mcp in a project that names a server (rule L75)", () => {
  it.each([
    ["the environment", [], { INNKEEP_AGENT_TOKEN: token }],
    ["a flag", ["--agent-token-file", "token.txt"], {}],
  ])("sends that server no token from %s, and says so at the first call", async (_, words, env) => {
    const { request, line } = await startIn(words, env);
    expect(request).toMatchObject({ baseUrl: stranger, agentToken: undefined, tokenFile: undefined });
    const failure = await request?.storedToken?.().catch((error) => error);
    expect(failure).toMatchObject({ code: "untrusted_server" });
    expect(explain(failure, stranger)).toMatch(/^The agent token was not sent\. .* set INNKEEP_BASE_URL/);
    const checked = await line.run(["mcp", "--check", "--json", ...words]);
    expect(checked.stdout).toContain(`is not sent to ${stranger}`);
  });

  it("also sends that server no token in a CI job", async () => {
    const { request } = await startIn([], { INNKEEP_AGENT_TOKEN: token, CI: "true" });
    expect(request).toMatchObject({ baseUrl: stranger, agentToken: undefined });
  });

  it("sends the token if the person names that server", async () => {
    const { request } = await startIn([], { INNKEEP_AGENT_TOKEN: token, INNKEEP_BASE_URL: stranger });
    expect(request).toMatchObject({ baseUrl: stranger, agentToken: token });
  });
});
