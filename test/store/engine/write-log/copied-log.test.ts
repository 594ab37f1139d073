import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../../server/store/engine/database.ts";
import type { SqliteDriver } from "../../../../server/store/engine/drivers/connection.ts";
import { sqliteDriver } from "../../../../server/store/engine/open.ts";
import { sqlite } from "../../../support/database/databases.ts";
import {
  addRows,
  readingLong,
  runOf,
  spyingCopier,
  sqliteDrivers,
} from "../../../support/database/write-log.ts";

/** A database whose log is copied. `during` happens while the log is written back beside the writer. */
async function copiedLog(name: "sqlite3" | "node-sqlite", during: (database: Database) => Promise<void>) {
  const real = await sqliteDriver(name);
  let calls = 0;
  const driver: SqliteDriver = {
    ...real,
    async openBeside(file) {
      const connection = await real.openBeside(file);
      return {
        ...connection,
        async writeBack() {
          calls++;
          if (isStarted) await during(database);
          return connection.writeBack();
        },
      };
    },
  };
  let isStarted = false;
  const place = await sqlite.createEmpty();
  onTestFinished(place.remove);
  const database = await place.open({ driver });
  const log = database.log;
  if (!log) throw new Error("Only SQLite has a log to copy.");
  const spy = spyingCopier();
  expect(await log.begin(spy.copier)).toMatchObject({ frames: 0 });
  await addRows(database, 20);
  isStarted = true;
  const told = spy.told;
  told.length = 0;
  calls = 0;
  return { database, log, told, taken: spy.taken, calls: () => calls };
}

/** A database with a log that nothing has copied yet, and all that happens when it is copied for the first time. */
async function newLog(name: "sqlite3" | "node-sqlite") {
  const real = await sqliteDriver(name);
  const { copier, told } = spyingCopier();
  const written: number[] = [];
  const driver: SqliteDriver = {
    ...real,
    async openBeside(file) {
      const connection = await real.openBeside(file);
      return {
        ...connection,
        async writeBack() {
          const row = await connection.writeBack();
          told.push("beside");
          written.push(row?.checkpointed ?? 0);
          return row;
        },
      };
    },
  };
  const place = await sqlite.createEmpty();
  onTestFinished(place.remove);
  const database = await place.open({ driver });
  const log = database.log;
  if (!log) throw new Error("Only SQLite has a log to copy.");
  await addRows(database, 20);
  return { database, log, copier, told, written };
}

describe.each(sqliteDrivers)("a log that is copied, with %s", (name) => {
  it("is written back while the writer goes on: only the last frames need its rest", async () => {
    const { database, log, told } = await copiedLog(name, (database) => {
      told.push("beside");
      return told.includes("take") ? Promise.resolve() : addRows(database, 1);
    });
    const run = await runOf(log);
    expect(await log.writeBack()).toBe("whole");
    expect(told).toEqual(["file", "beside", "take", "beside", "rested"]);
    await addRows(database, 1);
    expect(await runOf(log)).not.toBe(run);
  });

  it("is written back while the writer goes on before the first copy, too, and the rest is told", async () => {
    const { database, log, copier, told, written } = await newLog(name);
    const { frames } = await log.mark();
    expect(frames).toBeGreaterThan(20);
    expect(await log.begin(copier)).toMatchObject({ frames: 0 });
    expect(told).toEqual(["beside", "begun", "rested"]);
    expect(written).toEqual([frames]);
    await addRows(database, 1);
    expect((await log.mark()).frames).toBeLessThan(frames);
  });

  it("keeps the writer from no write before the first copy while another transaction reads it", async () => {
    const { database, log, copier, told } = await newLog(name);
    const end = await readingLong(database);
    await addRows(database, 3);
    expect(await log.begin(copier)).toBeUndefined();
    expect(await log.begin(copier)).toBeUndefined();
    expect(told).toEqual(["beside", "beside"]);
    await end();
    expect(await log.begin(copier)).toMatchObject({ frames: 0 });
    expect(told.slice(2)).toEqual(["beside", "begun", "rested"]);
  });

  it("does not begin again before the copier has taken its end, however often it is written back", async () => {
    const { database, log, told } = await copiedLog(name, async () => {});
    const run = await runOf(log);
    for (let round = 0; round < 3; round++) {
      await log.writeMost();
      await log.writeMost();
      await addRows(database, 2);
      expect(await runOf(log)).toBe(run);
    }
    expect(told).not.toContain("take");
    const { frames } = await log.mark();
    expect(frames).toBeGreaterThan(26);
  });

  it("begins again even if a writer never stops", async () => {
    const { database, log, calls, taken } = await copiedLog(name, (database) =>
      taken.length > 0 ? Promise.resolve() : addRows(database, 60),
    );
    const run = await runOf(log);
    await addRows(database, 60);
    expect(await log.writeBack()).toBe("whole");
    expect(calls()).toBeLessThan(20);
    await addRows(database, 1);
    expect(await runOf(log)).not.toBe(run);
  });

  it("keeps the writer from no write while another transaction reads it", async () => {
    const { database, log, told } = await copiedLog(name, async () => {});
    const run = await runOf(log);
    const end = await readingLong(database);
    await addRows(database, 3);
    expect(await log.writeBack()).toBe("partly");
    expect(told).toEqual(["file"]);
    await end();
    expect(await log.writeBack()).toBe("whole");
    await addRows(database, 1);
    expect(await runOf(log)).not.toBe(run);
  });

  it.each(["beside the writer", "in its rest"])("is kept if it cannot be written back %s", async (when) => {
    let isBroken = true;
    const { database, log, told } = await copiedLog(name, async () => {
      if (isBroken && told.includes("take") === (when === "in its rest"))
        throw new Error("no space left on device");
    });
    const run = await runOf(log);
    await expect(log.writeBack()).rejects.toThrow("no space left");
    await addRows(database, 2);
    // After the copier has taken the end of the log, it may begin again.
    if (when === "beside the writer") expect(await runOf(log)).toBe(run);
    isBroken = false;
    expect(await log.writeBack()).toBe("whole");
    expect(told.filter((each) => !["file", "take", "rested"].includes(each))).toEqual([]);
  });
});
