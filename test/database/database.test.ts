import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database, Transaction } from "../../server/database/database.ts";
import { isConflict } from "../../server/database/errors.ts";
import { databases, type TestDatabase } from "../support/database/databases.ts";

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

  it("commits the writes of a transaction, and returns its result", async () => {
    const changed = await database.write(async (tx) => {
      await put(tx, 1);
      return tx.run("UPDATE notes SET text = ? WHERE id = ?", "it's ?", 1);
    });
    expect(changed).toBe(1);
    expect(await database.get("SELECT id, text FROM notes")).toEqual({ id: 1, text: "it's ?" });
  });

  it("rolls back a transaction that throws, and keeps the other transactions of the same commit", async () => {
    const writes = [1, 2, 3, 4, 5].map((id) =>
      database.write(async (tx) => {
        await put(tx, id);
        if (id === 3) throw new Error("no three");
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect(await ids()).toEqual([1, 2, 4, 5]);
  });

  it("fails a transaction with a failed statement even if the transaction catches the error", async () => {
    await database.insert("notes", { id: 1, text: "first" });
    const write = database.write(async (tx) => {
      await put(tx, 2);
      await put(tx, 1).catch(() => {});
    });
    await expect(write).rejects.toSatisfy(isConflict);
    expect(await ids()).toEqual([1]);
  });

  it("allows a transaction to replace the error of a failed statement", async () => {
    await database.insert("notes", { id: 1, text: "first" });
    const write = database.write((tx) =>
      put(tx, 1).catch(() => {
        throw new Error("taken");
      }),
    );
    await expect(write).rejects.toThrow("taken");
  });

  it("waits for a statement that a transaction did not await", async () => {
    await database.write(async (tx) => {
      void put(tx, 1);
      void put(tx, 2);
    });
    expect(await ids()).toEqual([1, 2]);
  });

  it.each(["returned", "thrown"])(
    "refuses a statement of a transaction after its function has %s",
    async (how) => {
      let kept: Transaction | undefined;
      const write = database.write(async (tx) => {
        kept = tx;
        if (how === "thrown") throw new Error("thrown");
      });
      await write.catch(() => {});
      await expect(kept?.run("DELETE FROM notes")).rejects.toThrow(/has ended/);
      expect(() => kept?.signal("late")).toThrow(/has ended/);
    },
  );

  it("never mixes the statements of two transactions", async () => {
    await database.insert("notes", { id: 1, text: "0" });
    const raise = () =>
      database.write(async (tx) => {
        await tx.lock("raise");
        const row = await tx.get<{ text: string }>("SELECT text FROM notes WHERE id = 1");
        await tx.run("UPDATE notes SET text = ? WHERE id = 1", String(Number(row?.text) + 1));
      });
    await Promise.all(Array.from({ length: 50 }, raise));
    expect(await database.get("SELECT text FROM notes")).toEqual({ text: "50" });
  });

  it("stores every inserted row, with any columns and values", async () => {
    const texts = ["plain", "NULL", "quo'te", 'dou"ble', "\u{1F37A} ünïcode", "back\\slash \\u0000", "1", ""];
    await Promise.all(texts.map((text, id) => database.insert("notes", { id, text })));
    await database.insert("notes", { text: "other order", id: 99 });
    const rows = await database.all<{ text: string }>("SELECT text FROM notes ORDER BY id");
    expect(rows.map(({ text }) => text)).toEqual([...texts, "other order"]);
  });

  it("refuses only the faulty insert of many inserts", async () => {
    await database.insert("notes", { id: 7, text: "first" });
    const inserts = Array.from({ length: 20 }, (_, id) => database.insert("notes", { id, text: "new" }));
    const outcomes = await Promise.allSettled(inserts);
    const refused = outcomes.flatMap((outcome, id) =>
      outcome.status === "rejected" ? [[id, outcome.reason]] : [],
    );
    expect(refused).toEqual([[7, expect.toSatisfy(isConflict)]]);
    expect(await ids()).toHaveLength(20);
  });

  it("refuses only the faulty one of transactions and inserts that wait together", async () => {
    const both = [
      database.write((tx) => put(tx, 1)),
      database.insert("notes", { id: 2, text: "new" }),
      database.insert("notes", { id: 2, text: "again" }),
      database.write((tx) => put(tx, 3)),
    ];
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
    expect(await ids()).toEqual([1, 2, 3]);
  });

  it("always reads writes that were acknowledged", async () => {
    for (let id = 0; id < 100; id++) {
      await database.insert("notes", { id, text: "new" });
      const [row] = await Promise.all([
        database.get<{ n: number }>("SELECT count(*) AS n FROM notes"),
        database.all("SELECT * FROM notes"),
      ]);
      expect(row?.n).toBe(id + 1);
    }
  });

  it("distinguishes a broken statement from a conflict", async () => {
    const failure = await database.get("SELECT nothing FROM notes").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expect(isConflict(failure)).toBe(false);
  });

  it("continues after the same broken statement fails twice", async () => {
    for (const _ of [1, 2])
      await expect(database.get("SELECT nothing FROM notes")).rejects.toThrow(/nothing/);
  });

  it("returns the number of rows that a statement changed, even with RETURNING", async () => {
    await Promise.all([1, 2, 3].map((id) => database.insert("notes", { id, text: "new" })));
    const changed = await database.write((tx) =>
      tx.run("UPDATE notes SET text = 'x' WHERE id > 1 RETURNING id"),
    );
    expect(changed).toBe(2);
  });

  it("can be read during a transaction, and does not show the uncommitted writes", async () => {
    const gate = new EventEmitter();
    const write = database.write(async (tx) => {
      await put(tx, 1);
      gate.emit("wrote");
      await once(gate, "go on");
    });
    await once(gate, "wrote");
    expect(await ids()).toEqual([]);
    gate.emit("go on");
    await write;
    expect(await ids()).toEqual([1]);
  });

  it("returns the same types with every engine", async () => {
    await Promise.all([1, 2].map((id) => database.insert("notes", { id, text: "new" })));
    const row = await database.get(
      "SELECT count(*) AS n, sum(id) AS total, avg(id) AS mean, max(text) AS t, min(id) < 0 AS flag, NULL AS none FROM notes",
    );
    expect(row).toEqual({ n: 2, total: 3, mean: 1.5, t: "new", flag: 0, none: null });
  });

  it("completes pending calls when it is closed, and accepts no new calls", async () => {
    const other = await place.open({ migrations: [notes] });
    const insert = other.insert("notes", { id: 1, text: "last" });
    const write = other.write((tx) => put(tx, 2));
    await Promise.all([other.close(), other.close(), insert, write]);
    await expect(other.write((tx) => put(tx, 3))).rejects.toThrow("closed");
    await expect(other.all("SELECT 1 AS one")).rejects.toThrow("closed");
    expect(await ids()).toEqual([1, 2]);
  });

  it("accepts writes of several servers at the same time", async () => {
    const servers = [
      database,
      await place.open({ migrations: [notes] }),
      await place.open({ migrations: [notes] }),
    ];
    const all = Array.from({ length: 150 }, (_, id) => id);
    await Promise.all(all.map((id) => servers[id % 3]?.write((tx) => put(tx, id))));
    expect(await ids()).toEqual(all);
  });
});
