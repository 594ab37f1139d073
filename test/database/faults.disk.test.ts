import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../server/database/database.ts";
import { isUnavailable } from "../../server/database/errors.ts";
import { openDatabase } from "../../server/database/open.ts";
import { type Disk, diskKinds } from "../support/database/full-disk.ts";
import { expectNothingLost, expectSoundFile, loadTables } from "../support/database/write-load-tables.ts";

describe.each(await diskKinds())("a SQLite database on $name", ({ create }) => {
  let disk: Disk;
  let database: Database;
  const acknowledged: string[] = [];

  beforeEach(async () => {
    disk = await create();
    database = await openDatabase(disk, { driver: disk.driver, migrations: [loadTables] });
    acknowledged.length = 0;
  });
  afterEach(async () => {
    await database.close();
    await disk.remove();
  });

  const insert = async (name: string) => {
    const id = name.padEnd(5_000, ".");
    await database.insert("singles", { id });
    acknowledged.push(id);
  };
  const write = async (name: string) => {
    const id = name.padEnd(5_000, ".");
    await database.write(async (tx) => {
      await tx.insert("left_halves", { id });
      await tx.insert("right_halves", { id });
    });
    acknowledged.push(id);
  };

  /** Writes until the disk is full. Returns the errors of the refused writes. */
  const writeUntilFull = async () => {
    for (let round = 0; ; round++) {
      const outcomes = await Promise.allSettled(
        [1, 2, 3].flatMap((n) => [insert(`single ${round} ${n}`), write(`halves ${round} ${n}`)]),
      );
      const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
      if (refused.length > 0) return refused;
    }
  };

  it("refuses writes as unavailable, and loses no acknowledged write", async () => {
    await insert("before");
    await disk.fill();
    for (const refusal of await writeUntilFull()) expect(refusal).toSatisfy(isUnavailable);
    await expectNothingLost(database, acknowledged);
  });

  it("recovers automatically when there is space again", async () => {
    await disk.fill();
    await writeUntilFull();
    await disk.free();
    await insert("after");
    await write("after");
    await expectNothingLost(database, acknowledged);
    await expectSoundFile(database);
  });
});
