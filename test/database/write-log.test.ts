import { describe, expect, it, onTestFinished, vi } from "vitest";
import { longLog } from "../../server/database/sqlite.ts";
import { startWatchingLog } from "../../server/jobs/database-care.ts";
import { createLog } from "../../server/log.ts";
import { sqlite } from "../support/database/databases.ts";
import { addRows, readingLong, saltOf, sqliteDrivers } from "../support/database/write-log.ts";

const mebibyte = 1_048_576;

describe.each(sqliteDrivers)("the write-ahead log of SQLite with %s", (driver) => {
  /** Opens a database whose log is longer than 16 MiB after one commit. */
  async function openWithLongLog({ isCopied = false } = {}) {
    const place = await sqlite.createEmpty();
    onTestFinished(place.remove);
    const database = await place.open({ driver, isCopied });
    const { logBytes = expect.fail("Only SQLite has a log.") } = database;
    const end = await readingLong(database);
    const value = "x".repeat(17 * mebibyte);
    await database.write((tx) => tx.insert("deployment", { name: "long", value }));
    await end();
    const file = "file" in place.address ? place.address.file : expect.fail("It is a file.");
    return { database, logBytes, salt: () => saltOf(file) };
  }

  it("is written to the database by the next commit when it is longer than 16 MiB, and then starts again", async () => {
    const { database, logBytes, salt } = await openWithLongLog();
    const before = await salt();
    expect(await logBytes()).toBeGreaterThan(16 * mebibyte);
    await addRows(database, 2);
    expect(await salt()).not.toBe(before);
  });

  it("is emptied unless another transaction reads it", async () => {
    const { database, logBytes } = await openWithLongLog();
    const end = await readingLong(database);
    await addRows(database, 1);
    expect(await database.emptyLog()).toBe(false);
    await end();
    expect(await database.emptyLog()).toBe(true);
    expect(await logBytes()).toBe(0);
  });

  it("is not emptied if another program copies it", async () => {
    const { database, logBytes, salt } = await openWithLongLog({ isCopied: true });
    const before = await salt();
    expect(await database.emptyLog()).toBe(true);
    await addRows(database, 200);
    expect(await salt()).toBe(before);
    expect(await logBytes()).toBeGreaterThan(17 * mebibyte);
  });
});

describe("the check of the write-ahead log that Litestream copies", () => {
  async function warningsAfter(minutes: number, { bytes = 65 * mebibyte, litestream = true } = {}) {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const lines: string[] = [];
    const log = createLog("info", { write: (line: string) => lines.push(line) });
    const stop = startWatchingLog({
      database: { logBytes: async () => bytes, onSignal: () => () => {} },
      log,
      settings: { litestream },
    });
    await vi.advanceTimersByTimeAsync(minutes * 60_000);
    await stop();
    await vi.advanceTimersByTimeAsync(60_000);
    return lines.map((line) => JSON.parse(line).msg);
  }

  it("warns each minute while the log is longer than 64 MiB", async () => {
    expect(await warningsAfter(2)).toEqual([longLog, longLog]);
  });

  it.each([
    ["of a log of 64 MiB", { bytes: 64 * mebibyte }],
    ["without Litestream", { litestream: false }],
  ])("does not warn %s", async (_, log) => {
    expect(await warningsAfter(2, log)).toEqual([]);
  });
});
