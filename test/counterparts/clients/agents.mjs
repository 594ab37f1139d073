import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { innkeep } from "../demo-server.mjs";
import { runPackages } from "../programs.mjs";
import { listToolsOfCodex } from "./codex.mjs";

/**
 * Clients that are agents. Each connects to both servers, and returns the names of the tools that its model would see.
 */
export const agents = {
  "Claude Code": listToolsOfClaude,
  Codex: listToolsOfCodex,
  "Gemini CLI": listToolsOfGemini,
  opencode: listToolsOfOpencode,
};

async function listToolsOfClaude({ home, env, demo, model }) {
  const { baseUrl } = demo;
  const { agentToken } = demo.demo;
  const own = { ...env, ANTHROPIC_BASE_URL: model.baseUrl, ANTHROPIC_API_KEY: "none" };
  const quiet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_AUTOUPDATER: "1" };
  const claude = (words) =>
    runPackages(["@anthropic-ai/claude-code@2.1.330"], ["claude", ...words], {
      cwd: home,
      env: { ...own, ...quiet },
    });
  const variables = ["--env", `INNKEEP_BASE_URL=${baseUrl}`, "--env", `INNKEEP_AGENT_TOKEN=${agentToken}`];
  const program = ["--transport", "stdio", "innkeep", "--", "node", innkeep, "mcp"];
  await claude(["mcp", "add", ...variables, ...program]);
  const header = ["--header", `Authorization: Bearer ${agentToken}`];
  await claude(["mcp", "add", "--transport", "http", "innkeep-http", `${baseUrl}/mcp`, ...header]);
  const { stdout, stderr } = await claude(["--print", "List the tools."]);
  return { tools: model.takeOffered(), told: stdout + stderr };
}

async function listToolsOfGemini({ home, env, demo, model }) {
  const { baseUrl } = demo;
  const { agentToken } = demo.demo;
  const own = { ...env, GOOGLE_GEMINI_BASE_URL: model.baseUrl, GEMINI_API_KEY: "none" };
  const trusted = { GEMINI_CLI_TRUST_WORKSPACE: "true" };
  const gemini = (words) =>
    runPackages(["@google/gemini-cli@0.61.0"], ["gemini", ...words], {
      cwd: home,
      env: { ...own, ...trusted },
    });
  const variables = ["-e", `INNKEEP_BASE_URL=${baseUrl}`, "-e", `INNKEEP_AGENT_TOKEN=${agentToken}`];
  const add = ["mcp", "add", "--scope", "user"];
  await gemini([...add, ...variables, "innkeep", "node", innkeep, "mcp"]);
  const header = ["--header", `Authorization: Bearer ${agentToken}`];
  await gemini([...add, "--transport", "http", ...header, "innkeep-http", `${baseUrl}/mcp`]);
  const file = join(home, ".gemini", "settings.json");
  const settings = JSON.parse(await readFile(file, "utf8"));
  const security = { auth: { selectedType: "gemini-api-key" } };
  const privacy = { usageStatisticsEnabled: false };
  await writeFile(file, JSON.stringify({ ...settings, security, privacy }));
  const { stdout, stderr } = await gemini([
    "--prompt",
    "List the tools.",
    "--model",
    "gemini-2.5-flash",
    "--yolo",
  ]);
  return { tools: model.takeOffered(), told: stdout + stderr };
}

async function listToolsOfOpencode({ home, env, demo, model }) {
  const { baseUrl } = demo;
  const { agentToken } = demo.demo;
  const environment = { INNKEEP_BASE_URL: baseUrl, INNKEEP_AGENT_TOKEN: agentToken };
  const headers = { Authorization: `Bearer ${agentToken}` };
  const options = { baseURL: `${model.baseUrl}/v1`, apiKey: "none" };
  const settings = {
    model: "script/model",
    provider: { script: { npm: "@ai-sdk/openai-compatible", options, models: { model: {} } } },
    mcp: {
      innkeep: { type: "local", command: ["node", innkeep, "mcp"], environment },
      "innkeep-http": { type: "remote", url: `${baseUrl}/mcp`, oauth: false, headers },
    },
  };
  const cwd = join(home, "project");
  await mkdir(cwd);
  await writeFile(join(cwd, "opencode.json"), JSON.stringify(settings));
  const { stdout, stderr } = await runPackages(
    ["opencode-ai@1.18.33"],
    ["opencode", "run", "List the tools."],
    {
      cwd,
      env: { ...env, OPENCODE_DISABLE_AUTOUPDATE: "1" },
    },
  );
  return { tools: model.takeOffered(), told: stdout + stderr };
}
