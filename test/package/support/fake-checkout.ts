import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

type Target = "programs" | "package" | "tools";

const settings = ["package.json", "package-lock.json", "tsconfig.json", "node_modules/.package-lock.json"];
export const sources = ["bin/a.ts", "mcp/a.ts", "server/deep/a.ts", "src/a.ts", ...settings];
export const sourcesOfTools = ["test/support/a.ts", "test/bench/a.ts", "test/pictures/a.ts"];

/** The files that each target of the checkout creates. */
export const outputs = {
  programs: ["dist/cli.cjs", "dist/server.cjs"],
  package: ["action/main.cjs", "dist/index.js", "dist/types/index.d.ts"],
  tools: ["dist/bench.js"],
};

/**
 * A build that writes src/a.ts into each of its files, and counts how often it ran. With WAIT it reads its sources,
 * prints a line, and writes when its input ends. With FAIL it writes one file and fails.
 */
const builder = (target: Target) => `
  import { once } from "node:events";
  import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
  import { dirname } from "node:path";
  export async function buildInto(folder, before) {
    const content = readFileSync("src/a.ts", "utf8");
    appendFileSync("runs-${target}", "+");
    if (process.env.WAIT && !process.stdin.readableEnded) {
      process.stdout.write("waiting");
      await once(process.stdin.resume(), "end");
    }
    for (const file of ${JSON.stringify(outputs[target])}) {
      mkdirSync(folder + "/" + dirname(file), { recursive: true });
      writeFileSync(folder + "/" + file, content);
      if (process.env.FAIL) throw new Error("It failed.");
    }
    writeFileSync(folder + "/dist/of-${target}-" + content.length, "");
    return { ${target}: [content], ...before };
  }`;

/** A checkout with builds that do nothing else. */
export async function newCheckout() {
  const folder = await temporaryFolder();
  const at = (file: string) => join(folder, file);
  const write = async (file: string, content = "") => {
    await mkdir(dirname(at(file)), { recursive: true });
    await writeFile(at(file), content);
  };
  const targets: readonly Target[] = ["programs", "package", "tools"];
  for (const file of [...sources, ...sourcesOfTools, "tsconfig.types.json"]) await write(file);
  for (const target of targets) {
    await write(`runs-${target}`);
    await write(`build/${target}.mjs`, builder(target));
  }
  await cp("build/if-changed.mjs", at("build/if-changed.mjs"));

  const start = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawn(process.execPath, ["build/if-changed.mjs", ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", ...env },
    });
  const runsOf = async (target: Target) => (await readFile(at(`runs-${target}`), "utf8")).length;
  /** Builds a target. Returns how often it has been built. */
  const builds = async (target: Target = "programs", ...options: readonly string[]) => {
    expect(await ended(start([target, ...options]))).toEqual({ code: 0, stderr: "" });
    return runsOf(target);
  };
  const text = (file: string) => readFile(at(file), "utf8");
  return { at, write, start, builds, runsOf, text, names: () => namesIn(folder) };
}

export async function ended(child: ChildProcess) {
  const stderr = child.stderr?.toArray();
  const [code] = await once(child, "close");
  return { code, stderr: Buffer.concat((await stderr) ?? []).toString() };
}

/** The built files of a checkout, and other files that a build has left. */
async function namesIn(folder: string) {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => /^(dist|action|\.)/.test(name) && !name.startsWith("dist/built-"))
    .sort();
}

/** The files that a target creates from a source of this size. */
export const allOf = (target: Target, size: number) =>
  [...outputs[target], `dist/of-${target}-${size}`].sort();
