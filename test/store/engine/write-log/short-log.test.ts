import { describe, expect, it, onTestFinished } from "vitest";
import { sqlite } from "../../../support/database/databases.ts";
import { addRows, readingLong, saltOf, sqliteDrivers } from "../../../support/database/write-log.ts";

describe.each(sqliteDrivers)("the log of SQLite, with %s", (driver) => {
  async function longLog(isCopied = false) {
    const place = await sqlite.createEmpty();
    onTestFinished(place.remove);
    const database = await place.open({ driver, isCopied });
    const log = database.log ?? expect.fail("Only SQLite has a log.");
    expect(await log.keepShort()).toBe(isCopied ? "left" : "short");
    // More than SQLite keeps by itself, in one commit.
    const value = "x".repeat(17 * 1_048_576);
    await database.write((tx) => tx.insert("deployment", { name: "long", value }));
    const file = "file" in place.address ? place.address.file : expect.fail("It is a file.");
    return { database, log, salt: () => saltOf(file) };
  }

  it("is written back when it is long, and then begins again", async () => {
    const { database, log, salt } = await longLog();
    const before = await salt();
    expect(await log.bytes()).toBeGreaterThan(16 * 1_048_576);
    expect(await log.keepShort()).toBe("written");
    expect(await log.keepShort()).toBe("short");
    await addRows(database, 1);
    expect(await salt()).not.toBe(before);
  });

  it("stays as it is while another transaction reads it, and writes go on", async () => {
    const { database, log, salt } = await longLog();
    const end = await readingLong(database);
    await addRows(database, 1);
    const before = await salt();
    // What the reader does not need is written back.
    expect(await log.keepShort()).toBe("partly");
    expect(await log.keepShort()).toBe("held");
    await addRows(database, 1);
    expect(await salt()).toBe(before);
    await end();
    expect(await log.keepShort()).toBe("written");
  });

  it("is left to the program that copies it", async () => {
    const { database, log, salt } = await longLog(true);
    const before = await salt();
    expect(await log.keepShort()).toBe("left");
    expect(await database.emptyLog()).toBe(true);
    await addRows(database, 200);
    expect(await salt()).toBe(before);
    expect(await log.bytes()).toBeGreaterThan(17 * 1_048_576);
  });
});
