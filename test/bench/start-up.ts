import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { DemoServer } from "./demo-server.ts";
import { bareEnvironment, innkeep } from "./programs.ts";
import { type Figure, median } from "./table.ts";

const rounds = 15;

/** How long commands take to start, against Node with nothing to do; and the MCP server against a well-known one. */
export async function measureStartUp(demo: DemoServer, folder: string): Promise<Figure[]> {
  const variables = {
    INNKEEP_BASE_URL: `http://127.0.0.1:${demo.port}`,
    INNKEEP_API_KEY: demo.apiKey,
    INNKEEP_AGENT_TOKEN: demo.agentToken,
    INNKEEP_CONFIG_DIR: folder,
    INNKEEP_STATE_DIR: folder,
    XDG_CACHE_HOME: folder,
  };
  const programs = {
    nothing: () => run(["-e", "0"], variables),
    version: () => run([innkeep, "--version"], variables),
    call: () => run([innkeep, "faq", "list", "--json"], variables),
    mcp: () => untilTools([innkeep, "mcp"], variables),
    devExec: () => untilPrinted([innkeep, "dev", "exec", "--", "echo", "ready"], variables),
    everything: () => untilTools([everythingServer(), "stdio"], variables),
  };
  const times: Record<keyof typeof programs, number[]> = {
    nothing: [],
    version: [],
    call: [],
    mcp: [],
    devExec: [],
    everything: [],
  };
  // The first start of a user stores the compiled code for all later starts.
  await run([innkeep, "mcp"], variables);
  await run([innkeep, "dev", "exec", "--", "sleep", "3"], variables);
  for (let round = 0; round < rounds; round += 1) {
    for (const name of namesOf(programs)) times[name].push(await programs[name]());
  }
  const ratio = (a: keyof typeof programs, b: keyof typeof programs) => median(times[a]) / median(times[b]);
  const detail = (a: keyof typeof programs, b: keyof typeof programs) =>
    `${median(times[a]).toFixed(0)} ms of ${median(times[b]).toFixed(0)} ms`;
  const figure = (
    name: string,
    a: keyof typeof programs,
    b: keyof typeof programs,
    goal: number,
  ): Figure => ({
    name,
    value: ratio(a, b),
    unit: b === "nothing" ? "x node" : "x everything",
    goal: ["<=", goal],
    detail: detail(a, b),
  });
  return [
    figure("innkeep --version", "version", "nothing", 1.15),
    figure("innkeep faq list", "call", "nothing", 2.2),
    figure("innkeep dev exec to its command", "devExec", "nothing", 12),
    figure("innkeep mcp to tools/list", "mcp", "everything", 0.3),
    await completionFigure(median(times.nothing)),
  ];
}

const completions = 50;

/** What bash needs for a word that stands in the completion script, against the start of Node. */
async function completionFigure(nothingMs: number): Promise<Figure> {
  const { stdout } = spawnSync(process.execPath, [innkeep, "completion", "bash"], { encoding: "utf8" });
  const lines = [
    stdout,
    `COMP_WORDS=(innkeep feedback list --status o); COMP_CWORD=4; _innkeep; started=\${EPOCHREALTIME/./}`,
    `for ((round = 0; round < ${completions}; round++)); do _innkeep; done`,
    `echo $((\${EPOCHREALTIME/./} - started)) $COMPREPLY`,
  ];
  const ran = spawnSync("bash", ["--norc"], { input: lines.join("\n"), encoding: "utf8" });
  const [microseconds = "", found] = ran.stdout.trim().split(" ");
  if (found !== "open") throw new Error(`bash completed nothing: ${ran.stdout}${ran.stderr}`);
  const each = Number(microseconds) / 1_000 / completions;
  return {
    name: "completion of a word in bash",
    value: each / nothingMs,
    unit: "x node",
    goal: ["<=", 0.3],
    detail: `${each.toFixed(1)} ms of ${nothingMs.toFixed(0)} ms`,
  };
}

const namesOf = <Names extends string>(record: Record<Names, unknown>): Names[] => {
  const names: Names[] = [];
  for (const name in record) names.push(name);
  return names;
};

function run(argv: readonly string[], variables: Record<string, string>): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, {
      env: { ...bareEnvironment, ...variables },
      stdio: "ignore",
    });
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0
        ? resolve(performance.now() - started)
        : reject(new Error(`${argv.join(" ")} ended with ${code}`)),
    );
  });
}

/** From start to the first output, which must come. */
function untilPrinted(argv: readonly string[], variables: Record<string, string>): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, {
      env: { ...bareEnvironment, ...variables },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let printed: number | undefined;
    child.stdout.once("data", () => {
      printed = performance.now() - started;
    });
    child.on("error", reject);
    child.on("close", () =>
      printed === undefined ? reject(new Error(`${argv.join(" ")} printed nothing`)) : resolve(printed),
    );
  });
}

/** From start to the answer to `tools/list`, the way every client of the older protocol begins. */
function untilTools(argv: readonly string[], variables: Record<string, string>): Promise<number> {
  const started = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, argv, {
      env: { ...bareEnvironment, ...variables },
      stdio: ["pipe", "pipe", "ignore"],
    });
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "bench", version: "1" };
    say({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    let seen = "";
    child.on("error", reject);
    child.stdout.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
      for (let end = seen.indexOf("\n"); end >= 0; end = seen.indexOf("\n")) {
        const message: { id?: number } = JSON.parse(seen.slice(0, end));
        seen = seen.slice(end + 1);
        if (message.id === 1) {
          say({ method: "notifications/initialized" });
          say({ id: 2, method: "tools/list", params: {} });
        }
        if (message.id === 2) {
          resolve(performance.now() - started);
          child.kill("SIGKILL");
        }
      }
    });
  });
}

function everythingServer(): string {
  const manifest = createRequire(import.meta.url).resolve(
    "@modelcontextprotocol/server-everything/package.json",
  );
  return join(dirname(manifest), "dist", "index.js");
}
