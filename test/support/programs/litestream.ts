import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const run = promisify(execFile);
const folder = new URL("../../counterparts/litestream/", import.meta.url).pathname;

/** The program from npm exists for Linux on x64 only. */
export const hasLitestream = process.platform === "linux" && process.arch === "x64";

/** The real program. Installs it at the first use. */
async function program(): Promise<string> {
  const path = join(folder, "node_modules/@flydotio/litestream-linux-x64/litestream");
  if (!existsSync(path)) await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: folder });
  return path;
}

/** Starts Litestream with the settings of a YAML file. It ends with the test. */
export async function startLitestream(config: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(await program(), ["replicate", "-config", config], {
    env: { PATH: process.env.PATH, ...env },
  });
  let logged = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      logged += chunk;
    });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return { kill, logged: () => logged };
}

/** Runs a command of Litestream. Returns what it printed. Rejects if it fails. */
export async function litestream(...argv: string[]): Promise<string> {
  const { stdout } = await run(await program(), argv);
  return stdout;
}

/** Writes settings that copy the database of a data folder into another folder. Returns the path of the file. */
export async function litestreamConfig(place: string, data: string, copies: string): Promise<string> {
  const file = join(place, "litestream.yml");
  const replica = { type: "file", path: copies, "sync-interval": "500ms" };
  // YAML can be written as JSON.
  await writeFile(file, JSON.stringify({ dbs: [{ path: join(data, "innkeep.db"), replicas: [replica] }] }));
  return file;
}
