import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { giveUseBack, usesOf as logged, takeUse } from "../../../../server/domain/limits/use-log.ts";
import { createStoredEntries, type StoredEntries } from "../../../../server/http/limits/stored-entries.ts";
import type { Database } from "../../../../server/store/engine/database.ts";
import { sqlite, type TestDatabase } from "../../../support/database/databases.ts";
import { fc } from "../../../support/property.ts";
import { rounds } from "../../../support/torture.ts";

const start = 1_763_900_000_000;
const rule = { limit: 2_000, windowSeconds: 3_600 };
const minute = 60_000;

describe("the uses of limits that are kept in memory", () => {
  let place: TestDatabase;
  let database: Database;
  let entries: StoredEntries;
  let now: number;
  /** How many rows each statement has changed. */
  let stored: number[];
  let afterWrite: () => void;
  let fails: "no" | "before the commit" | "after the commit";
  beforeEach(async () => {
    place = await sqlite.create();
    database = await place.open();
    now = start;
    stored = [];
    fails = "no";
    afterWrite = () => {};
    entries = restart();
  });
  afterEach(() => place.remove());

  const write: Database["write"] = async (work, pace) => {
    if (fails === "before the commit") throw new Error("The disk is full.");
    const result = await database.write((tx) => {
      const run: typeof tx.run = async (...statement) => {
        const rows = await tx.run(...statement);
        stored.push(rows);
        return rows;
      };
      return work({ ...tx, run });
    }, pace);
    afterWrite();
    if (fails === "after the commit") throw new Error("The answer of the disk is lost.");
    return result;
  };
  const restart = () => createStoredEntries({ ...database, write }, () => now);
  const entryOf = async (key: string, of = entries) => of.find(key) ?? (await of.load(key, database));

  const use = async (key: string, count = 1, at = now) => {
    const entry = await entryOf(key);
    for (let n = 0; n < count; n += 1) {
      const verdict = takeUse(entry.log, at + n, rule);
      if (verdict.allowed) entries.changed(entry, verdict.at, "counted");
    }
  };
  const takeBack = async (key: string, at: number) => {
    const entry = await entryOf(key);
    if (giveUseBack(entry.log, at)) entries.changed(entry, at, "taken back");
  };
  const usesOf = async (key: string, of = entries) => logged((await entryOf(key, of)).log);
  const countOf = async (table: "rate_limits" | "limit_batches") =>
    (await database.all(`SELECT 1 AS one FROM ${table}`)).length;

  it("are stored as one row, however many keys there are", async () => {
    for (let at = 0; at < 1_000; at += 1) await use(`key ${at}`);
    await entries.settle("what is due");
    expect(stored).toEqual([1]);
    await entries.settle("what is due");
    expect(stored).toEqual([1]);
  });

  it("get into the rows of their keys after a minute, and then the batches are deleted", async () => {
    for (const key of ["one", "two"]) await use(key);
    await entries.settle("what is due");
    now += minute;
    await use("one");
    await entries.settle("what is due");
    expect(await countOf("rate_limits")).toBe(2);
    expect(await countOf("limit_batches")).toBe(1);
    stored = [];
    now += minute;
    await entries.settle("what is due");
    expect(stored).toEqual([]);
  });

  it("are stored in groups of at most 250 keys, one at a time, so that nothing else waits for long", async () => {
    for (let at = 0; at < 600; at += 1) await use(`key ${at}`);
    now += minute;
    for (const rows of [[1, 250], [250], [100, 0], []]) {
      stored = [];
      await entries.settle("what is due");
      expect(stored).toEqual(rows);
    }
  });

  it("are stored in groups of few keys if the keys have many uses", async () => {
    for (let at = 0; at < 6; at += 1) await use(`key ${at}`, 2_000);
    await entries.settle("everything");
    expect(stored).toEqual([1, 2, 2, 2, 0]);
  });

  it("are all in the rows of their keys when the server stops", async () => {
    await use("one", 5);
    await entries.settle("what is due");
    await use("two", 3);
    await entries.settle("everything");
    expect(await countOf("rate_limits")).toBe(2);
    stored = [];
    const next = restart();
    expect(await usesOf("one", next)).toHaveLength(5);
    expect(await usesOf("two", next)).toHaveLength(3);
    await next.settle("everything");
    expect(stored).toEqual([]);
  });

  it("wait in memory while the database fails, and then the rows of the keys are stored in place of too many", async () => {
    await use("first");
    fails = "before the commit";
    await expect(entries.settle("what is due")).rejects.toThrow("The disk is full.");
    for (let key = 0; key < 300; key += 1) await use(`key ${key}`, 2_000);
    fails = "no";
    await entries.settle("what is due");
    // One for the batch that could not be stored. There is no batch of the others.
    expect(await countOf("limit_batches")).toBe(1);
    expect(await countOf("rate_limits")).toBe(301);
    expect(await usesOf("key 299", restart())).toHaveLength(2_000);
  });

  it("leave nothing of a batch in memory once it is stored", async () => {
    const entry = await entryOf("idle");
    await use("idle");
    await entries.settle("what is due");
    expect(Object.values(entry).filter((value) => typeof value === "object")).toEqual([
      entry.storing,
      entry.log,
    ]);
  });

  it("store a key once in each group, however often storing has failed", async () => {
    now += minute;
    for (let time = 0; time < 20; time += 1) {
      await use("busy");
      fails = "before the commit";
      const settling = entries.settle("what is due");
      await use("busy");
      await settling.catch(() => undefined);
    }
    fails = "no";
    stored = [];
    await entries.settle("what is due");
    await entries.settle("what is due");
    expect(stored.filter((rows) => rows > 1)).toEqual([]);
    now += minute;
    stored = [];
    await use("busy");
    await entries.settle("what is due");
    expect(stored.length).toBeLessThanOrEqual(3);
    expect(await countOf("limit_batches")).toBe(1);
  });

  it("are not stored by what was forgotten, also between two groups", async () => {
    for (let key = 0; key < 600; key += 1) await use(`key ${key}`);
    afterWrite = () => {
      if (stored.at(-1) === 250) entries.forget();
    };
    await entries.settle("everything");
    expect(await countOf("rate_limits")).toBe(250);
  });

  it("are not noted by a request that works with what was forgotten", async () => {
    const entry = await entryOf("old");
    await use("old");
    const settling = entries.settle("what is due");
    entries.forget();
    await settling;
    takeUse(entry.log, now, rule);
    entries.changed(entry, now, "counted");
    await entries.settle("everything");
    expect(await countOf("rate_limits")).toBe(0);
  });

  const steps = fc.array(
    fc.record({
      pass: fc.constantFrom(0, 1, 700, minute),
      key: fc.constantFrom("one", "two", "three"),
      uses: fc.integer({ min: 0, max: 4 }),
      back: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
      settle: fc.constantFrom("what is due", "what is due", "everything", "nothing"),
      fails: fc.constantFrom("no", "no", "no", "before the commit", "after the commit"),
      killed: fc.boolean(),
    }),
    { maxLength: 30 },
  );

  it("are after a kill what was stored before, neither more nor less", async () => {
    const keys = ["one", "two", "three"];
    await fc.assert(
      fc.asyncProperty(steps, async (happened) => {
        await database.write(async (tx) => {
          for (const table of ["rate_limits", "limit_batches"]) await tx.run(`DELETE FROM ${table}`);
        });
        now = start;
        entries = restart();
        const allUses = async () => structuredClone(await Promise.all(keys.map((key) => usesOf(key))));
        /** What may be stored: the uses at the last success, and at each failure since. */
        let possible = [await allUses()];
        for (const step of happened) {
          now += step.pass;
          await use(step.key, step.uses);
          const all = await usesOf(step.key);
          if (step.back !== undefined) await takeBack(step.key, all.at(-1 - step.back)?.at ?? 0);
          fails = step.fails;
          if (step.settle !== "nothing") {
            const isStored = await entries.settle(step.settle).then(
              () => true,
              () => false,
            );
            possible = [...(isStored ? [] : possible), await allUses()];
          }
          fails = "no";
          if (!step.killed) continue;
          entries = restart();
          const recovered = await allUses();
          expect(possible).toContainEqual(recovered);
          possible = [recovered];
        }
      }),
      { numRuns: rounds(60, 2_000) },
    );
  });
});
