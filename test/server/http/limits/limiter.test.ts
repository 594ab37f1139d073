import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLimiter, type Limiter, type Spending } from "../../../../server/http/limits/limiter.ts";
import { rateLimitsOf } from "../../../../server/settings/rate-limit-settings.ts";
import type { Database } from "../../../../server/store/engine/database.ts";
import {
  databases,
  sharedDatabases,
  sqlite,
  type TestDatabase,
} from "../../../support/database/databases.ts";
import { movableClock } from "../../../support/service/movable-clock.ts";

/** Of the limits that are exact, those in shares, and one that is always exact. */
const { rateLimits } = rateLimitsOf("feedback=3/60,agentReads=300/3600,feedbackRepeats=1000000/60");

let ids = 0;
const limiterOf = (database: Database, clock = movableClock()) =>
  createLimiter({ database, clock, newId: () => `lease ${++ids}`, settings: { rateLimits } });

const kinds = [
  { kind: "a low limit", rateLimit: "feedback", limit: 3 },
  { kind: "a high limit", rateLimit: "agentReads", limit: 300 },
] as const;

describe.each(databases)("the limits of a server on $name", ({ create }) => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await create();
    database = await place.open();
  });
  afterAll(() => place.remove());

  let limiter: Limiter;
  beforeEach(() => {
    limiter = limiterOf(database);
  });
  afterEach(() => limiter.settle());

  describe.each(kinds)("with $kind", ({ rateLimit, limit }) => {
    let spending: Spending;
    beforeEach(() => {
      spending = { who: `token ${++ids}`, rateLimit };
    });

    const spendMany = async (count: number, by: Limiter = limiter) => {
      const results = await Promise.allSettled(Array.from({ length: count }, () => by.spend(spending)));
      return results.filter(({ status }) => status === "fulfilled").length;
    };
    const spendManyAtOnce = (count: number) =>
      Array.from({ length: count }, limiter.spenderAtOnce(spending)).filter((isCounted) => isCounted).length;

    it("counts uses at once only together with the others, and never more than the limit", async () => {
      expect(limiter.spenderAtOnce(spending)()).toBe(false);
      const first = await spendMany(1);
      const counted = first + spendManyAtOnce(limit + 5);
      expect(counted).toBeLessThanOrEqual(limit);
      expect(counted + (await spendMany(limit))).toBe(limit);
    });

    const mutate = async (outcome: "commits" | "fails", by: Limiter = limiter) => {
      const use = by.mutation();
      const work = database.write(async (tx) => {
        await use.spend(tx, spending);
        if (outcome === "fails") throw new Error("The work fails.");
      });
      await work
        .finally(() => undefined)
        .then(
          () => use.end(true),
          () => use.end(false),
        );
    };

    it("allows no more than the limit to requests that arrive at once", async () => {
      expect(await spendMany(limit + 20)).toBe(limit);
      expect(await limiter.look(spending)).toMatchObject({ allowed: false });
      await expect(limiter.spend(spending)).rejects.toMatchObject({ code: "rate_limited" });
    });

    it("takes a use of a request back that waited and brought nothing", async () => {
      const giveBack = await limiter.spendOnWait(spending);
      expect(await spendMany(limit)).toBe(limit - 1);
      await giveBack();
      await limiter.settle();
      expect(await spendMany(2)).toBe(1);
    });

    it("counts a mutation that commits, and none that fails", async () => {
      await mutate("fails");
      await mutate("commits");
      await mutate("fails");
      expect(await spendMany(limit)).toBe(limit - 1);
    });

    it("counts a mutation once, although its transaction was repeated", async () => {
      const use = limiter.mutation();
      await expect(
        database.write(async (tx) => {
          await use.spend(tx, spending);
          throw new Error("The first try fails.");
        }),
      ).rejects.toThrow();
      await database.write((tx) => use.spend(tx, spending));
      use.end(true);
      expect(await spendMany(limit)).toBe(limit - 1);
    });

    it("knows after a restart what was stored", async () => {
      await spendMany(2);
      const giveBack = await limiter.spendOnWait(spending);
      await giveBack();
      await limiter.settle();
      expect(await spendMany(limit, limiterOf(database))).toBeLessThanOrEqual(limit - 2);
    });
  });

  it("counts the limit of rule T30 in the database at once", async () => {
    const spending = { who: "a test key", rateLimit: "sdkSession" } as const;
    await limiter.spend(spending);
    const rows = await database.all("SELECT key FROM rate_limits WHERE key = 'sdkSession:a test key'");
    expect(rows).toHaveLength(1);
  });

  it("keeps a limit of a million small", async () => {
    const spending = { who: `key ${++ids}`, rateLimit: "feedbackRepeats" } as const;
    for (let n = 0; n < 20_000; n++) await limiter.spend(spending);
    await limiter.settle();
    const key = `feedbackRepeats:${spending.who}`;
    const row = await database.get<{ size: number }>(
      `SELECT (SELECT COALESCE(SUM(length(times)), 0) FROM rate_limits WHERE key = ?)
         + (SELECT COUNT(*) * 100 FROM limit_leases WHERE key = ?) AS size`,
      key,
      key,
    );
    expect(row?.size).toBeLessThan(40_000);
  });
});

