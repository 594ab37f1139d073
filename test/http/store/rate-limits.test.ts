import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import type { RateLimit } from "../../../server/http/rate-limits/store.ts";
import { consume, peek, prune, type RateVerdict } from "../../../server/http/rate-limits/store.ts";
import { databases, sharedDatabases, sqlite, type TestDatabase } from "../../support/database/databases.ts";
import { withStoppedTime } from "../../support/database/stopped-time.ts";
import { fc } from "../../support/property.ts";
import { movableClock } from "../../support/service/movable-clock.ts";
import { rounds } from "../../support/torture.ts";

const rule: RateLimit = { limit: 3, windowSeconds: 60 };

describe.each(databases)("a rate limit on $name", (engine) => {
  let place: TestDatabase;
  let database: Database;
  let clock = movableClock();

  beforeAll(async () => {
    place = await withStoppedTime(engine).create();
    database = await place.open();
  });
  afterAll(() => place.remove());
  beforeEach(async () => {
    clock = movableClock();
    await database.write((tx) => tx.run("DELETE FROM rate_limits"));
  });

  const use = (key: string, by: RateLimit = rule) =>
    database.write((tx) => consume(tx, { key, rule: by, clock }));
  const useUp = async (key: string) => {
    for (let n = 0; n < rule.limit; n++) await use(key);
  };
  const waitOf = (verdict: RateVerdict) => (verdict.allowed ? 0 : verdict.retryAfterSeconds);

  it("allows the given number of uses, and then refuses", async () => {
    const verdicts = [await use("a"), await use("a"), await use("a"), await use("a")];
    expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
  });

  it("applies to each key separately", async () => {
    await useUp("a");
    expect(await use("b")).toEqual({ allowed: true });
  });

  it("allows a use again exactly after the seconds that it returned", async () => {
    await use("a");
    clock.advance(20_000);
    await use("a");
    await use("a");
    clock.advance(10_000);
    expect(waitOf(await use("a"))).toBe(30);
    clock.advance(29_999);
    expect(waitOf(await use("a"))).toBe(1);
    clock.advance(1);
    expect(await use("a")).toEqual({ allowed: true });
    expect(waitOf(await use("a"))).toBe(20);
  });

  it("does not count refusals", async () => {
    await useUp("a");
    for (let n = 0; n < 5; n++) await use("a");
    clock.advance(60_000);
    expect(await use("a")).toEqual({ allowed: true });
  });

  it("does not count a use that was rolled back", async () => {
    await use("a");
    const refused = database.write(async (tx) => {
      await consume(tx, { key: "a", rule, clock });
      throw new Error("refused later");
    });
    await expect(refused).rejects.toThrow("refused later");
    await use("a");
    expect(await use("a")).toEqual({ allowed: true });
  });

  it("can be read without counting a use", async () => {
    expect(await peek(database, { key: "a", rule, clock })).toEqual({ allowed: true });
    await use("a");
    await use("a");
    expect(await peek(database, { key: "a", rule, clock })).toEqual({ allowed: true });
    await use("a");
    const verdict = await peek(database, { key: "a", rule, clock });
    expect(waitOf(verdict)).toBe(60);
  });

  it("follows a rule that was changed to a lower or a higher limit", async () => {
    await useUp("a");
    expect((await use("a", { limit: 2, windowSeconds: 60 })).allowed).toBe(false);
    expect((await use("a", { limit: 4, windowSeconds: 60 })).allowed).toBe(true);
  });

  it("is exact if a new key is used 100 times at the same time", async () => {
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => use("new")));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(rule.limit);
  });

  it("starts again after the clock was set back far, and allows no more uses after it was set back a little", async () => {
    clock.advance(3_600_000);
    await useUp("far");
    clock.advance(-3_600_000);
    expect(await use("far")).toEqual({ allowed: true });
    await useUp("near");
    clock.advance(-5_000);
    expect(waitOf(await use("near"))).toBe(65);
  });

  it("keeps a row only while the row is needed", async () => {
    await useUp("old");
    clock.advance(7_200_000 + 60_000);
    await use("fresh");
    expect(await database.write((tx) => prune(tx, clock))).toBe(1);
    expect(await database.all("SELECT key FROM rate_limits")).toEqual([{ key: "fresh" }]);
  });
});

describe("a rate limit on SQLite after all random histories", () => {
  let place: TestDatabase;
  let database: Database;
  let keys = 0;

  beforeAll(async () => {
    place = await sqlite.create();
    database = await place.open();
  });
  afterAll(() => place.remove());

  const histories = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    windowSeconds: fc.integer({ min: 1, max: 4 }),
    pausesMs: fc.array(fc.oneof(fc.integer({ min: 0, max: 1_500 }), fc.constantFrom(0, 999, 1_000, 1_001)), {
      maxLength: 40,
    }),
  });

  /** The rule in its simplest form: count the allowed uses within the window. */
  const expected = (
    passed: readonly number[],
    now: number,
    { limit, windowSeconds }: RateLimit,
  ): RateVerdict => {
    const recent = passed.filter((time) => time > now - windowSeconds * 1_000);
    const oldest = recent.at(-limit);
    if (oldest === undefined) return { allowed: true };
    return { allowed: false, retryAfterSeconds: Math.ceil((oldest + windowSeconds * 1_000 - now) / 1_000) };
  };

  it("returns the same result as the written rule each time", async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ pausesMs, ...limit }) => {
        const key = `property ${keys++}`;
        const clock = movableClock();
        const passed: number[] = [];
        for (const pause of pausesMs) {
          clock.advance(pause);
          const now = clock.now().getTime();
          const verdict = await database.write((tx) => consume(tx, { key, rule: limit, clock }));
          expect(verdict).toEqual(expected(passed, now, limit));
          if (verdict.allowed) passed.push(now);
        }
      }),
      { numRuns: rounds(60, 2_000) },
    );
  });
});

describe.each(sharedDatabases)("a rate limit on PostgreSQL with two servers", (postgres) => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await postgres.create();
  });
  afterEach(() => place.remove());

  it("counts a use at its time, not at the start of its transaction", async () => {
    const [database, clock] = [await place.open(), movableClock()];
    const times = await database.write(async (tx) => {
      await tx.get("SELECT pg_sleep(0.01)");
      await consume(tx, { key: "late", rule, clock });
      return tx.get<{ began: number; used: string }>(
        "SELECT floor(extract(epoch FROM now()) * 1000) AS began, times AS used FROM rate_limits",
      );
    });
    expect(Number(times?.used)).toBeGreaterThanOrEqual(Number(times?.began) + 10);
  });

  it("allows no more uses than one server allows, with any difference of the two clocks", async () => {
    const servers = [
      { database: await place.open(), clock: movableClock({ wrongByMs: 0 }) },
      { database: await place.open(), clock: movableClock({ wrongByMs: 7_200_000 }) },
    ];
    const uses = Array.from({ length: 100 }, (_, n) => {
      const { database, clock } = servers[n % 2] ?? expect.fail("no server");
      return database.write((tx) =>
        consume(tx, { key: "shared", rule: { limit: 10, windowSeconds: 3_600 }, clock }),
      );
    });
    const verdicts = await Promise.all(uses);
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
  });
});
