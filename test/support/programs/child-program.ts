import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..", "..", "..");

export interface ChildProgram {
  /** Starts a process of it. The arguments are in its environment, as text. */
  start(environment: Readonly<Record<string, string>>): Child;
  remove(): Promise<void>;
}

export interface Child {
  /** The lines it has printed so far. */
  readonly lines: readonly string[];
  /** Resolves when it has printed this number of lines. Rejects if it ends before. */
  printed(count: number): Promise<void>;
  /** Resolves when it has ended by itself. */
  ended(): Promise<void>;
  /** Kills it, and waits until all its output was read. */
  kill(): Promise<void>;
}

/** A program of this repository, given as a TypeScript file, that tests run in separate processes. */
export async function childProgram(file: string): Promise<ChildProgram> {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-child-"));
  const outfile = join(folder, "program.cjs");
  // A late import does not use the variable NODE_PATH.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    packages: "external",
    logLevel: "warning",
  });
  return {
    start: (environment) => watch(spawnProgram(outfile, environment)),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function spawnProgram(file: string, environment: Readonly<Record<string, string>>) {
  const env = { PATH: process.env.PATH, ...environment };
  return spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "inherit"] });
}

function watch(child: ChildProcessByStdio<null, Readable, null>): Child {
  const lines: string[] = [];
  const closed = once(child, "close");
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  return {
    lines,
    async printed(count) {
      while (lines.length < count) {
        const ended = await Promise.race([
          once(child.stdout, "data").then(() => false),
          closed.then(() => true),
        ]);
        if (ended && lines.length < count) throw new Error(`It ended after ${lines.length} lines.`);
      }
    },
    async ended() {
      await closed;
    },
    async kill() {
      child.kill("SIGKILL");
      await closed;
    },
  };
}
