import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Database } from "../../server/database/database.ts";
import { databases, sharedDatabases, sqlite, type TestDatabase } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";

const heardBy = (database: Database) => {
  const topics: string[] = [];
  const stop = database.onSignal((topic) => topics.push(topic));
  return { topics, stop };
};
const signal = (database: Database, ...topics: string[]) =>
  database.write(async (tx) => {
    for (const topic of topics) tx.signal(topic);
  });

describe.each(databases)("a signal on $name", ({ createEmpty }) => {
  let place: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    place = await createEmpty();
    database = await place.open();
  });
  afterEach(() => place.remove());

  it("is received by this process before the write returns, once for each topic", async () => {
    const { topics } = heardBy(database);
    await signal(database, "faqs 1", "faqs 1", "runs 2");
    expect(topics).toEqual(["faqs 1", "runs 2"]);
  });

  it("is not received when its transaction fails", async () => {
    const { topics } = heardBy(database);
    const failing = database.write(async (tx) => {
      tx.signal("never");
      throw new Error("undone");
    });
    await expect(failing).rejects.toThrow("undone");
    await signal(database, "then");
    expect(topics).toEqual(["then"]);
  });

  it("is not received by a listener that was removed", async () => {
    const { topics, stop } = heardBy(database);
    stop();
    await signal(database, "unheard");
    expect(topics).toEqual([]);
  });
});

describe.each(sharedDatabases)("a signal on PostgreSQL", (postgres) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await postgres.createEmpty();
  });
  afterEach(() => place.remove());

  it("is received by other servers, and only once by its own server", async () => {
    const [one, other] = [await place.open(), await place.open()];
    const [own, foreign] = [heardBy(one), heardBy(other)];
    await signal(one, "runs 1", "it's ünïcode");
    await signal(other, "back");
    await eventually(() =>
      expect(foreign.topics).toEqual(expect.arrayContaining(["runs 1", "it's ünïcode", "back"])),
    );
    await eventually(() => expect(own.topics).toEqual(["runs 1", "it's ünïcode", "back"]));
  });

  it('is "*" after the loss of the listening connection, and topics are then received again', async () => {
    const [one, other] = [await place.open(), await place.open()];
    const { topics } = heardBy(other);
    await one.all(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()",
    );
    await eventually(() => expect(topics).toEqual(["*"]));
    await signal(one, "again");
    await eventually(() => expect(topics).toEqual(["*", "again"]));
  });
});

describe("a change by another process on SQLite", () => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await sqlite.createEmpty();
  });
  afterEach(() => place.remove());

  const count = (database: Database) => {
    const heard = vi.fn();
    database.onForeignChange(heard);
    return { heard };
  };
  const change = (database: Database) =>
    database.write((tx) =>
      tx.insert("rate_limits", { key: String(Math.random()), times: "", stale_hour: 0 }),
    );

  it("is noticed, and a change by the same process is not reported as one", async () => {
    const [one, other] = [await place.open(), await place.open()];
    const [ours, theirs] = [count(one), count(other)];
    for (let times = 1; times <= 5; times++) {
      await change(other);
      await eventually(() => expect(ours.heard).toHaveBeenCalledTimes(times));
    }
    expect(theirs.heard).not.toHaveBeenCalled();
  });

  it("is noticed even if it came before the first listener", async () => {
    const [one, other] = [await place.open(), await place.open()];
    await change(other);
    const { heard } = count(one);
    await eventually(() => expect(heard).toHaveBeenCalledTimes(1));
  });
});
