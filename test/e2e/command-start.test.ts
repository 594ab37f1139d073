import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { transform } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";
import { databases } from "../support/database/databases.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { listen } from "../support/network/recording-server.ts";
import { innkeep, innkeepPath, innkeepServe } from "../support/programs/built-program.ts";

/** The program in a process whose streams and signals the test controls. */
const start = (argv: readonly string[], env: Record<string, string> = {}, node: readonly string[] = []) =>
  spawn(process.execPath, [...node, innkeepPath, ...argv], { env: { PATH: process.env.PATH, ...env } });

describe("the installed command", () => {
  it.each(["--version", "-V"])("%s prints the version of the package", async (flag) => {
    const { version } = JSON.parse(await readFile(new URL("../../package.json", import.meta.url), "utf8"));
    expect(await innkeep([flag])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  it.each([["-v"], ["-V", "-v"]])("also prints the version with %s", async (...argv) => {
    expect((await innkeep(argv)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([[["--version", "--json"]], [["--json", "-v"]]])(
    "prints the version with %j as one object",
    async (argv) => {
      expect(JSON.parse((await innkeep(argv)).stdout)).toEqual({ version: expect.stringMatching(/^\d+\./) });
    },
  );

  it.each(["18.20.4", "20.18.3"])("refuses Node %s in one sentence", async (version) => {
    const pretend = join(await temporaryFolder(), "pretend.cjs");
    await writeFile(pretend, `Object.defineProperty(process.versions, "node", { value: "${version}" });`);
    const child = start(["faq", "list"], {}, ["--require", pretend]);
    const told = child.stderr.toArray();
    const [code] = await once(child, "close");
    expect(code).toBe(1);
    expect(Buffer.concat(await told).toString()).toBe(
      `innkeep needs Node 20.19 or newer; this is Node ${version}.\n`,
    );
  });

  it("refuses with code that an old version of Node can run", async () => {
    const source = await readFile(innkeepPath, "utf8");
    const [old, now] = await Promise.all(["es2015", "esnext"].map((target) => transform(source, { target })));
    expect(old?.code).toBe(now?.code);
  });

  it("says in one line that standard output is not writable, and ends with exit code 1", async () => {
    const child = spawn(process.execPath, [innkeepPath, "help", "environment"], {
      env: { PATH: process.env.PATH },
      stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
    });
    const told = child.stderr?.toArray() ?? [];
    expect(await once(child, "close")).toEqual([1, null]);
    expect(Buffer.concat(await told).toString()).toBe(
      "error: Standard output cannot be written (the disk is full).\n",
    );
  });

  it("continues to run a server if its log is not writable", async () => {
    const child = spawn(
      process.execPath,
      [innkeepPath, "serve", "--json", "--port", "0", "--data", await temporaryFolder()],
      {
        env: { PATH: process.env.PATH, INNKEEP_LOG_LEVEL: "debug" },
        stdio: ["ignore", "pipe", openSync("/dev/full", "w")],
      },
    );
    const closed = once(child, "close");
    const [line] = await once(child.stdout ?? child, "data");
    const { baseUrl } = JSON.parse(String(line));
    for (let n = 0; n < 3; n++) expect((await fetch(`${baseUrl}/api/v1/nothing`)).status).toBe(404);
    child.kill("SIGTERM");
    expect(await closed).toEqual([0, null]);
  });

  it.each(databases)("starts a server on $name without a warning of Node", async ({ create }) => {
    const { address, remove } = await create();
    onTestFinished(remove);
    const place: Record<string, string> = "url" in address ? { INNKEEP_DATABASE_URL: address.url } : {};
    const env = { ...place, INNKEEP_SECRET: "x".repeat(32), NODE_OPTIONS: "--throw-deprecation" };
    const argv = ["--demo", "--port", "0", "--data", await temporaryFolder()];
    const { ready, child, ended } = await innkeepServe(argv, env);
    const read = () => fetch(`${ready.baseUrl}/readyz`);
    const statuses = (await Promise.all(Array.from({ length: 20 }, read))).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  it("ends with exit code 130 after Ctrl-C at a question", async () => {
    const pretend = join(await temporaryFolder(), "terminal.cjs");
    await writeFile(pretend, 'require("node:tty").isatty = () => true;');
    const child = start(["auth", "set", "api-key", "--no-check"], { HOME: await temporaryFolder() }, [
      "--require",
      pretend,
    ]);
    const closed = once(child, "close");
    child.stderr.once("data", () => child.stdin.write("\u0003"));
    const told = child.stderr.toArray();
    expect(await closed).toEqual([130, null]);
    expect(Buffer.concat(await told).toString()).toBe("The app key: \n");
  });

  it("ends with the exit code of its program", async () => {
    expect(await innkeep(["faq", "lsit"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("ends without an error if the reader closes the pipe", async () => {
    const child = start(["help", "environment"]);
    child.stdout.destroy();
    const told = child.stderr.toArray();
    expect(await once(child, "close")).toEqual([0, null]);
    expect(Buffer.concat(await told).toString()).toBe("");
  });

  it.each(["SIGINT", "SIGTERM"] as const)(
    "ends with exit code 130 after %s while it waits for a server",
    async (signal) => {
      const baseUrl = await listen(() => void child.kill(signal));
      const child = start(["faq", "list"], { INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" });
      expect(await once(child, "close")).toEqual([130, null]);
    },
  );

  it("ends after SIGINT while it reads from a pipe that stays open", async () => {
    const child = start(["auth", "set", "api-key", "--no-check"], { HOME: await temporaryFolder() });
    const more = "x".repeat(1_000_000);
    // A pipe accepts this number of bytes only while its other end is read.
    await new Promise((resolve) => child.stdin.write(more, resolve));
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([130, null]);
  });
});
