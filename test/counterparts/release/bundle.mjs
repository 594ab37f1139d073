import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundleTool } from "../../../build/mcp-bundle.mjs";
import { runToEnd } from "./installations.mjs";

// biome-ignore lint/suspicious/noTemplateCurlyInString: manifests have it.
const folderOfBundle = "${__dirname}";
const run = promisify(execFile);

/** Packs the bundle, unpacks it with the tool of its format, and lists the tools of its server, started as the manifest says. */
export async function bundleFaults(folder, { baseUrl, demo }) {
  await run(process.execPath, ["build/mcp-bundle.mjs", folder]);
  const [packed] = (await readdir(folder)).filter((name) => name.endsWith(".mcpb"));
  const place = join(folder, "unpacked");
  await bundleTool("unpack", join(folder, packed), place);
  const manifest = JSON.parse(await readFile(join(place, "manifest.json"), "utf8"));
  const config = { base_url: baseUrl, agent_token: demo.agentToken, work: "false" };
  const filled = (text) =>
    text.replaceAll(folderOfBundle, place).replace(/\$\{user_config\.(\w+)\}/g, (_, name) => config[name]);
  const { args, env } = manifest.server.mcp_config;
  const variables = Object.entries(env).map(([name, value]) => [name, filled(value)]);
  const home = { HOME: join(folder, "home") };
  const { stdout, stderr } = await runToEnd(
    process.execPath,
    args.map(filled),
    { ...home, ...Object.fromEntries(variables) },
    messages,
  );
  const answer = stdout.split("\n").find((line) => line.includes('"id":2'));
  const listed = answer && JSON.parse(answer).result.tools.map(({ name }) => name);
  const named = manifest.tools.map(({ name }) => name);
  return `${listed}` === `${named}`
    ? []
    : [`The manifest names ${named}, the server lists ${listed}. ${stderr}`];
}

const client = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "check", version: "1" },
};
const messages = [
  { id: 1, method: "initialize", params: client },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
]
  .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  .join("");
