import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { DemoServer } from "./demo-server.ts";
import { bareEnvironment, innkeep } from "./programs.ts";
import { type Figure, median } from "./table.ts";

const rounds = 21;

/**
 * How long commands take to start, compared with an empty script of Node; and the MCP server compared with a well-known
 * one.
 */
export async function measureStartUp(demo: DemoServer, folder: string): Promise<Figure[]> {
  const variables = {
    INNKEEP_BASE_URL: `http://127.0.0.1:${demo.port}`,
    INNKEEP_API_KEY: demo.apiKey,
    INNKEEP_AGENT_TOKEN: demo.agentToken,
    INNKEEP_CONFIG_DIR: folder,
    INNKEEP_STATE_DIR: folder,
    XDG_CACHE_HOME: folder,
  };
  const nothing = () => run(["-e", "0"], variables);
  const mcp = () => untilTools([innkeep, "mcp"], variables);
  const everything = () => untilTools([everythingServer(), "stdio"], variables);
  const devExec = () => untilPrinted([innkeep, "dev", "exec", "--", "echo", "ready"], variables);
  const comparisons: readonly Comparison[] = [
    {
      ...{ name: "innkeep --version", goal: 1.1, unit: "x node" },
      ...{ ours: () => run([innkeep, "--version"], variables), theirs: nothing },
    },
    {
      ...{ name: "innkeep faq list", goal: 2.2, unit: "x node" },
      ...{ ours: () => run([innkeep, "faq", "list", "--json"], variables), theirs: nothing },
    },
    {
      ...{ name: "innkeep dev exec to its command", goal: 12, unit: "x node" },
      ...{ ours: devExec, theirs: nothing },
    },
    {
      ...{ name: "innkeep mcp to tools/list", goal: 0.3, unit: "x everything" },
      ...{ ours: mcp, theirs: everything },
    },
  ];
  // The first start of a user stores the compiled code for all later starts.
  await untilTools([innkeep, "mcp"], variables, endGently);
  await run([innkeep, "dev", "exec", "--", "sleep", "3"], variables);
  const pairs = comparisons.map((): Pair[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [at, comparison] of comparisons.entries()) pairs[at]?.push(await timePair(comparison, round));
  return [
    ...comparisons.map((comparison, at) => figureOf(comparison, pairs[at] ?? [])),
    await completionFigure(median((pairs[0] ?? []).map(({ theirs }) => theirs))),
  ];
}

interface Comparison extends Pick<Figure, "name" | "unit"> {
  readonly goal: number;
  readonly ours: () => Promise<number>;
  readonly theirs: () => Promise<number>;
}

interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

/** Both sides, one right after the other, because the speed of a shared machine changes every second. */
async function timePair({ ours: startOurs, theirs: startTheirs }: Comparison, round: number): Promise<Pair> {
  if (round % 2 === 0) {
    const ours = await startOurs();
    return { ours, theirs: await startTheirs() };
  }
  const theirs = await startTheirs();
  return { ours: await startOurs(), theirs };
}

/** The median of the ratios: a ratio of medians would compare different seconds. */
function figureOf({ name, unit, goal }: Comparison, pairs: readonly Pair[]): Figure {
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs).sort((a, b) => a - b);
  const [low = 0, high = 0] = [ratios[Math.floor(rounds / 4)], ratios[Math.floor((rounds * 3) / 4)]];
  const times = [pairs.map(({ ours }) => ours), pairs.map(({ theirs }) => theirs)].map(median);
  const detail = `${times.map((time) => time.toFixed(0)).join(" ms of ")} ms; half of ${rounds} pairs ${low.toFixed(2)} to ${high.toFixed(2)}`;
  return { name, value: median(ratios), unit, goal: ["<=", goal], detail };
}

const completions = 50;

/** The time of bash for a word that is in the completion script, compared with the start of Node. */
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

/** The time from the start to the first output. There must be an output. */
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

const endAtOnce = (child: ChildProcess) => void child.kill("SIGKILL");
const endGently = (child: ChildProcess) => void child.stdin?.end();

/**
 * The time from the start to the answer to `tools/list`, with which every client of the older protocol begins. Waits
 * until the process has ended.
 */
function untilTools(
  argv: readonly string[],
  variables: Record<string, string>,
  finish = endAtOnce,
): Promise<number> {
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
    let answered: number | undefined;
    child.on("error", reject);
    child.on("close", () =>
      answered === undefined ? reject(new Error(`${argv.join(" ")} listed no tools`)) : resolve(answered),
    );
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
          answered = performance.now() - started;
          finish(child);
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
