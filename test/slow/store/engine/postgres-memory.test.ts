import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import type { Database } from "../../../../server/store/engine/database.ts";
import { openDatabase } from "../../../../server/store/engine/open.ts";
import { postgres, type TestDatabase } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { stoppableProxy } from "../../../support/network/stoppable-proxy.ts";

const listeners = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()";

const isOn = (database: Database) => eventually(() => expect(database.memoryPeriod()).toBeDefined());
const isOff = (database: Database) => eventually(() => expect(database.memoryPeriod()).toBeUndefined());

describe("what a server on PostgreSQL may remember", () => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await postgres.createEmpty();
  });
  afterEach(() => place.remove());

  /** The database through a proxy that can stop. */
  async function openThroughProxy() {
    const url = new URL("url" in place.address ? place.address.url : "");
    const proxy = await stoppableProxy(Number(new URL(inject("postgresUrl")).port));
    url.host = `127.0.0.1:${proxy.port}`;
    const database = await openDatabase({ url: String(url) }, { patienceMs: 5_000 });
    return { proxy, database };
  }

  it("is nothing at first, and something soon after somebody has asked", async () => {
    const database = await place.open();
    expect(database.memoryPeriod()).toBeUndefined();
    await isOn(database);
  });

  it("ends with the listening connection, and a new period begins on a new one", async () => {
    const [one, other] = [await place.open(), await place.open()];
    await isOn(one);
    const before = one.memoryPeriod();
    await other.all(`SELECT pg_terminate_backend(pid) ${listeners}`);
    await eventually(() => {
      expect(one.memoryPeriod()).toBeDefined();
      expect(one.memoryPeriod()).not.toBe(before);
    });
  });

  it("ends when the database is not reached any more although no connection breaks", async () => {
    const { proxy, database } = await openThroughProxy();
    try {
      await isOn(database);
      const before = database.memoryPeriod();
      proxy.stop();
      await isOff(database);
      proxy.resume();
      await isOn(database);
      expect(database.memoryPeriod()).not.toBe(before);
    } finally {
      await database.close();
    }
  });

  it("ends at once for a process that did nothing for more than a second", async () => {
    const database = await place.open();
    await isOn(database);
    const until = performance.now() + 1_100;
    while (performance.now() < until);
    expect(database.memoryPeriod()).toBeUndefined();
    await isOn(database);
  });
});
