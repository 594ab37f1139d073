import { mkdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";

describe("two commands at the same time", () => {
  const many = Array.from({ length: 12 }, (_, at) => `p${at}`);

  it("that set profiles keep both changes", async () => {
    const line = await createCommandLine();
    const set = (name: string) => line.run(["config", "set", "app", name, "--profile", name]);
    const ran = await Promise.all(many.map(set));
    expect(ran.map(({ exit }) => exit)).toEqual(many.map(() => 0));
    const { items } = Object((await line.run(["config", "list", "--json"])).json());
    expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([...many].sort());
  });

  it("that store keys keep both keys", async () => {
    const line = await createCommandLine();
    const origins = many.map((_, at) => `http://127.0.0.1:${9_000 + at}`);
    await Promise.all(
      origins.map((origin) =>
        line.run(["auth", "set", "api-key", "--no-check", "--insecure-storage", "--base-url", origin], {
          stdin: `sdk_${"k".repeat(36)}`,
        }),
      ),
    );
    const text = await readFile(join(line.cwd, "..", ".config", "innkeep", "credentials.json"), "utf8");
    expect(Object.keys(JSON.parse(text)).sort()).toEqual([...origins].sort());
  });

  it("wait only some seconds for the lock of a killed command", async () => {
    const line = await createCommandLine();
    const folder = join(line.cwd, "..", ".config", "innkeep");
    await mkdir(folder, { recursive: true });
    const lock = join(folder, "innkeep.lock");
    await writeFile(lock, "");
    const past = new Date(Date.now() - 60_000);
    await utimes(lock, past, past);
    expect(await line.run(["config", "set", "app", "a"])).toMatchObject({ exit: 0 });
  });
});
