import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFile, cp, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { browserPath } from "../support/browser/browser.ts";
import { removableFolder, temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepPath } from "../support/programs/built-program.ts";
import { expectGoneSoon } from "../support/programs/dev-exec.ts";

const dist = dirname(innkeepPath);
const root = join(dist, "..");
const runners = ["vitest", "@playwright", "playwright", "playwright-core", "sqlite3", "@node-rs"];

let home = "";

/** A folder with the package as npm installs it, the examples, and the runners. */
beforeAll(async () => {
  const { path, remove } = await removableFolder();
  home = path;
  const own = join(home, "node_modules", "innkeep");
  await mkdir(own, { recursive: true });
  await cp(dist, join(own, "dist"), { recursive: true });
  await copyFile(join(root, "package.json"), join(own, "package.json"));
  const tsc = join(root, "node_modules", ".bin", "tsc");
  await promisify(execFile)(tsc, ["-p", "tsconfig.types.json", "--outDir", join(own, "dist", "types")], {
    cwd: root,
  });
  await copyFile(join(own, "dist", "types", "local", "testing.d.ts"), join(own, "dist", "testing.d.cts"));
  for (const name of runners)
    await symlink(join(root, "node_modules", name), join(home, "node_modules", name));
  await cp(join(root, "examples", "testing"), join(home, "examples"), { recursive: true });
  return remove;
});

