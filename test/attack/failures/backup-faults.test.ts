import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { newAgeKey } from "../../support/backups/age-key.ts";
import { sqlite } from "../../support/database/databases.ts";
import { canMount, mountSmall, unmount } from "../../support/database/full-disk.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { removableFolder, temporaryFolder } from "../../support/files/temporary-folder.ts";
import { innkeep, innkeepPath, innkeepServe } from "../../support/programs/built-program.ts";
import { makeDeployment } from "../../support/service/deployment.ts";
import {
  fillThreads,
  makeOwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

/** A deployment with some megabytes of rows and of files. */
async function makeLarge() {
  const deployment = await makeDeployment(sqlite);
  const service = await deployment.serve();
  const { app } = await makeOwnerWithOneOfEach(service);
  const images = [1_900_000, 1_950_000, 2_000_000].map((size) => dataUrl(png(size)));
  await sendFeedback(service, app.key, { images });
  await fillThreads(service, app.id, Array(400).fill({ message: "x".repeat(5_000) }));
  await service.stop();
  return deployment;
}

let data = "";
let scratch = "";
let backups = "";
let sound = "";

beforeAll(async () => {
  const [deployment, folder] = [await makeLarge(), await removableFolder()];
  data = deployment.data;
  [scratch, backups] = [join(folder.path, "scratch"), join(folder.path, "backups")];
  sound = join(folder.path, "sound.tar");
  await deployment.admin({ command: "backup", file: sound });
  return async () => {
    await deployment.remove();
    await folder.remove();
  };
});

/** The files that may exist only while a backup or a verification runs. */
async function leftovers(): Promise<string[]> {
  const names = await Promise.all([data, scratch].map((folder) => readdir(folder).catch(() => [])));
  return names.flat().filter((name) => /^(backup-|verify-)/.test(name));
}

/** Starts a command, and kills it as soon as `isIn` returns true. Tries again if the command has ended before. */
async function killWhile(argv: readonly string[], isIn: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const child = spawn(process.execPath, [innkeepPath, ...argv], {
      ...{ env: { PATH: process.env.PATH }, stdio: "ignore" },
    });
    const ended = new Promise((resolve) => child.on("exit", resolve));
    while (child.exitCode === null && !(await isIn())) await sleep(1);
    child.kill("SIGKILL");
    await ended;
    if (await isIn()) return;
    await rm(argv[2] ?? "", { force: true });
  }
}

describe("a killed process", () => {
  it("leaves a temporary folder of a verification, which the next verification deletes", async () => {
    const verify = ["admin", "backup", "--verify", sound, "--scratch", scratch];
    await killWhile(verify, async () => (await leftovers()).length > 0);
    expect(await leftovers()).toHaveLength(1);
    expect((await innkeep(verify)).code).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it("leaves no file with the name of a backup, and the next backup deletes the rest", async () => {
    const { recipient } = await newAgeKey();
    const folder = await temporaryFolder();
    const file = join(folder, "killed.tar.age");
    const backUp = ["admin", "backup", file, "--data", data, "--prove", "--recipient", recipient];
    await killWhile(backUp, async () => (await leftovers()).some((name) => name.startsWith("verify-")));
    expect(existsSync(file)).toBe(false);
    expect(await innkeep(backUp)).toMatchObject({ code: 0 });
    expect(await readdir(folder)).toEqual(["killed.tar.age"]);
    expect(await leftovers()).toEqual([]);
  });
});

/** Runs a command whose files may not grow beyond this size. */
function within(bytes: number, argv: readonly string[]) {
  const command = ["prlimit", [`--fsize=${bytes}:`, process.execPath, innkeepPath, ...argv]] as const;
  const child = spawn(...command, { env: { PATH: process.env.PATH }, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  return new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, stderr })),
  );
}

/** A small separate file system; undefined if this user may not mount one on this machine. */
async function smallDisk(): Promise<string | undefined> {
  if (!(await canMount())) return undefined;
  const { path, remove } = await removableFolder();
  await mountSmall(path, 2 * 1_048_576);
  onTestFinished(async () => {
    await unmount(path);
    await remove();
  });
  return path;
}

