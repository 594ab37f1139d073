// Counts the source files in which a function runs for one request, or in one command. `structure.mjs
// --coverage` uses this module.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Session } from "node:inspector/promises";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { asValues, browserBundles } from "./plugins.mjs";
import { shared } from "./settings.mjs";

/** How many requests run before the measured one. */
const warmUps = 5;
/** How long to wait until the server has finished its work after the warm-up. */
const quietMilliseconds = 1_000;
/**
 * Other work of the server must not be counted. So a file is counted only if it runs each time on several new
 * servers.
 */
const times = 3;
const rounds = 3;

/**
 * Prints how many files run for each of four requests and for one command. With `lists`, also prints the names
 * of these files.
 */
export async function printCoverage({ lists }) {
  await mkdir("node_modules/.cache", { recursive: true });
  const folder = await mkdtemp("node_modules/.cache/structure-");
  try {
    await bundleInto(folder);
    const found = [];
    for (let round = 0; round < rounds; round += 1) found.push(await measureAll(folder, `round-${round}`));
    for (const label of Object.keys(found[0])) print(label, inEach(found.map((one) => one[label])), lists);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const inEach = (all) => all.reduce((common, files) => common.filter((file) => files.includes(file)));

function print(label, files, lists) {
  const count = String(files.length).padStart(7);
  process.stdout.write(`${`Files that run: ${label}`.padEnd(52)} ${count}   ${tops(files)}\n`);
  if (lists) for (const file of files) process.stdout.write(`      ${file}\n`);
}

const tops = (files) =>
  ["bin", "src", "mcp", "server"]
    .map((top) => `${top} ${files.filter((file) => file.startsWith(`${top}/`)).length}`)
    .join(", ");

/**
 * Builds bundles that are not minified, because such bundles contain a comment with the file name before each
 * module. Packages are not bundled.
 */
function bundleInto(folder) {
  return build({
    ...shared,
    minifySyntax: false,
    minifyWhitespace: false,
    outdir: folder,
    entryPoints: { innkeep: "bin/innkeep.ts", server: "bin/server.ts", mcp: "mcp/stdio.ts" },
    format: "esm",
    splitting: true,
    packages: "external",
    outExtension: { ".js": ".mjs" },
    plugins: [asValues(), browserBundles()],
  });
}

/** Returns the files that run for each request, on a new server. */
async function measureAll(folder, round) {
  const server = await startServer(folder, round);
  const agent = await startAgent(folder, server);
  const openTags = await tagsPage(server);
  const profiler = new Session();
  profiler.connect();
  await profiler.post("Profiler.enable");
  const measured = (ask, options) => filesOf(profiler, folder, ask, options);
  const report = (isWarm) => reportSession(server, { counts: isWarm });
  const found = {
    "POST of feedback": await measured(() => sendFeedback(server)),
    // A day is counted only once. So the warm-up sends sessions that are too short.
    "report of a session that counts": await measured(report, { times: 1 }),
    "innkeep feedback send": await filesOfCommand(folder, round, server),
    "get_decision, MCP and the server": await measured(agent.getDecision),
    "console page of tags": await measured(openTags),
  };
  profiler.disconnect();
  await agent.stop();
  await server.stop();
  return found;
}

/** Starts the server of a demo in this process. */
async function startServer(folder, round) {
  const { serve } = await import(pathToFileURL(join(folder, "server.mjs")));
  const stop = new AbortController();
  let tellReady;
  const ready = new Promise((resolve) => {
    tellReady = resolve;
  });
  const flags = { demo: true, local: true, json: true, port: 0, data: join(folder, round, "data") };
  const serving = serve(flags, { environment: {}, out: tellReady, err: () => undefined, stop: stop.signal });
  const line = await Promise.race([
    ready,
    serving.then(() => Promise.reject(new Error("The server has ended."))),
  ]);
  const { baseUrl, demo } = JSON.parse(line);
  return {
    ...{ baseUrl, demo },
    async stop() {
      stop.abort();
      await serving;
    },
  };
}

/** Starts the MCP server, also in this process. */
async function startAgent(folder, { baseUrl, demo }) {
  const { serveStdio } = await import(pathToFileURL(join(folder, "mcp.mjs")));
  const io = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough().resume() };
  const before = globalThis.console;
  const serving = serveStdio({ baseUrl, agentToken: demo.agentToken, version: "0.0.0", io });
  let id = 0;
  const send = (message) => io.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = async (method, params) => {
    id += 1;
    send({ id, method, params });
    const [answer] = await once(io.stdout, "data");
    const { result } = JSON.parse(answer);
    if (result === undefined || result.isError) throw new Error(`${method} failed: ${answer}`);
  };
  const clientInfo = { name: "structure", version: "0.0.0" };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  return {
    getDecision: () => ask("tools/call", { name: "get_decision", arguments: { run_id: demo.runId } }),
    async stop() {
      io.stdin.end();
      await serving;
      globalThis.console = before;
    },
  };
}

async function sendFeedback(server) {
  await post(server, "/api/v1/feedback/remote", {
    type: "bug",
    message: "The page is empty.",
  });
}

async function reportSession(server, { counts }) {
  const end = Date.now() - 60_000;
  const [startedAt, endedAt] = [end - (counts ? 600_000 : 1_000), end].map((at) =>
    new Date(at).toISOString(),
  );
  const screens = counts ? ["Home", "Search", "Recipe", "Settings"] : ["Home"];
  const body = { testKey: server.demo.testKey, startedAt, endedAt, screens };
  const result = await post(server, "/api/v1/testing/sdk/session", body);
  if (counts && !result.counted) throw new Error(`The session did not count: ${JSON.stringify(result)}`);
}

async function post({ baseUrl, demo }, path, body) {
  const headers = { "x-api-key": demo.apiKey, "content-type": "application/json" };
  const response = await fetch(`${baseUrl}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} got ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Signs in the owner. Returns a function that requests the page of tags. */
async function tagsPage({ baseUrl, demo }) {
  const response = await fetch(`${baseUrl}/api/v1/console/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: demo.email, password: demo.password }),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(";", 1)[0])
    .join("; ");
  return async () => {
    const page = await fetch(`${baseUrl}/console/tags/${demo.appId}`, {
      headers: { cookie },
      redirect: "manual",
    });
    await page.text();
    if (page.status !== 200) throw new Error(`The page of tags got ${page.status}.`);
  };
}

