import { describe, expect, it, onTestFinished } from "vitest";
import { sqlite } from "../../../support/database/databases.ts";
import {
  addRows,
  readingLong,
  runOf,
  spyingCopier,
  sqliteDrivers,
} from "../../../support/database/write-log.ts";

describe.each(sqliteDrivers)("a log that nothing copies, with %s", (name) => {
  async function longLog() {
    const place = await sqlite.createEmpty();
    onTestFinished(place.remove);
    const database = await place.open({ driver: name });
    const log = database.log ?? expect.fail("Only SQLite has a log.");
    expect(await log.keepShort()).toBe("short");
    // More than SQLite keeps by itself, in one commit.
    const value = "x".repeat(17 * 1_048_576);
    await database.write((tx) => tx.insert("deployment", { name: "long", value }));
    return { database, log };
  }

  it("is written back when it is long, and then begins again", async () => {
    const { database, log } = await longLog();
    const { run, frames } = await log.mark();
    expect(frames).toBeGreaterThan(4_000);
    expect(await log.keepShort()).toBe("written");
    expect(await log.keepShort()).toBe("short");
    await addRows(database, 1);
    const after = await log.mark();
    expect(after.run).not.toBe(run);
    expect(after.frames).toBeLessThan(100);
  });

  it("stays as it is while another transaction reads it, and writes go on", async () => {
    const { database, log } = await longLog();
    const end = await readingLong(database);
    await addRows(database, 1);
    const { run } = await log.mark();
    // What the reader does not need is written back.
    expect(await log.keepShort()).toBe("partly");
    expect(await log.keepShort()).toBe("held");
    await addRows(database, 1);
    expect(await runOf(log)).toBe(run);
    await end();
    expect(await log.keepShort()).toBe("written");
  });

  it("is left alone while something copies it", async () => {
    const { database, log } = await longLog();
    const { copier } = spyingCopier();
    await log.hold(copier);
    const { run } = await log.mark();
    expect(await log.keepShort()).toBe("short");
    await addRows(database, 1);
    expect(await runOf(log)).toBe(run);
  });
});
