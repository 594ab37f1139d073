import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import type { MemoryGroup } from "./memory-group.ts";

/** The built program, as users run it. */
export const innkeepPath = new URL("../../../dist/innkeep.cjs", import.meta.url).pathname;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Run {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs `innkeep …` to its end, as a CI job would: without a terminal, with only the given environment. */
export async function innkeep(argv: readonly string[], { env = {}, input = "" }: Run = {}): Promise<Ended> {
  const child = start(argv, env);
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    stdout += chunk;
  });
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdin?.end(input);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stdout, stderr };
}

/** Starts `innkeep serve --json …`. Returns its first line as soon as it listens. It ends with the test. */
export async function innkeepServe(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { kill, ...serving } = await startInnkeep(argv, env);
  onTestFinished(kill);
  return serving;
}

/** The same for `innkeep dev`. */
export async function innkeepDev(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { kill, ...rest } = await serving(start(["dev", "--json", ...argv], env));
  onTestFinished(kill);
  return rest;
}

/** The same for a test that ends it with `kill`. */
export async function startInnkeep(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return serving(start(["serve", "--json", ...argv], env));
}

/** The same for a server that may open at most `descriptors` descriptors. It ends with the test. */
export async function innkeepServeWithin(
  descriptors: number,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const program = [process.execPath, innkeepPath, "serve", "--json", ...argv];
  const shell = ["-c", `ulimit -n ${descriptors}; exec "$@"`, "sh", ...program];
  const { kill, ...rest } = await serving(spawn("sh", shell, { env: { PATH: process.env.PATH, ...env } }));
  onTestFinished(kill);
  return rest;
}

/** The same for a server with a memory limit. It ends with the test. */
export async function innkeepServeInGroup(
  { members }: MemoryGroup,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const program = [process.execPath, innkeepPath, "serve", "--json", ...argv];
  const shell = ["-c", `echo $$ > ${members}; exec "$@"`, "sh", ...program];
  const { kill, ...rest } = await serving(spawn("sh", shell, { env: { PATH: process.env.PATH, ...env } }));
  onTestFinished(kill);
  return rest;
}

async function serving(child: ChildProcess) {
  let logged = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    logged += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  const line = await firstLine(child);
  if (line === undefined) {
    await ended;
    throw new Error(`The program ended before it listened: ${logged}`);
  }
  return { ready: JSON.parse(line), child, ended, logged: () => logged, kill };
}

const start = (argv: readonly string[], env: Readonly<Record<string, string>>): ChildProcess =>
  spawn(process.execPath, [innkeepPath, ...argv], { env: { PATH: process.env.PATH, ...env } });

/** Undefined if the program ends without a line. */
async function firstLine({ stdout }: ChildProcess): Promise<string | undefined> {
  if (!stdout) throw new Error("The program has no standard output.");
  for await (const line of createInterface(stdout)) return line;
  return undefined;
}
