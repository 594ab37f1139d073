import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { freePort } from "../support/network/free-port.ts";

/** A program that is measured. */
export interface Program {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

// Node reads extra certificates at every start, which would improve every ratio to `node -e 0`.
const { NODE_EXTRA_CA_CERTS, ...environment } = process.env;
export const bareEnvironment: NodeJS.ProcessEnv = environment;

export const innkeep = new URL("innkeep.cjs", import.meta.url).pathname;

/** Servers run on the first core and the load on the second, if the system can assign cores. */
const pinned = existsSync("/usr/bin/taskset") ? ["/usr/bin/taskset", "-c", "0"] : [];

/** Starts `innkeep serve` of a build on a free port with the limits off, and waits until it listens. */
export async function startInnkeep(variables: Record<string, string>, build = innkeep): Promise<Program> {
  const port = String(await freePort());
  const argv = [process.execPath, build, "serve", "--json", "--port", port];
  return startProgram(argv, { INNKEEP_RATE_LIMITS: "off", INNKEEP_LOG_LEVEL: "warn", ...variables });
}

/** Starts one of the bare servers in this folder, to measure the cost of the same work without Innkeep. */
export const startBare = (
  name: "bare-koa" | "bare-copy" | "bare-mcp",
  variables: Record<string, string>,
): Promise<Program> =>
  startProgram([process.execPath, new URL(`${name}.js`, import.meta.url).pathname], variables);

/** Runs `innkeep admin …` of a build, and returns its JSON. */
export async function admin(
  argv: readonly string[],
  variables: Record<string, string>,
  { input = "", build = innkeep } = {},
): Promise<Record<string, string>> {
  const running = promisify(execFile)(process.execPath, [build, "admin", ...argv, "--json"], {
    env: { ...bareEnvironment, ...variables },
  });
  running.child.stdin?.end(input);
  return JSON.parse((await running).stdout);
}

async function startProgram(argv: readonly string[], variables: Record<string, string>): Promise<Program> {
  const [command = "", ...rest] = [...pinned, ...argv];
  const child = spawn(command, rest, {
    env: { ...bareEnvironment, ...variables },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await readyPort(child);
  return {
    pid: child.pid ?? 0,
    port,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The port from the line of JSON that every server prints once it listens. */
async function readyPort(child: ChildProcess): Promise<number> {
  if (!child.stdout) throw new Error("The program has no standard output.");
  for await (const line of createInterface(child.stdout)) {
    const { baseUrl } = JSON.parse(line);
    return Number(new URL(baseUrl).port);
  }
  throw new Error("The program ended before it listened.");
}
