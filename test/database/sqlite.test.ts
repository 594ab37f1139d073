import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Transaction } from "../../server/database/database.ts";
import { isConflict, isUnavailable } from "../../server/database/errors.ts";
import { sqliteDriver } from "../../server/database/open.ts";
import { type Connection, isSafeVersion, type SqliteDriver } from "../../server/database/sqlite.ts";
import { sqlite, type TestDatabase } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";

describe("a SQLite file", () => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await sqlite.createEmpty();
  });
  afterEach(() => place.remove());

  /** The usual driver. It passes every connection that it opens to `meet` first. */
  const meeting = async (meet: (connection: Connection) => Connection): Promise<SqliteDriver> => {
    const real = await sqliteDriver();
    return { ...real, open: async (file, how) => meet(await real.open(file, how)) };
  };

  it("is opened with settings that keep a commit after a power failure, and that enforce foreign keys", async () => {
    const opened: Connection[] = [];
    const keeping = await meeting((connection) => {
      opened.push(connection);
      return connection;
    });
    await place.open({ driver: keeping });
    const [writing] = opened;
    const pragma = async (name: string) => Object.values((await writing?.get(`PRAGMA ${name}`, [])) ?? {});
    expect(await pragma("journal_mode")).toEqual(["wal"]);
    expect(await pragma("synchronous")).toEqual([2]);
    expect(await pragma("foreign_keys")).toEqual([1]);
    expect(await pragma("trusted_schema")).toEqual([0]);
  });

  it("is not opened by a SQLite version with the WAL bug, and the error says what to do", async () => {
    const old = await meeting((connection) => ({
      ...connection,
      get: (sql, values) => connection.get(sql.replace("sqlite_version()", "'3.51.2'"), values),
    }));
    await expect(place.open({ driver: old })).rejects.toThrow(/SQLite 3.51.2 is too old.*Update Node.js/);
  });

  it.each([
    ["3.51.2", false],
    ["3.51.3", true],
    ["3.52.0", true],
    ["4.0.0", true],
    ["3.6.30", false],
    ["unknown", false],
  ])("of version %s is free of the WAL bug: %s", (version, sound) => {
    expect(isSafeVersion(version)).toBe(sound);
  });

  it("waits while another process writes, and can be read meanwhile", async () => {
    let begun = 0;
    const driver = await meeting((connection) => ({
      ...connection,
      exec(sql) {
        if (sql === "BEGIN IMMEDIATE") begun += 1;
        return connection.exec(sql);
      },
    }));
    const database = await place.open({ driver });
    const intruder = await (await sqliteDriver()).open(fileOf(place), { readOnly: false });
    await intruder.exec("BEGIN IMMEDIATE");
    begun = 0;
    const insert = database.insert("rate_limits", { key: "a", times: "", stale_hour: 0 });
    const write = database.write((tx) => tx.insert("rate_limits", { key: "b", times: "", stale_hour: 0 }));
    expect(await database.all("SELECT key FROM rate_limits")).toEqual([]);
    await eventually(() => expect(begun).toBeGreaterThan(0));
    await intruder.exec("COMMIT");
    await intruder.close();
    await Promise.all([insert, write]);
    expect(await database.all("SELECT key FROM rate_limits ORDER BY key")).toEqual([
      { key: "a" },
      { key: "b" },
    ]);
  });

  it("that is locked is reported as unavailable, not as a conflict", async () => {
    const driver = await sqliteDriver();
    const file = fileOf(place);
    const [one, other] = [
      await driver.open(file, { readOnly: false }),
      await driver.open(file, { readOnly: false }),
    ];
    await one.exec("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE");
    await other.exec("PRAGMA busy_timeout = 0");
    const failure = await other.exec("BEGIN IMMEDIATE").catch((error: unknown) => error);
    expect([isUnavailable(failure), isConflict(failure)]).toEqual([true, false]);
    await Promise.all([one.close(), other.close()]);
  });

  it("stores texts that wait together in the same way as a single text", async () => {
    const database = await place.open();
    const keys = ["a\0b", "lone \ud800 half", "c\\u0000d \\ud800"];
    await Promise.all(
      keys.map((key) => database.insert("rate_limits", { key, times: "together", stale_hour: 0 })),
    );
    for (const key of keys)
      await database.insert("rate_limits", { key: `${key}!`, times: "alone", stale_hour: 0 });
    const stored = (how: string) =>
      database.all(
        "SELECT hex(rtrim(key, '!')) AS bytes FROM rate_limits WHERE times = ? ORDER BY rowid",
        how,
      );
    expect(await stored("together")).toEqual(await stored("alone"));
  });

  it("gives each transaction its own result if another transaction of the same commit fails", async () => {
    const database = await place.open();
    const take = (key: string) =>
      database.write(async (tx) => {
        const taken = await tx.get("SELECT 1 AS one FROM rate_limits WHERE key = ?", key);
        if (taken) throw new Error("taken");
        await tx.insert("rate_limits", { key, times: "", stale_hour: 0 });
        return "mine";
      });
    const takeAndFail = database.write(async (tx) => {
      await tx.insert("rate_limits", { key: "b", times: "", stale_hour: 0 });
      throw new Error("half-way");
    });
    const outcomes = await Promise.allSettled([take("a"), take("a"), takeAndFail, take("b")]);
    const endings = outcomes.map((end) => (end.status === "fulfilled" ? end.value : end.reason.message));
    expect(endings).toEqual(["mine", "taken", "half-way", "mine"]);
    expect(await database.all("SELECT key FROM rate_limits ORDER BY key")).toEqual([
      { key: "a" },
      { key: "b" },
    ]);
  });

  it("accepts an insert that cannot share a statement with the other waiting inserts", async () => {
    const database = await place.open();
    const keys = ["a", "lone \ud800 half", "c"];
    await Promise.all([
      ...keys.map((key) => database.insert("rate_limits", { key, times: "", stale_hour: 0 })),
      database.write((tx) => tx.insert("rate_limits", { key: "d", times: "", stale_hour: 0 })),
    ]);
    expect(await database.all("SELECT key FROM rate_limits")).toHaveLength(4);
  });

  it("rolls back a table that a transaction created before it threw an error", async () => {
    const database = await place.open();
    const making = [1, 2].map((number) =>
      database.write(async (tx) => {
        await tx.run("DELETE FROM rate_limits WHERE key = 'nobody'");
        await tx.run(`CREATE TABLE half_${number} (id BIGINT)`);
        throw new Error("half-way");
      }),
    );
    await Promise.allSettled([
      ...making,
      database.write(async (tx) => void (await tx.get("SELECT 1 AS one"))),
    ]);
    expect(await database.all("SELECT name FROM sqlite_schema WHERE name LIKE 'half%'")).toEqual([]);
  });

  it("uses savepoints for transactions only after one transaction has failed", async () => {
    const executed: string[] = [];
    const driver = await meeting((connection) => ({
      ...connection,
      exec(sql) {
        executed.push(sql);
        return connection.exec(sql);
      },
    }));
    const database = await place.open({ driver });
    const add = (key: string) =>
      database.write((tx) => tx.insert("rate_limits", { key, times: "", stale_hour: 0 }));
    const savepoints = async (...keys: string[]) => {
      executed.length = 0;
      await Promise.allSettled(keys.map(add));
      return executed.filter((sql) => sql.includes("SAVEPOINT")).length;
    };
    expect(await savepoints("a", "b", "c")).toBe(0);
    expect(await savepoints("a", "d", "e")).toBeGreaterThan(0);
  });

  it("is changed without temporary files, except by long work", async () => {
    const database = await place.open();
    const store = async (tx: Transaction) =>
      (await tx.get<{ temp_store: number }>("PRAGMA temp_store"))?.temp_store;
    const [memory, files] = [2, 1];
    expect(await database.write(store)).toBe(memory);
    const bothLong = [database.write(store, "long"), database.write(store, "long")];
    expect(await Promise.all(bothLong)).toEqual([files, files]);
    await expect(database.write(() => Promise.reject(new Error("no")), "long")).rejects.toThrow("no");
    expect(await database.write(store)).toBe(memory);
  });

  it("can be copied completely while it is in use", async () => {
    const database = await place.open();
    await database.insert("rate_limits", { key: "a", times: "", stale_hour: 0 });
    const copy = `${fileOf(place)}.copy`;
    await database.all("VACUUM INTO ?", copy);
    const copied = await (await sqliteDriver()).open(copy, { readOnly: true });
    expect(await copied.all("SELECT key FROM rate_limits", [])).toEqual([{ key: "a" }]);
    await copied.close();
  });
});

function fileOf({ address }: TestDatabase): string {
  return "file" in address ? address.file : expect.fail("not a file");
}
