import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepPath } from "../support/programs/built-program.ts";

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
};

const ping = { jsonrpc: "2.0", id: 2, method: "ping" };

/** Starts the MCP server with a cache folder, sends `initialize` and perhaps more, and ends it. Gives its first answer. */
async function greet(caches: string, ...more: readonly object[]): Promise<unknown> {
  const env = {
    PATH: process.env.PATH,
    HOME: caches,
    XDG_CACHE_HOME: caches,
    INNKEEP_BASE_URL: "http://127.0.0.1:9",
  };
  const child = spawn(process.execPath, [innkeepPath, "mcp"], { env, stdio: ["pipe", "pipe", "ignore"] });
  const messages = [hello, ...more];
  const lines = createInterface(child.stdout);
  const answers: string[] = [];
  const ended = once(child, "exit");
  lines.on("line", (line) => {
    answers.push(line);
    if (answers.length === messages.length) child.stdin.end();
  });
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  expect(await ended).toEqual([0, null]);
  return JSON.parse(answers[0] ?? "");
}

const greeting = { id: 1, result: { serverInfo: { name: "innkeep" } } };

describe("the compiled code of an earlier start of the MCP server", () => {
  it("is in files that only this user can read, and is reused", async () => {
    const caches = await temporaryFolder();
    const folder = join(caches, "innkeep", "code");
    expect(await greet(caches)).toMatchObject(greeting);
    const names = await readdir(folder);
    expect(names.map((name) => name.split("-", 1)[0]).sort()).toEqual(["cli.cjs", "mcp.cjs"]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const kept = await Promise.all(names.map((name) => stat(join(folder, name))));
    for (const { mode } of kept) expect(mode & 0o777).toBe(0o600);
    expect(await greet(caches)).toMatchObject(greeting);
    const again = await Promise.all(names.map((name) => stat(join(folder, name))));
    expect(again.map(({ mtimeMs }) => mtimeMs)).toEqual(kept.map(({ mtimeMs }) => mtimeMs));
  });

  it("contains the protocol library only after a message that needs it", async () => {
    const caches = await temporaryFolder();
    const names = () => readdir(join(caches, "innkeep", "code"));
    await greet(caches, { jsonrpc: "2.0", id: 2, method: "tools/list" });
    expect((await names()).filter((name) => name.startsWith("mcp-session.cjs"))).toEqual([]);
    await greet(caches, ping);
    expect((await names()).filter((name) => name.startsWith("mcp-session.cjs"))).toHaveLength(1);
  });

  it.each([
    ["has a changed byte", (kept: Buffer) => kept.map((byte, at) => (at === 2_000 ? byte ^ 1 : byte))],
    ["is cut short", (kept: Buffer) => kept.subarray(0, 1_000)],
    ["is empty", () => Buffer.alloc(0)],
  ])("is ignored without an error if it %s", async (_, spoil) => {
    const caches = await temporaryFolder();
    const folder = join(caches, "innkeep", "code");
    await greet(caches, ping);
    for (const name of await readdir(folder)) {
      const file = join(folder, name);
      await writeFile(file, spoil(await readFile(file)));
    }
    expect(await greet(caches, ping)).toMatchObject(greeting);
  });

  it("is not read and not written if others can write to the folder", async () => {
    const caches = await temporaryFolder();
    const folder = join(caches, "innkeep", "code");
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o777);
    expect(await greet(caches)).toMatchObject(greeting);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe("the compiled code of an earlier command", () => {
  it("is kept apart from that of the MCP server, and is reused", async () => {
    const caches = await temporaryFolder();
    const folder = join(caches, "innkeep", "code");
    const list = async () => {
      const env = { PATH: process.env.PATH, HOME: caches, XDG_CACHE_HOME: caches };
      const child = spawn(process.execPath, [innkeepPath, "help", "environment"], { env, stdio: "ignore" });
      expect(await once(child, "exit")).toEqual([0, null]);
      return readdir(folder);
    };
    const [name = "", ...others] = await list();
    expect([name, others]).toEqual([expect.stringMatching(/^cli\.cjs-.*-commands$/), []]);
    const kept = await stat(join(folder, name));
    await greet(caches);
    expect((await list()).filter((file) => file.startsWith("cli.cjs-"))).toHaveLength(2);
    expect((await stat(join(folder, name))).mtimeMs).toBe(kept.mtimeMs);
  });
});
