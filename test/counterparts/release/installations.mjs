import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { readySqlite, removeOptional } from "./optional-packages.mjs";

const run = promisify(execFile);
const versions = [20, 22, 24, 26];
const ways = [["--ignore-scripts", "--omit=optional"], ["--ignore-scripts"], ["--omit=optional"], []];
const minutes = 60_000;

/** The folder of a version of Node, installed as an npm package. */
export async function nodeFolder(version) {
  const { stdout } = await run("npx", ["--yes", `--package=node@${version}`, "which", "node"]);
  return dirname(stdout.trim());
}

/** Installs the tarball in each way with each version of Node, and calls `report` with the results. */
export async function checkInstallations(tarball, server, report) {
  const ready = await readySqlite(dirname(tarball));
  for (const flags of ways)
    for (const version of versions) {
      const folder = await nodeFolder(version);
      const prefix = await mkdtemp(join(tmpdir(), "innkeep-release-"));
      try {
        const faults = await checkInstallation({ tarball, server, folder, prefix, flags, ready });
        report([`Node ${version}`, ...flags].join(" "), faults);
      } finally {
        await rm(prefix, { recursive: true, force: true });
      }
    }
}

async function checkInstallation({ tarball, server, folder, prefix, flags, ready }) {
  const path = `${folder}:${process.env.PATH}`;
  const words = [
    "install",
    "--global",
    "--prefix",
    prefix,
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    ...flags,
    tarball,
  ];
  // JOBS sets how many compilers npm runs at once.
  const env = { JOBS: "max", ...process.env, ...ready, PATH: path };
  await run("npm", words, { env, timeout: 15 * minutes });
  const home = join(prefix, "home");
  const program = { file: join(prefix, "bin", "innkeep"), env: { PATH: path, HOME: home } };
  const modules = join(prefix, "lib", "node_modules", "innkeep", "node_modules");
  if (flags.includes("--omit=optional")) await removeOptional(modules);
  return [
    ...(await clientFaults(program, server)),
    ...(await serveFaults(program, await canServe(join(folder, "node"), modules))),
  ];
}

/** Whether a server can run: it needs SQLite of Node or of the package. */
async function canServe(node, modules) {
  const loads = (code) =>
    run(node, ["-e", code]).then(
      () => true,
      () => false,
    );
  const sqlite3 = JSON.stringify(join(modules, "sqlite3"));
  return (await loads('require("node:sqlite")')) || (await loads(`require(${sqlite3})`));
}

/**
 * Returns what is wrong with the client's commands. Each runs with a server, with a home folder that does not exist,
 * and without a terminal.
 */
export async function clientFaults({ file, env }, { baseUrl, demo }) {
  const keys = {
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: demo.apiKey,
    INNKEEP_TOKEN: demo.maintainerToken,
    INNKEEP_AGENT_TOKEN: demo.agentToken,
  };
  const commands = [
    [["--version"], 0, /^\d+\.\d+\.\d+\n$/],
    [["help"], 0, /changelog/],
    [["feedback", "send", "--type", "bug", "--message", "From the check of a release."], 0, /[0-9a-f]{8}-/],
    [["faq", "list", "--json"], 0, /"items"|"faqs"/],
    [["changelog", "list"], 0, /./],
    [["agent", "thread", demo.threadId], 0, /./],
    [["feedback", "list", "--json"], 0, /./],
    [["faq", "lsit"], 2, /^$/],
  ];
  const faults = [];
  for (const [words, code, output] of commands) {
    const ended = await runToEnd(file, words, { ...env, ...keys });
    if (ended.code !== code || !output.test(ended.stdout) || /\n {4}at /.test(ended.stderr))
      faults.push(`${words.join(" ")}: exit ${ended.code}, ${ended.stdout}${ended.stderr}`);
  }
  const hello = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "check", version: "1" },
  };
  const messages = [
    { jsonrpc: "2.0", id: 1, method: "initialize", params: hello },
    { jsonrpc: "2.0", method: "notifications/initialized" },
    { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "get_feedback_thread", arguments: {} } },
  ];
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
  const agent = await runToEnd(file, ["mcp"], { ...env, ...keys }, input);
  if (agent.code !== 0 || !/"serverInfo".*\n.*"id":2/.test(agent.stdout))
    faults.push(`mcp: exit ${agent.code}, ${agent.stdout}${agent.stderr}`);
  return faults;
}

/**
 * Checks that `serve` listens and signs a person in with the password, or that it ends with one sentence and the next
 * step.
 */
async function serveFaults({ file, env }, can) {
  const data = join(env.HOME, "data");
  const child = spawn(file, ["serve", "--demo", "--json", "--port", "0", "--data", data], { env });
  const told = child.stderr.toArray();
  const ended = new Promise((resolve) => child.on("close", resolve));
  let ready;
  for await (const line of createInterface(child.stdout)) {
    ready = JSON.parse(line);
    break;
  }
  const answers = ready ? [await signIn(ready, ""), await signIn(ready, "?")] : [];
  child.kill("SIGTERM");
  const code = await ended;
  const stderr = Buffer.concat(await told).toString();
  if (can)
    return `${[code, ...answers]}` === "0,201,401" ? [] : [`serve: exit ${code}, ${answers}, ${stderr}`];
  const { error = "" } = code === 1 ? JSON.parse(stderr) : {};
  return /\b(Install|install|Use)\b/.test(error) && !error.includes("    at ")
    ? []
    : [`serve, which cannot run here: exit ${code}, ${stderr}`];
}

/** Returns the status of a sign-in with the demo's password followed by this text. */
async function signIn({ baseUrl, demo: { email, password } }, ending) {
  const headers = { "content-type": "application/json", origin: baseUrl };
  const body = JSON.stringify({ email, password: password + ending });
  return (await fetch(`${baseUrl}/api/v1/console/session`, { method: "POST", headers, body })).status;
}

/** Runs a program to its end. */
export async function runToEnd(file, words, env, input = "") {
  const child = spawn(file, words, { env });
  const output = [child.stdout.toArray(), child.stderr.toArray()];
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  const [stdout, stderr] = (await Promise.all(output)).map((chunks) => Buffer.concat(chunks).toString());
  return { code, stdout, stderr };
}