/** Returns the files that run at each call of `ask`, after some calls as a warm-up. */
async function filesOf(profiler, folder, ask, options = {}) {
  for (let asked = 0; asked < warmUps; asked += 1) await ask(false);
  await sleep(quietMilliseconds);
  await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const runs = [];
  for (let asked = 0; asked < (options.times ?? times); asked += 1) {
    // This also sets the counters to zero.
    await profiler.post("Profiler.takePreciseCoverage");
    await ask(true);
    const { result } = await profiler.post("Profiler.takePreciseCoverage");
    runs.push(await filesIn(result, folder));
  }
  await profiler.post("Profiler.stopPreciseCoverage");
  return inEach(runs);
}

/**
 * Returns the files that run in a command. The command runs in a separate process, so the code that runs when a
 * module is loaded is included.
 */
async function filesOfCommand(folder, round, { baseUrl, demo }) {
  const coverage = join(folder, round, "coverage");
  const env = {
    PATH: process.env.PATH,
    HOME: join(folder, round, "home"),
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: demo.apiKey,
  };
  const argv = [
    join(folder, "innkeep.mjs"),
    "feedback",
    "send",
    "--type",
    "bug",
    "--message",
    "The page is empty.",
  ];
  const run = (more) => promisify(execFile)(process.execPath, argv, { env: { ...env, ...more } });
  await run({});
  await run({ NODE_V8_COVERAGE: coverage });
  const [name] = await readdir(coverage);
  const { result } = JSON.parse(await readFile(join(coverage, name), "utf8"));
  return filesIn(result, folder);
}

/** Returns the source files in a result of V8 in which at least one function has run. */
async function filesIn(scripts, folder) {
  const found = new Set();
  const bundled = scripts.filter(({ url }) => url.includes(`/${basename(folder)}/`));
  for (const { url, functions } of bundled) {
    const modules = await modulesIn(new URL(url));
    for (const {
      ranges: [{ startOffset, count }],
    } of functions) {
      // The code of a bundle outside of functions begins at 0. It does not belong to one file.
      const module = startOffset > 0 && modules.findLast(({ start }) => start <= startOffset);
      if (count > 0 && module) found.add(module.file);
    }
  }
  return [...found].sort();
}

const known = new Map();

/** Returns where each module begins in a bundle. A comment with the file name is before each module. */
async function modulesIn(url) {
  if (!known.has(url.href)) {
    const text = await readFile(url, "utf8");
    const comments = [...text.matchAll(/^\/\/ ((?:bin|src|server|mcp)\/\S+\.tsx?)$/gm)];
    known.set(
      url.href,
      comments.map(({ index, 1: file }) => ({ start: index, file })),
    );
  }
  return known.get(url.href);
}
