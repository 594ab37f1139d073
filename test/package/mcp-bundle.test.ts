import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFile, rename } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { connectOlder } from "../mcp/support/clients.ts";
import { agentToken, startFakeApi } from "../mcp/support/fake-api.ts";
import { readToolResult } from "../mcp/support/tool-result.ts";
import { filesIn, removableFolder, temporaryFolder } from "../support/files/temporary-folder.ts";

// biome-ignore lint/suspicious/noTemplateCurlyInString: manifests have it.
const folderOfBundle = "${__dirname}";
const root = join(import.meta.dirname, "..", "..");
const Manifest = z.object({
  server: z.object({
    entry_point: z.string(),
    mcp_config: z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
});

let place: { readonly path: string; remove(): Promise<void> };
let bundle = "";
let manifest: z.infer<typeof Manifest>;

beforeAll(async () => {
  place = await removableFolder();
  const words = ["build/mcp-bundle.mjs", place.path, "--unpacked"];
  await promisify(execFile)(process.execPath, words, { cwd: root });
  // As a client unpacks it: into a folder whose name the client chooses.
  bundle = join(place.path, "Application Support, Inn 1");
  await rename(join(place.path, "innkeep"), bundle);
  manifest = Manifest.parse(JSON.parse(await readFile(join(bundle, "manifest.json"), "utf8")));
});

afterAll(() => place.remove());

/** Starts the server as the manifest says, only with the values that a person has typed into the client. */
async function startBundle(config: Readonly<Record<string, string>>, more: Record<string, string> = {}) {
  const { command, args, env } = manifest.server.mcp_config;
  const filled = (text: string): string =>
    text
      .replaceAll(folderOfBundle, bundle)
      .replace(/\$\{user_config\.(\w+)\}/g, (_, name) => config[name] ?? "");
  const variables = Object.entries(env).map(([name, value]) => [name, filled(value)]);
  const client = await connectOlder(
    new StdioClientTransport({
      command: command === "node" ? process.execPath : command,
      args: args.map(filled),
      env: { HOME: await temporaryFolder(), ...more, ...Object.fromEntries(variables) },
      stderr: "ignore",
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** A proxy for plain HTTP: it forwards every request to one server, regardless of the requested host. */
async function startProxy(target: string) {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    const there = connect(Number(new URL(target).port), "127.0.0.1");
    socket.once("data", (bytes) => asked.push(String(bytes).split("\r\n")[0] ?? ""));
    socket.pipe(there).pipe(socket);
    for (const end of [socket, there]) end.on("error", () => {});
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${Object(proxy.address()).port}`, asked };
}

describe("the MCP bundle", () => {
  it("offers the tools that its manifest names", async () => {
    const client = await startBundle({ base_url: "http://127.0.0.1:9", agent_token: agentToken });
    const { tools } = z
      .object({ tools: z.array(z.object({ name: z.string() })) })
      .parse(await client.listTools());
    expect(tools.map(({ name }) => name)).toEqual(manifest.tools.map(({ name }) => name));
  });

  it.each([
    ["true", 6],
    ["false", 4],
  ])("offers the tools for approved work only if the person has chosen them: %s", async (work, count) => {
    const config = { base_url: "http://127.0.0.1:9", agent_token: agentToken, work };
    const { tools } = z
      .object({ tools: z.array(z.object({ name: z.string() })) })
      .parse(await (await startBundle(config)).listTools());
    expect(tools).toHaveLength(count);
    expect(tools.some(({ name }) => name === "start_work")).toBe(work === "true");
  });

  it.each(["directly", "through a proxy"])(
    "sends its requests to the server that the person entered, %s",
    async (way) => {
      const api = await startFakeApi();
      const proxy = await startProxy(api.baseUrl);
      const isDirect = way === "directly";
      const config = { base_url: isDirect ? api.baseUrl : "http://innkeep.test", agent_token: agentToken };
      const client = await startBundle(config, isDirect ? {} : { HTTP_PROXY: proxy.url });
      const given = { feedback: api.addThread(), summary: "S", plan: "P" };
      const run_id = String(readToolResult(await client.callTool("propose_plan", given)).structured.run_id);
      api.decide(run_id, "approved");
      const { structured } = readToolResult(
        await client.callTool("get_decision", { run_id, wait_seconds: 5 }),
      );
      expect(structured).toMatchObject({ may_proceed: true, approved_plan: { plan: "P" } });
      expect(proxy.asked[0] ?? "").toMatch(isDirect ? /^$/ : /^GET http:\/\/innkeep\.test\/api\//);
    },
  );

  it("contains no part of the server, and no file that only other commands need", async () => {
    const names = (await filesIn(bundle)).map((file) => file.slice(bundle.length + 1));
    expect(names).toEqual(expect.arrayContaining(["manifest.json", "LICENSE", manifest.server.entry_point]));
    expect(names.filter((name) => /server|task-watch|inbox|\.map$|package\.json/.test(name))).toEqual([]);
  });
});
