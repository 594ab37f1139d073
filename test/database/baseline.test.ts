import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Database, Transaction } from "../../server/database/database.ts";
import { isCurrent, type Migration } from "../../server/database/migrate.ts";
import { baseline, migrations } from "../../server/database/migrations.ts";
import { commitBefore, databaseFromBefore } from "../support/before-baseline/before-baseline.ts";
import { catalogOf } from "../support/database/catalog.ts";
import { databases, type TestDatabase } from "../support/database/databases.ts";
import { everyRowOf } from "../support/service/deployment-rows.ts";

const applied = (database: Database) =>
  database.all<{ name: string }>("SELECT number, name FROM migrations ORDER BY number");

const stamped = [{ number: baseline.number, name: "baseline" }];
const advice = `Start once with commit ${commitBefore} of \`main\`, then with this version.`;

describe.each(databases)("a database from the time before the baseline, on $name,", (engine) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await databaseFromBefore(engine);
  });
  afterEach(() => place.remove());

  /** The parts of a database that a test can read while this program does not change its schema. */
  const untouched = () => place.open({ migrations: "none" });

  async function change(work: (tx: Transaction) => Promise<unknown>) {
    const database = await untouched();
    await database.write(work);
    await database.close();
  }

  it("is marked as a database that the baseline created, and keeps every row", async () => {
    const before = await untouched();
    const rows = await everyRowOf(before);
    expect(await isCurrent(before, migrations)).toBe(false);
    const database = await place.open({ migrations: [baseline] });
    expect(await applied(database)).toEqual(stamped);
    expect(rows.length).toBeGreaterThan(200);
    expect(await everyRowOf(database)).toEqual(rows);
    expect(await isCurrent(database, [baseline])).toBe(true);
  });

  it("has the same tables, indexes, triggers and functions as a new database", async () => {
    const fresh = await engine.createEmpty();
    onTestFinished(() => fresh.remove());
    const catalog = await catalogOf(await place.open({ migrations: [baseline] }));
    expect(await catalogOf(await fresh.open({ migrations: [baseline] }))).toEqual(catalog);
    expect(catalog.length).toBeGreaterThan(500);
  });

  it("is marked once if several servers start at the same time", async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => place.open()));
    for (const database of opened) expect(await applied(database)).toEqual(await applied(await untouched()));
    expect(await isCurrent(await untouched(), migrations)).toBe(true);
  });

  it("gets the migrations after the baseline", async () => {
    const next: Migration = {
      number: baseline.number + 100,
      name: "next",
      statements: ["CREATE TABLE next (id TEXT)"],
    };
    const database = await place.open({ migrations: [baseline, next] });
    expect(await applied(database)).toEqual([...stamped, { number: next.number, name: "next" }]);
    expect(await database.all("SELECT * FROM next")).toEqual([]);
    await expect(place.open()).rejects.toThrow(/A newer Innkeep .* "next" .* Update Innkeep/);
  });

  it("stays unchanged if a later migration fails, and can start afterwards", async () => {
    const before = await applied(await untouched());
    const broken: Migration = { number: baseline.number + 1, name: "broken", statements: ["NONSENSE"] };
    await expect(place.open({ migrations: [baseline, broken] })).rejects.toThrow(/NONSENSE/);
    expect(await applied(await untouched())).toEqual(before);
    expect(await applied(await place.open({ migrations: [baseline] }))).toEqual(stamped);
  });

  it("is refused, and stays unchanged, if migrations are missing", async () => {
    await change((tx) => tx.run("DELETE FROM migrations WHERE number > 90"));
    const before = await applied(await untouched());
    await expect(place.open()).rejects.toThrow(
      `it has 56 migrations up to 90 "free-slots", but this version needs all 67 migrations up to 116. ${advice}`,
    );
    expect(await applied(await untouched())).toEqual(before);
  });

  it.each(["name", "checksum"])("is refused if the %s of a migration differs", async (column) => {
    await change((tx) => tx.run(`UPDATE migrations SET ${column} = 'another' WHERE number = 90`));
    await expect(place.open()).rejects.toThrow(
      `its migrations are not the 67 migrations that this version can continue. ${advice}`,
    );
  });

  it("is refused as too new if it has an unknown migration", async () => {
    await place.open();
    await change((tx) =>
      tx.insert("migrations", { number: 999, name: "later", checksum: "", applied_at: "2027" }),
    );
    await expect(place.open()).rejects.toThrow(/A newer Innkeep .* 999 "later" .* Update Innkeep/);
  });
});
