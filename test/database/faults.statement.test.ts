import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database, Transaction } from "../../server/database/database.ts";
import { isUnavailable } from "../../server/database/errors.ts";
import { databases, sqlite, type TestDatabase } from "../support/database/databases.ts";
import { type FailingDriver, failingDriver } from "../support/database/failing-driver.ts";
import { expectNothingLost, expectSoundFile, loadTables } from "../support/database/write-load-tables.ts";

const bothHalves = async (tx: Transaction, id: string) => {
  await tx.insert("left_halves", { id });
  await tx.insert("right_halves", { id });
};

describe.each([0, 1, 2])("a SQLite file on which statement N and %i statements after it fail", (more) => {
  let place: TestDatabase;
  let disk: FailingDriver;
  let database: Database;

  beforeAll(async () => {
    place = await sqlite.createEmpty();
    disk = await failingDriver();
    database = await place.open({ driver: disk.driver, migrations: [loadTables] });
  });
  afterAll(() => place.remove());

  /** Runs transactions and inserts in one commit, one of them faulty. Returns the ids of the confirmed ones. */
  const batch = async (round: number): Promise<string[]> => {
    const done: string[] = [];
    const ask = (name: string, write: (id: string) => Promise<void>) =>
      write(`${round} ${name}`).then(() => done.push(`${round} ${name}`));
    await Promise.allSettled([
      ask("a", (id) => database.write((tx) => bothHalves(tx, id))),
      ask("b", (id) => database.insert("singles", { id })),
      ask("c", (id) => database.insert("singles", { id })),
      ask("c", (id) => database.insert("singles", { id })),
      ask("d", (id) => database.write((tx) => bothHalves(tx, id))),
    ]);
    return done;
  };

  it("keeps acknowledged writes and no partial writes for every N, and then continues", async () => {
    const acknowledged: string[] = [];
    let round = 0;
    let hit = true;
    while (hit) {
      disk.failAt(++round, more);
      acknowledged.push(...(await batch(round)));
      hit = disk.hasFailed();
      disk.failAt(Number.POSITIVE_INFINITY);
      await database.insert("singles", { id: `${round} after` });
      acknowledged.push(`${round} after`);
      await expectNothingLost(database, acknowledged);
    }
    expect(round).toBeGreaterThan(10);
    await expectSoundFile(database);
  });

  it("is reported as unavailable", async () => {
    disk.failAt(1, more);
    const write = database.write((tx) => bothHalves(tx, "refused"));
    await expect(write).rejects.toSatisfy(isUnavailable);
  });
});

describe.each(databases)("a transaction on $name in which statement N fails", ({ createEmpty }) => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await createEmpty();
    database = await place.open({ migrations: [loadTables] });
  });
  afterAll(() => place.remove());

  it.each([1, 2, 3])("leaves no partial writes (N = %i)", async (nth) => {
    const statements = [
      (tx: Transaction) => tx.insert("left_halves", { id: `${nth}` }),
      (tx: Transaction) => tx.insert("right_halves", { id: `${nth}` }),
    ];
    statements.splice(nth - 1, 0, (tx) => tx.insert("missing_table", { id: `${nth}` }));
    const write = database.write(async (tx) => {
      for (const statement of statements) await statement(tx);
    });
    await expect(write).rejects.toThrow(/missing_table/);
    await expectNothingLost(database, []);
    expect(await database.all("SELECT id FROM left_halves")).toEqual([]);
  });
});
