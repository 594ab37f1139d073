import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../../server/store/engine/database.ts";
import { isConflict, isDangling } from "../../../../server/store/engine/errors.ts";
import { postgres, type TestDatabase } from "../../../support/database/databases.ts";
import { eventually } from "../../../support/eventually.ts";
import { fc } from "../../../support/property.ts";

const tables = {
  number: 1,
  name: "tables",
  statements: [
    "CREATE TABLE groups (id BIGINT PRIMARY KEY)",
    `CREATE TABLE notes (id BIGINT PRIMARY KEY, text TEXT, amount DOUBLE PRECISION,
       group_id BIGINT REFERENCES groups (id), made_in TEXT NOT NULL DEFAULT CAST(pg_current_xact_id() AS TEXT))`,
  ],
};

describe("rows that are added to PostgreSQL at the same time", () => {
  let place: TestDatabase;
  let database: Database;
  beforeEach(async () => {
    place = await postgres.createEmpty();
    database = await place.open({ migrations: [tables] });
  });
  afterEach(() => place.remove());

  const add = (id: number, more: { text?: string; amount?: number; group_id?: number } = {}) =>
    database.insert("notes", { id, text: `note ${id}`, amount: null, group_id: null, ...more });
  const ids = async () =>
    (await database.all<{ id: number }>("SELECT id FROM notes ORDER BY id")).map(({ id }) => id);

  it("share a commit", async () => {
    await Promise.all(Array.from({ length: 64 }, (_, id) => add(id)));
    const row = await database.get<{ n: number }>("SELECT count(DISTINCT made_in) AS n FROM notes");
    expect(row?.n).toBeLessThanOrEqual(4);
    expect(await ids()).toHaveLength(64);
  });

  it("are stored as they are when each is added alone", async () => {
    const values = [
      { text: "quo'te \" \\ \\u0041", amount: 0.1 },
      { text: "\u{1F37A} lone \ud83c", amount: 1e300 },
      { text: "", amount: -0.5 },
    ];
    const stored = () => database.all("SELECT text, amount, group_id FROM notes ORDER BY id");
    for (const [id, value] of values.entries()) await add(id, value);
    const alone = await stored();
    await database.write((tx) => tx.run("DELETE FROM notes"));
    await Promise.all([add(-1), ...values.map((value, id) => add(id, value))]);
    await database.write((tx) => tx.run("DELETE FROM notes WHERE id = -1"));
    expect(await stored()).toEqual(alone);
  });

  it("do not fail because one of them cannot be stored", async () => {
    const given = [add(1), add(2), add(3, { text: "NUL \0" }), add(4, { group_id: 9 }), add(2), add(5)];
    const outcomes = await Promise.allSettled(given);
    const reasons = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason : undefined));
    expect(reasons[2]).toMatchObject({ code: "22021" });
    expect(reasons[3]).toSatisfy(isDangling);
    const repeated = [reasons[1], reasons[4]].filter((reason) => reason !== undefined);
    expect(repeated).toEqual([expect.toSatisfy(isConflict)]);
    expect(await ids()).toEqual([1, 2, 5]);
  });

  it("do not wait for a transaction for which one of them must wait", async () => {
    const gate = new EventEmitter();
    const write = database.write(async (tx) => {
      await tx.insert("notes", { id: 3 });
      gate.emit("wrote");
      await once(gate, "commit");
    });
    await once(gate, "wrote");
    const waiting: number[] = [];
    const given = [1, 2, 3, 4].map((id) => {
      waiting.push(id);
      return add(id).finally(() => waiting.splice(waiting.indexOf(id), 1));
    });
    const outcomes = Promise.allSettled(given);
    await eventually(() => expect(waiting).toEqual([3]));
    await add(5);
    gate.emit("commit");
    await write;
    expect((await outcomes).map(({ status }) => status === "fulfilled")).toEqual([true, true, false, true]);
    expect(await ids()).toEqual([1, 2, 3, 4, 5]);
  });

  it("leave no limit for locks on their connection", async () => {
    const own = await place.open({ migrations: [tables], poolSize: 1 });
    await Promise.all([1, 2, 3].map((id) => own.insert("notes", { id })));
    expect(await own.get("SHOW lock_timeout")).toEqual({ lock_timeout: "0" });
  });

  it("are acknowledged exactly if they are stored, in any mixture on two servers", async () => {
    const other = await place.open({ migrations: [tables] });
    const row = fc.record({
      id: fc.integer({ min: 0, max: 40 }),
      server: fc.constantFrom(database, other),
      group: fc.constantFrom(null, null, null, 1, 9),
      text: fc.oneof({ weight: 9, arbitrary: fc.string({ unit: "binary" }) }, fc.constant("NUL \0")),
    });
    await database.insert("groups", { id: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 2, maxLength: 60 }), async (rows) => {
        await database.write((tx) => tx.run("DELETE FROM notes"));
        const given = rows.map(({ id, group, text, server }) =>
          server.insert("notes", { id, group_id: group, text }).then(() => ({ id, group_id: group, text })),
        );
        const outcomes = await Promise.allSettled(given);
        const acknowledged = outcomes.flatMap((outcome) =>
          outcome.status === "fulfilled" ? [outcome.value] : [],
        );
        const stored = await database.all("SELECT id, group_id, text FROM notes ORDER BY id");
        expect(stored).toEqual(acknowledged.toSorted((a, b) => a.id - b.id));
        const storable = rows.filter(({ group, text }) => group !== 9 && !text.includes("\0"));
        expect(stored).toHaveLength(new Set(storable.map(({ id }) => id)).size);
      }),
      { numRuns: 20 },
    );
  });
});
