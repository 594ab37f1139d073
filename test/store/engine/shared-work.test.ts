import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database, Transaction } from "../../../server/store/engine/database.ts";
import { sharedWork } from "../../../server/store/engine/shared-work.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";

const notes = {
  number: 1,
  name: "notes",
  statements: ["CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT NOT NULL)"],
};

describe.each(databases)("a database on $name", ({ createEmpty }) => {
  let place: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    place = await createEmpty();
    database = await place.open({ migrations: [notes] });
  });
  afterAll(() => place.remove());
  beforeEach(async () => {
    await database.write((tx) => tx.run("DELETE FROM notes"));
  });

  const ids = async () =>
    (await database.all<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);
  const put = (tx: Transaction, id: number) => tx.insert("notes", { id, text: `note ${id}` });

  it("does a shared work for all who wait, and gives each caller its own outcome", async () => {
    const odd = sharedWork<number, string>(async (tx, given) => {
      for (const id of given) if (id % 2 === 1) await put(tx, id);
      return given.map((id) =>
        id % 2 === 1 ? { value: `put ${id}` } : { error: new Error(`${id} is even`) },
      );
    });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((id) => database.share(odd, id)));
    expect(outcomes).toEqual([
      { status: "fulfilled", value: "put 1" },
      { status: "rejected", reason: new Error("2 is even") },
      { status: "fulfilled", value: "put 3" },
      { status: "rejected", reason: new Error("4 is even") },
    ]);
    expect(await ids()).toEqual([1, 3]);
  });

  it("does a shared work for each caller alone if it fails for all, and keeps what succeeds", async () => {
    const all = sharedWork<number, number>(async (tx, given) => {
      for (const id of given) await put(tx, id);
      if (given.includes(3)) throw new Error("no three");
      return given.map((id) => ({ value: id }));
    });
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((id) => database.share(all, id)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    expect(await ids()).toEqual([1, 2, 4]);
  });

  it("signals the topics of a shared work before its callers go on", async () => {
    const heard: string[] = [];
    const stop = database.onSignal((topic) => heard.push(topic));
    const telling = sharedWork<string, number>(async (tx, given) => {
      for (const topic of given) tx.signal(topic);
      return given.map(() => ({ value: heard.length }));
    });
    await Promise.all(["one", "two"].map((topic) => database.share(telling, topic)));
    expect(heard).toEqual(expect.arrayContaining(["one", "two"]));
    stop();
  });
});
