import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../server/database/database.ts";
import type { Migration } from "../../server/database/migrate.ts";
import { migrations } from "../../server/database/migrations.ts";
import { databases, type TestDatabase } from "../support/database/databases.ts";

const first: Migration = {
  number: 1,
  name: "first",
  statements: ["CREATE TABLE one (id BIGINT PRIMARY KEY)"],
};
const second: Migration = {
  number: 2,
  name: "second",
  statements: {
    sqlite: ["CREATE TABLE two (id INTEGER PRIMARY KEY)", "INSERT INTO two (id) VALUES (1)"],
    postgres: ["CREATE TABLE two (id BIGINT PRIMARY KEY)", "INSERT INTO two (id) VALUES (1)"],
  },
};

describe.each(databases)("the migrations on $name", ({ createEmpty }) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await createEmpty();
  });
  afterEach(() => place.remove());

  const names = async (database: Database) =>
    (await database.all<{ name: string }>("SELECT name FROM migrations ORDER BY number")).map(
      ({ name }) => name,
    );

  it("of this release can be applied to an empty database, and are then stored as applied", async () => {
    await place.open();
    const database = await place.open();
    expect(await names(database)).toEqual(migrations.map(({ name }) => name));
  });

  it("run once if several servers start at the same time", async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => place.open({ migrations: [first, second] })));
    for (const database of opened) expect(await names(database)).toEqual(["first", "second"]);
    expect(await opened[0]?.all("SELECT id FROM two")).toHaveLength(1);
  });

  it("that are new are applied to a database that has the older migrations", async () => {
    await place.open({ migrations: [first] });
    const database = await place.open({ migrations: [first, second] });
    expect(await names(database)).toEqual(["first", "second"]);
  });

  it("run before a migration with a smaller number if they say so", async () => {
    const needed: Migration = { number: 3, name: "needed", statements: ["CREATE TABLE two (id BIGINT)"] };
    const using: Migration = { number: 2, name: "using", statements: ["INSERT INTO two (id) VALUES (7)"] };
    await expect(place.open({ migrations: [first, using, needed] })).rejects.toThrow(/two/);
    const database = await place.open({ migrations: [first, using, { ...needed, runsBefore: 2 }] });
    expect(await names(database)).toEqual(["first", "using", "needed"]);
    expect(await database.all("SELECT id FROM two")).toHaveLength(1);
  });

  it("delete the old search index before the threads get numbers", () => {
    const search = migrations.find(({ name }) => name === "search whole threads");
    expect(migrations.find(({ number }) => number === search?.runsBefore)?.name).toBe("numbers of threads");
  });

  it("leave no change if one of them fails", async () => {
    const broken: Migration = {
      number: 2,
      name: "broken",
      statements: ["CREATE TABLE three (id BIGINT)", "NONSENSE"],
    };
    await expect(place.open({ migrations: [first, broken] })).rejects.toThrow(/NONSENSE/);
    const database = await place.open({ migrations: [first, second] });
    await expect(database.all("SELECT * FROM three")).rejects.toThrow(/three/);
  });

  it("prevent the start if the database is newer", async () => {
    await place.open({ migrations: [first, second] });
    await expect(place.open({ migrations: [first] })).rejects.toThrow(
      /A newer Innkeep .* "second" .* Update Innkeep/,
    );
  });

  it("prevent the start if one of them was changed", async () => {
    await place.open({ migrations: [first] });
    const changed = { ...first, statements: ["CREATE TABLE other (id BIGINT)"] };
    await expect(place.open({ migrations: [changed] })).rejects.toThrow(
      /Migration 1 "first" differs from the migration/,
    );
  });

  it("refuse a text with several statements, of which SQLite would run only the first", async () => {
    const careless = { ...first, statements: ["CREATE TABLE a (id BIGINT); CREATE TABLE b (id BIGINT)"] };
    await expect(place.open({ migrations: [careless] })).rejects.toThrow(/several statements/);
  });

  it("can have a semicolon within a string", async () => {
    const quoting = { ...first, statements: ["CREATE TABLE a (text TEXT DEFAULT 'a; b')"] };
    await expect(place.open({ migrations: [quoting] })).resolves.toBeDefined();
  });
});