describe("a full disk", () => {
  const largestFile = 6_500_000;

  it("with the backup is named in the error, and no file is left", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "full.tar");
    const { code, stderr } = await within(largestFile, ["admin", "backup", file, "--data", data]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/full\.tar cannot be written: EFBIG.*needs free space/),
    });
    expect(await readdir(folder)).toEqual([]);
    expect(await leftovers()).toEqual([]);

    const small = await smallDisk();
    if (small === undefined) return;
    const full = await innkeep(["admin", "backup", join(small, "full.tar"), "--data", data]);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/ENOSPC.*needs free space/) });
    expect(await readdir(small)).toEqual([]);
  });

  it("with the restored data is named in the error, and a second restore can use the place", async () => {
    const folder = join(await temporaryFolder(), "new");
    const restore = ["admin", "restore", sound, "--data", folder];
    for (const bytes of [1_000_000, 2_500_000]) {
      const { code, stderr } = await within(bytes, restore);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringMatching(/new cannot be written: .*A restore needs free space/),
      });
    }
    expect(await innkeep(restore)).toMatchObject({ code: 0 });
  });

  it("with the copy of the database is named in the error, and no file is left", async () => {
    const folder = await temporaryFolder();
    const { code, stderr } = await within(1_000_000, [
      "admin",
      "backup",
      join(folder, "full.tar"),
      "--data",
      data,
    ]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/cannot be written: .*needs free space/),
    });
    expect(await readdir(folder)).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  it("with the temporary folder is not a fault of the backup, and no file is left", async () => {
    const { code, stderr } = await within(1_000_000, [
      "admin",
      "backup",
      "--verify",
      sound,
      "--scratch",
      scratch,
    ]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/The scratch folder cannot be written/),
    });
    expect(await leftovers()).toEqual([]);

    const small = await smallDisk();
    if (small === undefined) return;
    const full = await innkeep(["admin", "backup", "--verify", sound, "--scratch", small]);
    expect(full).toMatchObject({ code: 2, stderr: expect.stringMatching(/has \d+ MiB of free space/) });
    expect((await readdir(small)).filter((name) => name.startsWith("verify-"))).toEqual([]);
  });
});

describe("a server with nightly backups", () => {
  const headers = { authorization: "Bearer figures" };
  const figure = async (baseUrl: string, name: string): Promise<number> => {
    const text = await (await fetch(`${baseUrl}/metrics`, { headers })).text();
    return Number(new RegExp(`^innkeep_backup_drill_${name} (\\S+)$`, "m").exec(text)?.[1]);
  };
  const settings = { INNKEEP_BACKUP_DRILL: "daily", INNKEEP_METRICS_TOKEN: "figures" };

  it("creates an encrypted backup at its start, which only the operator can read", async () => {
    const { recipient, identity } = await newAgeKey();
    const place = ["--demo", "--port", "0", "--data", join(await temporaryFolder(), "data")];
    const env = { ...settings, INNKEEP_BACKUP_DIR: backups, INNKEEP_BACKUP_RECIPIENT: recipient };
    const { ready, logged } = await innkeepServe(place, env);
    await expect.poll(() => figure(ready.baseUrl, "success_timestamp_seconds")).toBeGreaterThan(0);
    expect(await figure(ready.baseUrl, "failed")).toBe(0);
    await expect.poll(logged).toContain("the nightly backup was created and verified");
    const [name = ""] = await readdir(backups);
    expect(await figure(ready.baseUrl, "size_bytes")).toBe((await stat(join(backups, name))).size);
    const verify = ["admin", "backup", "--verify", join(backups, name)];
    expect(await innkeep(verify)).toMatchObject({ code: 2, stderr: expect.stringMatching(/is encrypted/) });
    expect(await innkeep([...verify, "--identity", identity])).toMatchObject({ code: 0 });
    expect((await readFile(join(backups, name))).includes("manifest")).toBe(false);
  });

  it("continues to run if it cannot write the folder, and logs this", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "file");
    await writeFile(file, "");
    const place = ["--demo", "--port", "0", "--data", join(folder, "data")];
    const { ready, logged } = await innkeepServe(place, { ...settings, INNKEEP_BACKUP_DIR: file });
    await expect.poll(() => figure(ready.baseUrl, "failed")).toBe(1);
    expect(logged()).toContain("the nightly backup failed");
    expect((await fetch(`${ready.baseUrl}/readyz`)).status).toBe(200);
    const env = { ...settings, INNKEEP_BACKUP_DIR: file, INNKEEP_DATA: join(folder, "data") };
    const { stdout } = await innkeep(["doctor", "--base-url", ready.baseUrl], { env });
    expect(stdout).toMatch(/backups: The last nightly backup failed/);
    await rm(file);
  });

  it("does not start with an invalid public key", async () => {
    const env = { ...settings, INNKEEP_BACKUP_DIR: backups, INNKEEP_BACKUP_RECIPIENT: "age1none" };
    const place = ["--port", "0", "--data", join(await temporaryFolder(), "data")];
    const ended = await innkeep(["serve", ...place], { env });
    expect(ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/INNKEEP_BACKUP_RECIPIENT: A public key/),
    });
  });
});
