import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Database, Transaction } from "../../../server/database/database.ts";
import { isUnavailable } from "../../../server/database/errors.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { numberPlaceholders } from "../../../server/database/postgres.lazy.ts";
import { openSettingsDatabase } from "../../../server/start/open-deps.ts";
import { postgres, type TestDatabase } from "../../support/database/databases.ts";

describe("PostgreSQL", () => {
  let place: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    place = await postgres.createEmpty();
    database = await place.open();
  });
  afterEach(() => place.remove());

  it("repeats a transaction that it rolled back because of a deadlock", async () => {
    for (const key of ["a", "b"]) await database.insert("rate_limits", { key, times: "", stale_hour: 0 });
    const raise = (tx: Transaction, key: string) =>
      tx.run("UPDATE rate_limits SET stale_hour = stale_hour + 1 WHERE key = ?", key);
    let holding = 0;
    const both = (first: string, second: string) =>
      database.write(async (tx) => {
        await raise(tx, first);
        holding++;
        while (holding < 2) await tx.get("SELECT pg_sleep(0.01)");
        await raise(tx, second);
      });
    await Promise.all([both("a", "b"), both("b", "a")]);
    // On a slow machine PostgreSQL may roll both back.
    expect(holding).toBeGreaterThanOrEqual(3);
    expect(await database.all("SELECT stale_hour FROM rate_limits")).toEqual([
      { stale_hour: 2 },
      { stale_hour: 2 },
    ]);
  });

  it("allows one transaction at a time to lock a name", async () => {
    let inside = 0;
    const enter = (name: string) =>
      database.write(async (tx) => {
        await tx.lock(name);
        expect(++inside).toBe(1);
        await tx.get("SELECT pg_sleep(0.002)");
        inside--;
      });
    await Promise.all(Array.from({ length: 10 }, () => enter("slot 1")));
  });

  it("uses as many connections at the same time as the settings allow", async () => {
    const { address } = place;
    const databaseUrl = "url" in address ? address.url : undefined;
    const own = await openSettingsDatabase({ databaseUrl, databasePool: 2, data: "", litestream: false });
    const pids = new Set<number>();
    const ask = () =>
      own.write(async (tx) => {
        const row = await tx.get<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        if (row) pids.add(row.pid);
        // The first one waits until another one has a separate connection.
        while (pids.size < 2) await tx.get("SELECT pg_sleep(0.01)");
      });
    await Promise.all(Array.from({ length: 6 }, ask));
    expect(pids.size).toBe(2);
    await own.close();
  });

  it("answers the server with one process, and compiles no query", async () => {
    const { address } = place;
    const databaseUrl = "url" in address ? address.url : undefined;
    const own = await openSettingsDatabase({ databaseUrl, databasePool: 1, data: "", litestream: false });
    const settings = `SELECT current_setting('max_parallel_workers_per_gather') AS workers, current_setting('jit') AS jit`;
    expect(await own.get(settings)).toEqual({ workers: "0", jit: "off" });
    await own.close();
  });

  it("is unavailable without a free connection", async () => {
    const guest = `guest_${randomUUID().replaceAll("-", "")}`;
    await database.write((tx) => tx.run(`CREATE ROLE ${guest} LOGIN PASSWORD 'guest' CONNECTION LIMIT 0`));
    const url = Object.assign(new URL(inject("postgresUrl")), { username: guest, password: "guest" });
    await expect(openDatabase({ url: url.href })).rejects.toSatisfy(isUnavailable);
    await database.write((tx) => tx.run(`DROP ROLE ${guest}`));
  });
});

describe("a PostgreSQL database that cannot be reached", () => {
  it.each(["127.0.0.1:1/none", "localhost:1/none", "/none?host=/no/such/socket"])(
    "is unavailable (%s)",
    async (address) => {
      await expect(openDatabase({ url: `postgres://${address}` })).rejects.toSatisfy(isUnavailable);
    },
  );
});

describe("the placeholders in SQL for PostgreSQL", () => {
  it.each([
    ["SELECT ? , ?", "SELECT $1 , $2"],
    ["SELECT '?', ?", "SELECT '?', $1"],
    ["SELECT 'it''s ?', ?", "SELECT 'it''s ?', $1"],
    ['SELECT "a?b" FROM t WHERE c = ?', 'SELECT "a?b" FROM t WHERE c = $1'],
    ["SELECT 1 -- why?\n, ?", "SELECT 1 -- why?\n, $1"],
    ["SELECT /* what? */ ?", "SELECT /* what? */ $1"],
  ])("are changed from %j to %j", (sql, numbered) => {
    expect(numberPlaceholders(sql)).toBe(numbered);
  });
});
