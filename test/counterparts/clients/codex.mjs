import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { innkeep } from "../demo-server.mjs";
import { onNode22, runPackages } from "../programs.mjs";

const packages = ["@openai/codex@0.169.0"];

/** Codex lists the tools of its servers without a model. */
export async function listToolsOfCodex({ home, env, demo }) {
  const { baseUrl } = demo;
  const { agentToken } = demo.demo;
  const own = { cwd: home, env: { ...env, INNKEEP_AGENT_TOKEN: agentToken } };
  const codex = (words) => runPackages(packages, ["codex", ...words], own);
  const variables = ["--env", `INNKEEP_BASE_URL=${baseUrl}`, "--env", `INNKEEP_AGENT_TOKEN=${agentToken}`];
  await codex(["mcp", "add", "innkeep", ...variables, "--", "node", innkeep, "mcp"]);
  const token = ["--bearer-token-env-var", "INNKEEP_AGENT_TOKEN"];
  await codex(["mcp", "add", "innkeep-http", "--url", `${baseUrl}/mcp`, ...token]);
  const status = await askAppServer(own);
  const servers = status.result?.data ?? [];
  const tools = servers.flatMap(({ name, tools: given }) =>
    Object.keys(given).map((tool) => `${name}_${tool}`),
  );
  return { tools, told: JSON.stringify(status) };
}

/** Requests the state of the MCP servers from the program that the extensions of editors use. */
async function askAppServer(options) {
  const signal = AbortSignal.timeout(60_000);
  const child = spawn("npx", onNode22(packages, ["codex", "app-server"]), {
    ...options,
    signal,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve).on("error", resolve));
  const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);
  send({ id: 1, method: "initialize", params: { clientInfo: { name: "innkeep", version: "1" } } });
  let status = {};
  for await (const line of createInterface(child.stdout)) {
    const message = JSON.parse(line);
    if (message.id === 1) {
      send({ method: "initialized" });
      send({ id: 2, method: "mcpServerStatus/list", params: {} });
    }
    if (message.id !== 2) continue;
    status = message;
    child.stdin.end();
    break;
  }
  await ended;
  return status;
}
