import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeUse } from "../../../../server/domain/limits/use-log.ts";
import { createStoredEntries, type StoredEntries } from "../../../../server/http/limits/stored-entries.ts";
import type { Database } from "../../../../server/store/engine/database.ts";
import { sqlite, type TestDatabase } from "../../../support/database/databases.ts";

const start = 1_763_900_000_000;
const rule = { limit: 2_000, windowSeconds: 60 };

describe("the uses of limits that are kept in memory", () => {
  let place: TestDatabase;
  let database: Database;
  let entries: StoredEntries;
  /** How many keys each transaction has changed. */
  let stored: number[];
  beforeEach(async () => {
    place = await sqlite.create();
    database = await place.open();
    stored = [];
    const write: Database["write"] = (work, pace) =>
      database.write((tx) => {
        const run: typeof tx.run = async (...statement) => {
          const rows = await tx.run(...statement);
          stored.push(rows);
          return rows;
        };
        return work({ ...tx, run });
      }, pace);
    entries = createStoredEntries({ ...database, write }, () => start);
  });
  afterEach(() => place.remove());

  const use = async (key: string, count = 1) => {
    const entry = entries.find(key) ?? (await entries.load(key, database));
    for (let at = 0; at < count; at += 1) takeUse(entry.log, start + at, rule);
    entries.changed(entry);
  };
  const rowOf = (key: string) =>
    database.get<{ times: string }>("SELECT times FROM rate_limits WHERE key = ?", key);

  it("are stored in parts of at most 250 keys, so that nothing else waits for long", async () => {
    for (let at = 0; at < 1_000; at += 1) await use(`key ${at}`);
    await entries.settle("all");
    expect(stored).toEqual([250, 250, 250, 250]);
  });

  it("are stored in parts of few keys if the keys have many uses", async () => {
    for (let at = 0; at < 6; at += 1) await use(`key ${at}`, 2_000);
    await entries.settle("all");
    expect(stored).toEqual([2, 2, 2]);
  });

  it("are stored in the fourth call after the first use, and a key that changes again waits as long again", async () => {
    await use("busy");
    for (const rows of [[], [], [], [1]]) {
      stored = [];
      await entries.settle("what has waited");
      expect(stored).toEqual(rows);
      await use("busy");
    }
    stored = [];
    for (let call = 0; call < 3; call += 1) await entries.settle("what has waited");
    expect(stored).toEqual([]);
    await entries.settle("what has waited");
    expect(stored).toEqual([1]);
  });

  it("grow in the database by what is new", async () => {
    await use("one", 100);
    await entries.settle("all");
    const before = (await rowOf("one"))?.times ?? "";
    await use("one");
    await entries.settle("all");
    const after = (await rowOf("one"))?.times ?? "";
    expect(after.startsWith(before)).toBe(true);
    expect(after.length - before.length).toBeLessThan(15);
  });
});
