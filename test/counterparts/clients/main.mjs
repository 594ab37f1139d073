// Connects real clients from npm to the tools, over standard input and over HTTP: `npm run clients`. The first run
// downloads hundreds of megabytes into the cache of npm.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDemo } from "../demo-server.mjs";
import { createReport, run } from "../programs.mjs";
import { agents } from "./agents.mjs";
import { checkLibraries } from "./libraries.mjs";
import { checkMcpRemote } from "./mcp-remote.mjs";
import { startScriptedModel } from "./scripted-model.mjs";

const { report, end } = createReport();
const demo = await startDemo();
const model = await startScriptedModel();
const { stdout: cache } = await run("npm", ["config", "get", "cache"]);
const folder = await mkdtemp(join(tmpdir(), "innkeep-clients-"));
try {
  await checkLibraries(demo, report);
  // The environment contains nothing of this machine: no settings, no accounts, no addresses.
  const makeHome = async () => {
    const home = await mkdtemp(join(folder, "home-"));
    return { home, env: { PATH: process.env.PATH, HOME: home, npm_config_cache: cache.trim() } };
  };
  await checkMcpRemote({ ...(await makeHome()), demo }, report);
  for (const [name, listTools] of Object.entries(agents)) {
    const { home, env } = await makeHome();
    const faults = await listTools({ home, env, demo, model }).then(faultsIn, (error) => [`${error}`]);
    report(name, faults);
  }
} finally {
  model.stop();
  await demo.stop();
  await rm(folder, { recursive: true, force: true });
}
end();

/** Each server must have listed its tools: the one over standard input and the one over HTTP. */
function faultsIn({ tools, told }) {
  const found = new Set(tools.filter((name) => name.endsWith("propose_plan")));
  return found.size === 2 ? [] : [`tools: ${tools.join(" ") || "none"}`, told.slice(-2000)];
}
