// Runs the examples for frameworks of agents, with their real packages and scripted models, against the real server:
// `npm run frameworks`. It needs the npm registry.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startDemo } from "../demo-server.mjs";
import { createReport, runPackages } from "../programs.mjs";
import { checkShell } from "./shell.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { report, end } = createReport();
const tests = ["node", "--test", "--test-force-exit", "test/agents.test.mjs"];
const folder = await mkdtemp(join(tmpdir(), "innkeep-frameworks-"));
const demo = await startDemo();
// A folder without the approved plans of the examples.
const ownDemo = await startDemo();
try {
  await cp(here("../../../examples/agents"), folder, { recursive: true });
  await cp(here("."), join(folder, "test"), { recursive: true });
  await cp(here("../person.mjs"), join(folder, "person.mjs"));
  const installed = await inExamples(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
  report("the packages of the examples", installed);
  report("the examples", installed.length > 0 ? ["not run"] : await inExamples(tests));
  await checkShell(folder, ownDemo, report);
} finally {
  await demo.stop();
  await ownDemo.stop();
  await rm(folder, { recursive: true, force: true });
}
end();

/** Runs a command on Node 22 in the copied examples. Returns what is wrong. */
async function inExamples(words) {
  const { apiKey, agentToken, email, password } = demo.demo;
  const keys = { INNKEEP_BASE_URL: demo.baseUrl, INNKEEP_API_KEY: apiKey, INNKEEP_AGENT_TOKEN: agentToken };
  const person = { DEMO_EMAIL: email, DEMO_PASSWORD: password };
  // No request may go to a service for models or for traces.
  const quiet = { OPENAI_AGENTS_DISABLE_TRACING: "1", LANGSMITH_TRACING: "false" };
  const env = { ...process.env, ...keys, ...person, ...quiet };
  const { code, stdout, stderr } = await runPackages([], words, { cwd: folder, env });
  return code === 0 ? [] : [`exit ${code}`, stdout + stderr];
}