describe.each(sharedDatabases)("several servers of one PostgreSQL database", (postgres) => {
  let place: TestDatabase;
  let databasesOfServers: Database[];
  beforeAll(async () => {
    place = await postgres.create();
    databasesOfServers = [await place.open(), await place.open(), await place.open()];
  });
  afterAll(() => place.remove());

  it("together allow no more than a high limit, and at least 95 % of it", async () => {
    const spending = { who: `token ${++ids}`, rateLimit: "agentReads" } as const;
    const limiters = databasesOfServers.map((database) => limiterOf(database));
    const all = Array.from({ length: 600 }, (_, at) => limiters[at % limiters.length]?.spend(spending));
    const allowed = (await Promise.allSettled(all)).filter(({ status }) => status === "fulfilled").length;
    expect(allowed).toBeLessThanOrEqual(300);
    expect(allowed).toBeGreaterThanOrEqual(285);
  });

  it("let one server use a limit up, although its shares end before they are used up", async () => {
    const spending = { who: `token ${++ids}`, rateLimit: "agentReads" } as const;
    const clock = movableClock();
    const limiter = limiterOf(databasesOfServers[0] ?? expect.fail("no server runs"), clock);
    for (let use = 0; use < 300; use++) {
      await limiter.spend(spending);
      if (use % 2 === 0) clock.advance(1_001);
    }
    await expect(limiter.spend(spending)).rejects.toMatchObject({ code: "rate_limited" });
  });

  it("serve every request although the database answers after the time of a share", async () => {
    const spending = { who: `token ${++ids}`, rateLimit: "agentReads" } as const;
    const clock = movableClock();
    const database = databasesOfServers[0] ?? expect.fail("no server runs");
    const slow: Database = {
      ...database,
      write: (work, pace) => database.write(work, pace).finally(() => clock.advance(1_200)),
    };
    const limiter = limiterOf(slow, clock);
    await Promise.all(Array.from({ length: 20 }, () => limiter.spend(spending)));
    await limiter.settle();
    const [row] = await database.all<{ used: number }>(
      "SELECT sum(uses) AS used FROM limit_leases WHERE key = ?",
      `agentReads:${spending.who}`,
    );
    expect(row?.used).toBe(20);
  });

  it("give the rest of a share to the others when its second is over", async () => {
    const spending = { who: `token ${++ids}`, rateLimit: "agentReads" } as const;
    const clock = movableClock();
    const [first, second] = databasesOfServers.map((database) => limiterOf(database, clock));
    await first?.spend(spending);
    clock.advance(1_001);
    await first?.settle();
    const results = await Promise.allSettled(Array.from({ length: 320 }, () => second?.spend(spending)));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(299);
  });
});

describe("limits in memory", () => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await sqlite.create();
    database = await place.open();
  });
  afterAll(() => place.remove());

  const spending: Spending = { who: "a key", rateLimit: "feedback" };

  it("are stored at the next time if the database failed", async () => {
    let fails = true;
    const failing: Database = {
      ...database,
      write: (work) => (fails ? Promise.reject(new Error("The disk is full.")) : database.write(work)),
    };
    const limiter = limiterOf(failing);
    await limiter.spend(spending);
    await expect(limiter.settle()).rejects.toThrow("The disk is full.");
    fails = false;
    await limiter.settle();
    const key = "feedback:a key";
    expect(await database.get("SELECT key FROM rate_limits WHERE key = ?", key)).toEqual({ key });
  });

  it("are forgotten when the database has forgotten them", async () => {
    const limiter = limiterOf(database);
    for (let n = 0; n < 2; n++) await limiter.spend(spending);
    for (const table of ["rate_limits", "limit_batches"])
      await database.write((tx) => tx.run(`DELETE FROM ${table}`));
    limiter.forget();
    for (let n = 0; n < 3; n++) await limiter.spend(spending);
    await expect(limiter.spend(spending)).rejects.toMatchObject({ code: "rate_limited" });
  });
});
