import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, vi } from "vitest";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { innkeepPath } from "./built-program.ts";

/** A folder of temporary files in which nothing else runs. */
export async function createDevExec() {
  const tmp = await temporaryFolder();
  const children: ChildProcess[] = [];
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });

  /** Starts `innkeep dev exec …`. */
  const start = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const child = spawn(process.execPath, [innkeepPath, "dev", "exec", ...argv], {
      cwd: tmp,
      env: { PATH: process.env.PATH, TMPDIR: tmp, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    const text = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text.out += more;
    });
    child.stderr.setEncoding("utf8").on("data", (more: string) => {
      text.err += more;
    });
    return { child, text, ended: once(child, "close").then(([code]) => Number(code)) };
  };

  const run = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { text, ended } = start(argv, env);
    return { code: await ended, stdout: text.out, stderr: text.err };
  };

  return {
    tmp,
    start,
    run,
    /** Writes a file. Returns its path. */
    async file(name: string, text: string): Promise<string> {
      await writeFile(join(tmp, name), text);
      return join(tmp, name);
    },
    folders: async () => (await readdir(tmp)).filter((name) => name.startsWith("innkeep-")),
    printed: ({ text }: ReturnType<typeof start>, wanted: RegExp) =>
      vi.waitUntil(() => wanted.exec(text.out), { timeout: 60_000, interval: 20 }),
  };
}

/** Waits until none of these processes is running. */
export async function expectGoneSoon(ids: readonly number[]): Promise<void> {
  await vi.waitFor(() => expect(ids.filter(isAlive)).toEqual([]), { timeout: 60_000, interval: 20 });
}

export function isAlive(id: number): boolean {
  if (!existsSync("/proc/self/stat")) return answersSignals(id);
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "utf8");
    // A zombie process has ended. In a container, no process may have read its exit code.
    return stat[stat.lastIndexOf(")") + 2] !== "Z";
  } catch {
    return false;
  }
}

function answersSignals(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
