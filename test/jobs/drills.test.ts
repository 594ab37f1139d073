import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type MakeBackup, startNightlyBackups } from "../../server/backup/nightly.ts";
import { nightlyRecord } from "../../server/backup/store.ts";
import { createMetrics } from "../../server/http/listener.ts";
import { createLog } from "../../server/log.ts";
import { databases, sqlite, type TestEngine } from "../support/database/databases.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

const hour = 3_600_000;
const made = { bytes: 1_234, rows: 10, files: 2, missing: [] };

/** A deployment at noon, its folder of backups, and servers of it. */
async function makeWorld(engine: TestEngine = sqlite) {
  const created = await engine.create();
  onTestFinished(() => created.remove());
  const database = await created.open();
  onTestFinished(() => database.close());
  const folder = await temporaryFolder();
  let now = Date.parse("2026-11-10T12:00:00Z");
  let logged = "";
  const clock = { now: () => new Date(now), steadyMs: () => now, offsetMs: 0 };
  const deps = {
    ...{ clock, database },
    log: createLog("info", {
      write: (text) => {
        logged += text;
      },
    }),
    time: { isDoubtful: () => false },
    settings: { nightly: { at: 180, folder, kept: 2, recipient: undefined } },
  };
  const files: string[] = [];
  const write: MakeBackup = async (file) => {
    files.push(file);
    await writeFile(file, "a backup");
    return made;
  };
  const serve = (makeBackup: MakeBackup = write) => {
    const backups = startNightlyBackups(deps, makeBackup);
    onTestFinished(backups.stop);
    return backups;
  };
  const settled = async (backups: ReturnType<typeof serve>) =>
    expect.poll(() => backups.last()?.outcome).toMatch(/ok|failed/);
  return {
    ...{ database, folder, files, serve, settled },
    pass(milliseconds: number) {
      now += milliseconds;
    },
    logged: () => logged,
    found: async () => (await readdir(folder)).sort(),
  };
}

describe("nightly backups", () => {
  it("begin when the first server starts, and are then created once a day", async () => {
    const world = await makeWorld();
    const backups = world.serve();
    await world.settled(backups);
    await backups.tick();
    world.pass(14 * hour);
    await backups.tick();
    expect(await world.found()).toEqual(["innkeep-2026-11-10T12-00-00Z.tar"]);
    world.pass(hour);
    await backups.tick();
    expect(world.files).toHaveLength(2);
    expect(world.logged()).toContain("the nightly backup was created and verified");
  });

  it("include the newest ones, and the job removes parts of a killed backup and no other files", async () => {
    const world = await makeWorld();
    const others = ["erasures.ndjson", "innkeep-monday.tar", "other.tar.partial"];
    const left = "innkeep-2026-11-01T03-00-00Z.tar.partial";
    for (const name of [...others, left]) await writeFile(join(world.folder, name), "");
    const backups = world.serve();
    await world.settled(backups);
    for (let day = 0; day < 3; day += 1) {
      world.pass(24 * hour);
      await backups.tick();
    }
    const newest = ["innkeep-2026-11-12T12-00-00Z.tar", "innkeep-2026-11-13T12-00-00Z.tar"];
    expect(await world.found()).toEqual([...others, ...newest].sort());
  });

  it("that fail are logged, do not delete valid backups, and are tried again after an hour", async () => {
    const world = await makeWorld();
    let fails = false;
    const backups = world.serve(async (file) => {
      if (fails) throw new Error("The disk is full.");
      await writeFile(file, "a backup");
      return { ...made, missing: ["a file"] };
    });
    await world.settled(backups);
    fails = true;
    world.pass(24 * hour);
    await backups.tick();
    expect(backups.last()).toMatchObject({
      ...{ outcome: "failed", message: "The disk is full." },
      lastGood: { at: "2026-11-10T12:00:00.000Z", bytes: 1_234, missing: 1 },
    });
    expect(await world.found()).toEqual(["innkeep-2026-11-10T12-00-00Z.tar"]);
    expect(world.logged()).toContain("the nightly backup failed");
    const metrics = createMetrics({ nightly: backups.last });
    expect(await metrics.text()).toMatch(/innkeep_backup_drill_failed 1\n/);
    fails = false;
    world.pass(hour);
    await backups.tick();
    const text = await metrics.text();
    expect(text).toMatch(/innkeep_backup_drill_failed 0\n/);
    expect(text).toContain(
      `innkeep_backup_drill_success_timestamp_seconds ${Date.parse("2026-11-11T13:00:00Z") / 1_000}`,
    );
    expect(text).toMatch(/innkeep_backup_drill_size_bytes 1234\n/);
    expect(text).toMatch(/innkeep_backup_drill_missing_files 1\n/);
  });

  it("that a stop interrupted are created at the next start", async () => {
    const world = await makeWorld();
    const begun: string[] = [];
    const backups = world.serve((file, stopping) => {
      begun.push(file);
      return new Promise((_, reject) => stopping.addEventListener("abort", () => reject(stopping.reason)));
    });
    await expect.poll(() => begun.length).toBe(1);
    await backups.stop();
    expect(await nightlyRecord.find(world.database)).toBeUndefined();
    await world.settled(world.serve());
    expect(world.files).toHaveLength(1);
  });

  it("are created by another server if the first one is killed", async () => {
    const world = await makeWorld();
    await world.database.write((tx) =>
      nightlyRecord.replace(tx, {
        startedAt: "2026-11-10T11:50:00.000Z",
        until: "2026-11-10T12:05:00.000Z",
        outcome: "running",
      }),
    );
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const files: string[] = [];
    const backups = world.serve(async (file) => {
      files.push(file);
      await finished;
      return made;
    });
    await backups.tick();
    expect(files).toEqual([]);
    world.pass(hour / 6);
    const ticked = backups.tick();
    await expect.poll(() => files).toHaveLength(1);
    expect(await nightlyRecord.find(world.database)).toMatchObject({
      unfinished: "2026-11-10T11:50:00.000Z",
    });
    finish();
    await ticked;
    // The job's own first tick may have started the backup. Then `ticked` has not waited for its end.
    await world.settled(backups);
    expect(await nightlyRecord.find(world.database)).not.toHaveProperty("unfinished");
  });
});

describe.each(databases)("several servers on $name", (engine) => {
  it("create one nightly backup", async () => {
    const world = await makeWorld(engine);
    const servers = [world.serve(), world.serve(), world.serve()];
    await Promise.all(servers.map((each) => each.tick()));
    await expect.poll(() => world.files.length).toBe(1);
    await Promise.all(servers.map((each) => each.tick()));
    expect(world.files).toHaveLength(1);
  });
});
