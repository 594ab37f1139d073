import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { StdioClientTransport as NewerTransport } from "@modelcontextprotocol/client/stdio";
import { StdioClientTransport as OlderTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { connectNewer, connectOlder, type Era, eras } from "./support/clients.ts";
import { agentToken, startFakeApi } from "./support/fake-api.ts";
import { readToolResult } from "./support/tool-result.ts";

let folder = "";
const program = () => join(folder, "program.mjs");

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "innkeep-mcp-"));
  await build({
    entryPoints: [join(import.meta.dirname, "support/stdio-program.ts")],
    outfile: program(),
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "warning",
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const connect = (era: Era, env: Record<string, string>) => {
  const parameters = { command: process.execPath, args: [program()], env, stderr: "ignore" as const };
  return era === "2025-11-25"
    ? connectOlder(new OlderTransport(parameters))
    : connectNewer(new NewerTransport(parameters));
};

const start = (env: Record<string, string>) => {
  const child = spawn(process.execPath, [program()], { env, stdio: ["pipe", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
};

const line = (message: object) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const hello = line({
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
});
const listTools = line({ method: "notifications/initialized" }) + line({ id: 2, method: "tools/list" });

describe.each(eras)("the MCP server as a process, over %s,", (era) => {
  it("follows a proposal to its approval, even over a restart", async () => {
    const api = await startFakeApi();
    const env = { BASE_URL: api.baseUrl, AGENT_TOKEN: agentToken, STATE: await temporaryFolder() };
    const first = await connect(era, env);
    const proposal = { feedback: api.addThread(), summary: "S", plan: "P" };
    const run_id = String(readToolResult(await first.callTool("propose_plan", proposal)).structured.run_id);
    await first.close();
    api.decide(run_id, "approved");
    const second = await connect(era, env);
    const { structured } = readToolResult(
      await second.callTool("get_decision", { run_id, wait_seconds: 10 }),
    );
    expect(structured).toMatchObject({ may_proceed: true, approved_plan: { summary: "S", plan: "P" } });
    await second.close();
  });

  it("understands its client even if a dependency prints to standard output", async () => {
    const api = await startFakeApi();
    const client = await connect(era, { BASE_URL: api.baseUrl, AGENT_TOKEN: agentToken, NOISE: "1" });
    for (let i = 0; i < 5; i += 1)
      expect(
        readToolResult(await client.callTool("read_feedback", { feedback: api.addThread() })).isError,
      ).toBe(false);
    await client.close();
  });
});

describe("the MCP server as a process", () => {
  it("writes only messages to standard output, and everything else to standard error", async () => {
    const { stdin, stdout, stderr } = start({ BASE_URL: "http://127.0.0.1:9", NOISE: "1" });
    const printed = Promise.all([text(stdout), text(stderr)]);
    let seen = "";
    for (const stream of [stdout, stderr])
      stream.on("data", (chunk) => {
        seen += chunk;
      });
    stdin.write(hello + listTools);
    await eventually(() => expect(seen).toMatch(/read_feedback.*a banner|a banner.*read_feedback/s));
    stdin.end();
    const [messages, noise] = await printed;
    for (const message of messages.trim().split("\n"))
      expect(JSON.parse(message)).toMatchObject({ jsonrpc: "2.0" });
    expect(noise).toContain("a banner");
  });

  it("writes nothing without a client", async () => {
    const child = start({ BASE_URL: "http://127.0.0.1:9" });
    const printed = text(child.stdout);
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await printed).toBe("");
  });

  it("ends if its client disconnects during a wait", async () => {
    const api = await startFakeApi();
    const child = start({ BASE_URL: api.baseUrl, AGENT_TOKEN: agentToken });
    const wait = { run_id: "0a9b8c7d-0000-4000-8000-00000000000a", wait_seconds: 50 };
    api.fail({ status: 503 });
    child.stdin.write(
      hello + line({ id: 3, method: "tools/call", params: { name: "get_decision", arguments: wait } }),
    );
    await eventually(() => expect(api.polls()).toHaveLength(1));
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("ends if its output is no longer read", async () => {
    const child = start({ BASE_URL: "http://127.0.0.1:9" });
    const ended = once(child, "exit");
    child.stdout.destroy();
    child.stdin.write(hello);
    child.stdin.on("error", () => undefined);
    expect(await ended).toEqual([0, null]);
  });

  it("continues after input that is not a message", async () => {
    const child = start({ BASE_URL: "http://127.0.0.1:9" });
    child.stdin.write(`not json\n{"jsonrpc":"2.0"}\n[]\n${hello}`);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await eventually(() => expect(out).toMatch(/"name":"innkeep".*"id":1|"id":1.*"name":"innkeep"/));
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
