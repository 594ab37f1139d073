import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { startWords } from "../../bin/start-programs.lazy.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepPath } from "../support/programs/built-program.ts";

const dist = dirname(innkeepPath);
const packages = join(dist, "..", "node_modules");

/** A folder in which npm has installed the package without the optional packages. */
async function install() {
  const folder = await temporaryFolder();
  const home = join(folder, "node_modules", "innkeep");
  await mkdir(home, { recursive: true });
  await cp(dist, join(home, "dist"), { recursive: true });
  await copyFile(join(dist, "..", "package.json"), join(home, "package.json"));
  const script = join(home, "dist", "innkeep.cjs");
  const start = (argv: readonly string[]) =>
    spawn(process.execPath, [script, ...argv], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
    });
  const run = async (argv: readonly string[]) => {
    const child = start(argv);
    const told = child.stderr.toArray();
    const [code] = await once(child, "close");
    return { code, stderr: Buffer.concat(await told).toString() };
  };
  return { folder, script, start, run };
}

/**
 * The result of `--omit=optional`: the package for password hashes exists, but not its native part. `sqlite3` is
 * installed, because Node 20 contains no SQLite.
 */
async function installSlim() {
  const installed = await install();
  const argon2 = join(installed.folder, "node_modules", "@node-rs", "argon2");
  await mkdir(argon2, { recursive: true });
  await writeFile(join(argon2, "index.js"), 'throw new Error("Cannot find native binding. npm has a bug");');
  await symlink(join(packages, "sqlite3"), join(installed.folder, "node_modules", "sqlite3"));
  return installed;
}

const Ready = z.object({
  baseUrl: z.string(),
  demo: z.object({ email: z.string(), password: z.string() }),
});

describe("an installation without the optional packages", () => {
  it("starts, signs in people with their passwords, and logs once that this is slower", async () => {
    const { start } = await installSlim();
    const child = start(["serve", "--demo", "--json", "--port", "0"]);
    const told = child.stderr.toArray();
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines = createInterface(child.stdout);
    const [line] = await once(lines, "line");
    const { baseUrl, demo } = Ready.parse(JSON.parse(line));
    const signIn = async (password: string) => {
      const headers = { "content-type": "application/json", origin: baseUrl };
      const body = JSON.stringify({ email: demo.email, password });
      const address = `${baseUrl}/api/v1/console/session`;
      return (await fetch(address, { method: "POST", headers, body })).status;
    };
    expect(await signIn(demo.password)).toBe(201);
    expect(await signIn(`${demo.password}.`)).toBe(401);
    child.kill("SIGTERM");
    await once(child, "close");
    const log = Buffer.concat(await told).toString();
    expect(
      log.match(
        /Passwords are hashed by .* This is slower\. The reason is that the native part of @node-rs/g,
      ),
    ).toHaveLength(1);
  });

  it("runs the commands of the operator", async () => {
    const { run } = await installSlim();
    expect(await run(["admin", "migrate"])).toMatchObject({ code: 0 });
  });

  it("runs the commands of the client", async () => {
    const { run } = await installSlim();
    expect(await run(["faq", "list"])).toMatchObject({ code: 4 });
    expect(await run(["feedback", "resend", "--list"])).toMatchObject({ code: 0 });
    expect(await run(["auth", "status"])).toMatchObject({ code: 0 });
    expect(await run(["mcp", "--help"])).toMatchObject({ code: 0 });
  });
});

describe("the demo of an installed package", () => {
  it("prints commands that work in its folder", async () => {
    const { folder, start } = await install();
    for (const name of ["@node-rs", "sqlite3"])
      await symlink(join(packages, name), join(folder, "node_modules", name));
    const child = start(["serve", "--demo", "--port", "0"]);
    onTestFinished(async () => {
      child.kill("SIGKILL");
      await once(child, "close");
    });
    let told = "";
    for await (const text of child.stderr.setEncoding("utf8")) {
      told += text;
      if (told.includes("claude mcp add")) break;
    }
    const file = join(await realpath(folder), "node_modules", "innkeep", "dist", "innkeep.cjs");
    expect(told).toContain(`\n  alias innkeep='node ${file}'\n`);
    expect(told).toMatch(/^ {2}innkeep faq list$/m);
    expect(told).toContain(` -- node ${file} mcp\n`);
  });
});

describe("the command line that the demo prints", () => {
  it("begins with innkeep if it is in the PATH", async () => {
    const { folder, script } = await install();
    await mkdir(join(folder, "bin"));
    await symlink(script, join(folder, "bin", "innkeep"));
    const path = `/nowhere:${join(folder, "bin")}`;
    expect(startWords({ script: join(folder, "bin", "innkeep"), path })).toEqual(["innkeep"]);
  });

  it("begins with node and the file if only npm's own PATH has innkeep, because npx would download the name later", async () => {
    const { folder, script } = await install();
    await mkdir(join(folder, "node_modules", ".bin"));
    await symlink(script, join(folder, "node_modules", ".bin", "innkeep"));
    const path = join(folder, "node_modules", ".bin");
    expect(startWords({ script: join(path, "innkeep"), path })).toEqual(["node", await realpath(script)]);
  });

  it("begins with node and the file if the package is not installed", () => {
    expect(startWords({ script: innkeepPath, path: "/nowhere" })).toEqual(["node", innkeepPath]);
  });
});
