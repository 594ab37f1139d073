import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { lockName, type NameLock } from "../../../../src/cli/agent/worker.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";

let folder = "";
beforeEach(async () => {
  folder = join(await temporaryFolder(), "worker");
  mkdirSync(folder);
});

let ids = 0;
const world = { platform: process.platform, newId: () => `${ids++}` };
const take = async (place = folder) => lockName(place, world);

async function held(place = folder): Promise<NameLock> {
  const taken = await take(place);
  if (taken === "running" || !("release" in taken)) throw new Error("The name was not free.");
  onTestFinished(() => taken.release());
  return taken;
}

/** Leaves the same files as a killed owner of this socket. */
async function killedOwner(address: string): Promise<void> {
  const script = `require("node:net").createServer().listen(process.argv[1], () => console.log("ready"))`;
  const child = spawn(process.execPath, ["-e", script, address], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  child.kill("SIGKILL");
  await once(child, "exit");
}

describe("the lock of a worker's name (rule L74)", () => {
  it("belongs to one process at a time, even if many start at the same time", async () => {
    const taken = await Promise.all(Array.from({ length: 12 }, () => take()));
    const owners = taken.flatMap((one) => (one !== "running" && "release" in one ? one : []));
    expect(owners).toHaveLength(1);
    expect(taken.filter((one) => one === "running")).toHaveLength(11);
    await owners[0]?.release();
    await (await held()).release();
    expect(existsSync(join(folder, "machine.json"))).toBe(false);
  });

  it.skipIf(process.platform === "win32")(
    "can be taken by one of several processes after its owner was killed",
    async () => {
      await killedOwner(join(folder, "socket"));
      expect(existsSync(join(folder, "socket"))).toBe(true);
      const taken = await Promise.all(Array.from({ length: 12 }, () => take()));
      const owners = taken.flatMap((one) => (one !== "running" && "release" in one ? one : []));
      expect(owners).toHaveLength(1);
      await owners[0]?.release();
    },
  );

  it("works in a folder whose path is too long for a socket", async () => {
    const place = join(folder, "a".repeat(120));
    mkdirSync(place);
    const other = join(folder, "b".repeat(120));
    mkdirSync(other);
    await held(place);
    expect(await take(place)).toBe("running");
    await held(other);
  });

  it("is kept for another machine that shares the folder, and is free after a restart of this machine", async () => {
    const file = join(folder, "machine.json");
    await writeFile(file, JSON.stringify({ machine: "another boot", host: "elsewhere" }));
    expect(await take()).toEqual({ host: "elsewhere", file });
    expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ host: "elsewhere" });
    await writeFile(file, JSON.stringify({ machine: "before the restart", host: hostname() }));
    await held();
  });

  it("works even if machine.json is damaged", async () => {
    await writeFile(join(folder, "machine.json"), "{");
    await held();
  });
});