/** Runs a program to its end. The servers that it starts have their folders in `tmp`. */
async function run(folder: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const tmp = await temporaryFolder();
  const child = spawn(process.execPath, argv, {
    cwd: join(home, folder),
    env: { PATH: process.env.PATH, HOME: tmp, TMPDIR: tmp, ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [out, err] = [child.stdout.toArray(), child.stderr.toArray()];
  const [code] = await once(child, "close");
  const text = Buffer.concat([...(await out), ...(await err)]).toString();
  const left = (await readdir(tmp)).filter((name) => name.startsWith("innkeep-"));
  return { code, text, left };
}

const bin = (name: string, file: string) => join(root, "node_modules", name, file);

/** The globals that Jest provides to a test file, from Node's test runner: Jest is not installed here. */
const jestGlobals = `
const assert = require("node:assert/strict");
const { after, before, beforeEach, test } = require("node:test");
const expect = (given) => ({
  toBe: (wanted) => assert.equal(given, wanted),
  toEqual: (wanted) => assert.deepEqual(given, wanted),
});
Object.assign(globalThis, { test, expect, beforeAll: before, afterAll: after, beforeEach });`;

describe("the examples of tests with innkeep/testing", () => {
  it("pass with node --test, and leave no folder", async () => {
    expect(await run("examples/node-test", ["--test"])).toMatchObject({
      code: 0,
      text: expect.stringContaining("pass 3"),
      left: [],
    });
  });

  it("pass with Vitest, and leave no folder", async () => {
    const ran = await run("examples/vitest", [bin("vitest", "vitest.mjs"), "run"], { CI: "1" });
    expect(ran).toMatchObject({ code: 0, text: expect.stringMatching(/Tests.*3 passed/), left: [] });
  });

  it("pass with the globals of Jest in a CommonJS file, and leave no folder", async () => {
    await writeFile(join(home, "jest-globals.cjs"), jestGlobals);
    const ran = await run("examples/jest", ["--require", join(home, "jest-globals.cjs"), "app.test.js"]);
    expect(ran).toMatchObject({ code: 0, text: expect.stringContaining("pass 3"), left: [] });
  });

  it("pass with Playwright and two workers at the same time, and leave no folder", async () => {
    const argv = [
      bin("@playwright/test", "cli.js"),
      "test",
      "--workers=2",
      "--reporter=list",
      "--fully-parallel",
    ];
    const ran = await run("examples/playwright", argv, { CHROMIUM: await browserPath() });
    expect(ran).toMatchObject({ code: 0, text: expect.stringContaining("2 passed"), left: [] });
  });
});

describe("the server of innkeep/testing", () => {
  /** Starts a program that prints the folder of its server, whose name contains the server's process id. */
  async function start(script: string) {
    const tmp = await temporaryFolder();
    await writeFile(join(home, "program.mjs"), script);
    const child = spawn(process.execPath, ["program.mjs"], {
      cwd: home,
      env: { PATH: process.env.PATH, TMPDIR: tmp },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = await once(child.stdout, "data");
    const folders = () => readdir(tmp);
    const server = Number(/innkeep-dev-(\d+)-/.exec(String(line))?.[1]);
    expect(server).toBeGreaterThan(1);
    return { child, server, folders };
  }

  const begin =
    'import { startInnkeep } from "innkeep/testing"; const innkeep = await startInnkeep(); console.log(innkeep.env.INNKEEP_STATE_DIR);';

  it("ends within two seconds after its test runner was killed, and leaves no folder", async () => {
    const { child, server, folders } = await start(`${begin} setInterval(() => {}, 1000);`);
    child.kill("SIGKILL");
    await expectGoneSoon([server]);
    expect(await folders()).toEqual([]);
  });

  it("does not keep a program running that does not stop it", async () => {
    const { child, server, folders } = await start(begin);
    expect(child.exitCode ?? (await once(child, "exit"))[0]).toBe(0);
    await expectGoneSoon([server]);
    expect(await folders()).toEqual([]);
  });

  it("ends with the worker thread that has started it", async () => {
    const worker = `${begin} setInterval(() => {}, 1000);`;
    await writeFile(join(home, "worker.mjs"), worker);
    const { child, server } = await start(`
      import { Worker } from "node:worker_threads";
      const worker = new Worker("./worker.mjs");
      process.on("SIGUSR2", () => worker.terminate());
      setInterval(() => {}, 1000);`);
    child.kill("SIGUSR2");
    await expectGoneSoon([server]);
    expect(child.exitCode).toBe(null);
  });

  it("has data, clock and keys that are separate from another server, and keeps its keys after a reset", async () => {
    const { text } = await runScript(`
      import { startInnkeep } from "innkeep/testing";
      const [one, other] = await Promise.all([startInnkeep({ now: "2031-05-06T07:08:09Z" }), startInnkeep()]);
      const faqs = async ({ baseUrl, apiKey }) => {
        const answer = await fetch(baseUrl + "/api/v1/faqs/remote", { headers: { "x-api-key": apiKey } });
        return answer.ok ? (await answer.json()).length : answer.status;
      };
      await one.advance("2h");
      const times = [await one.now(), await other.now()].map((time) => time.getUTCFullYear());
      await one.saveSnapshot("later");
      await one.reset();
      const before = (await one.now()).getUTCFullYear();
      await one.loadSnapshot("later");
      times.push((await one.now()).getUTCFullYear());
      await one.reset();
      const crossed = await faqs({ baseUrl: other.baseUrl, apiKey: one.apiKey });
      console.log(JSON.stringify([times, await faqs(one), crossed, before]));
      await one.stop();
      await other.stop();`);
    const year = new Date().getUTCFullYear();
    expect(JSON.parse(text)).toEqual([[2031, year, 2031], 3, 401, year]);
  });

  it("reports what is wrong with a seed, a duration and a fault", async () => {
    const { text } = await runScript(`
      import { startInnkeep } from "innkeep/testing";
      const fault = (work) => work.then(() => "none", (error) => error.message);
      console.log(await fault(startInnkeep({ seed: { apps: [{ name: "A", faqs: [{ question: "?" }] }] } })));
      const server = await startInnkeep();
      console.log(await fault(server.advance("tomorrow")));
      console.log(await fault(server.addFault({ path: "api" })));
      await server.stop();`);
    expect(text).toContain("apps.0.faqs.0.answer is missing");
    expect(text).toContain("tomorrow is not a length of time such as 1d, -2h30m or P1D.");
    expect(text).toContain("path must be a path that begins with /");
  });

  it("reports every unknown option and setting, and leaves no server after an error", async () => {
    const { text, left } = await runScript(`
      import { startInnkeep } from "innkeep/testing";
      const fault = (work) => work.then(() => "none", (error) => error.message);
      console.log(await fault(startInnkeep({ sed: "a.yaml", settings: { INNKEEP_DATABASE_URL: "x", INNKEEP_BUDGETS: 1 } })));
      console.log(await fault(startInnkeep({ now: "yesterday" })));
      console.log(await fault(startInnkeep({ seed: null })));
      console.log(await fault(startInnkeep(null)));
      console.log(await fault(startInnkeep({ now: new Date("+010000-01-01T00:00:00Z") })));
      const { readdirSync } = await import("node:fs");
      console.log("left", readdirSync(process.env.TMPDIR).filter((name) => name.startsWith("innkeep-")).length);`);
    expect(text).toContain("There is no option sed. The options are seed, now, settings.");
    expect(text).toContain("A server for tests does not accept the setting INNKEEP_DATABASE_URL.");
    expect(text).toContain("The setting INNKEEP_BUDGETS must be a string.");
    expect(text).toContain("yesterday is not an instant such as 2031-03-01T09:00:00Z.");
    expect(text).toContain("`seed` must be an object or the path of a file.".replaceAll("`", "\u0060"));
    expect(text).toContain("The options must be an object.");
    expect(text).toContain("set must be");
    expect(text).toContain("left 0");
    expect(left).toEqual([]);
  });

  const runScript = async (script: string) => {
    await writeFile(join(home, "script.mjs"), script);
    return run(".", ["script.mjs"]);
  };
});

describe("the types of innkeep/testing", () => {
  it("need no types of Node, and no new library of JavaScript", async () => {
    const program = 'import { startInnkeep } from "innkeep/testing"; export const starting = startInnkeep();';
    const folder = join(home, "bare");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "program.mts"), program);
    const options = {
      strict: true,
      noEmit: true,
      module: "nodenext",
      target: "es2022",
      lib: ["es2022"],
      types: [],
    };
    const compilerOptions = { ...options, skipLibCheck: false };
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["program.mts"] }),
    );
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const checking = promisify(execFile)(tsc, ["-p", folder], { cwd: folder });
    await expect(checking).resolves.toMatchObject({ stdout: "" });
  });

  it.each([
    ["mts", 'import { startInnkeep, type Innkeep } from "innkeep/testing";'],
    [
      "cts",
      'import testing = require("innkeep/testing"); const { startInnkeep } = testing; type Innkeep = testing.Innkeep;',
    ],
  ])("can be used by a program in %s", async (ending, first) => {
    const program = `${first}
      export async function use(): Promise<string> {
        const innkeep: Innkeep = await startInnkeep({ seed: { apps: [{ name: "Atlas" }] } });
        const time: Date = await innkeep.advance("1d");
        // @ts-expect-error a fault needs a path
        await innkeep.addFault({ status: 503 });
        return innkeep.apiKey + time.toISOString();
      }`;
    await writeFile(join(home, `program.${ending}`), program);
    const tsc = join(root, "node_modules", ".bin", "tsc");
    const flags = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
    const roots = ["--typeRoots", join(root, "node_modules", "@types")];
    const checking = promisify(execFile)(tsc, [...flags, ...roots, `program.${ending}`], { cwd: home });
    await expect(checking).resolves.toMatchObject({ stdout: "" });
  });
});
