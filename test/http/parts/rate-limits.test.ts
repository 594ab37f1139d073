import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { createLimiter, isInMemory, limitApplies } from "../../../server/http/rate-limits/rate-limits.ts";
import type { Limiter, Spending } from "../../../server/http/rate-limits/store.ts";
import { rateLimitsOf } from "../../../server/settings/settings.ts";
import { rateLimits as defaults, type RateLimitName, secretLimits } from "../../../src/contract/limits.ts";
import { databases, sharedDatabases, type TestDatabase } from "../../support/database/databases.ts";
import { movableClock } from "../../support/service/movable-clock.ts";
import { readText } from "../../support/sources/tree.ts";

const limit = 5;
const { rateLimits } = rateLimitsOf(`feedback=${limit}/60,exports=${limit}/3600,agentReads=1000000/3600`);
const limiterOf = (database: Database, clock = movableClock()) =>
  createLimiter({ database, clock, settings: { rateLimits } });
let ids = 0;

const spendMany = async (limiter: Limiter, spending: Spending, count: number) => {
  const results = await Promise.allSettled(Array.from({ length: count }, () => limiter.spend(spending)));
  return results.filter(({ status }) => status === "fulfilled").length;
};

describe.each(databases)("the rate limits of a server on $name", ({ create }) => {
  let place: TestDatabase;
  let database: Database;
  let limiter: Limiter;
  beforeAll(async () => {
    place = await create();
    database = await place.open();
  });
  afterAll(() => place.remove());
  beforeEach(() => {
    limiter = limiterOf(database);
  });

  describe.each([
    { where: "in memory", rateLimit: "feedback" },
    { where: "in the database", rateLimit: "exports" },
  ] as const)("$where", ({ rateLimit }) => {
    const spendingOf = (): Spending => ({ who: `token ${++ids}`, rateLimit });

    it("allow at most the limit for requests that arrive at the same time", async () => {
      const spending = spendingOf();
      expect(await spendMany(limiter, spending, limit + 20)).toBe(limit);
      expect(await limiter.look(spending)).toMatchObject({ allowed: false });
      await expect(limiter.spend(spending)).rejects.toMatchObject({ code: "rate_limited" });
    });

    it("count a change that commits, and not a change that fails", async () => {
      const spending = spendingOf();
      for (const outcome of ["fails", "commits", "fails"]) {
        const use = limiter.mutation();
        const work = database.write(async (tx) => {
          await use.spend(tx, spending);
          if (outcome === "fails") throw new Error("The work fails.");
        });
        await work.then(
          () => use.end(true),
          () => use.end(false),
        );
      }
      expect(await spendMany(limiter, spending, limit)).toBe(limit - 1);
    });

    it("count a change once even if its transaction was repeated", async () => {
      const spending = spendingOf();
      const use = limiter.mutation();
      await expect(
        database.write(async (tx) => {
          await use.spend(tx, spending);
          throw new Error("The first try fails.");
        }),
      ).rejects.toThrow();
      await database.write((tx) => use.spend(tx, spending));
      use.end(true);
      expect(await spendMany(limiter, spending, limit)).toBe(limit - 1);
    });
  });

  it("in memory can return a use, are never written to the database, and end with the process", async () => {
    const spending = { who: `token ${++ids}`, rateLimit: "feedback" } as const;
    const giveBack = limiter.spendAtOnce(spending);
    expect(await spendMany(limiter, spending, limit)).toBe(limit - 1);
    giveBack();
    expect(await spendMany(limiter, spending, 2)).toBe(1);
    const sql = "SELECT key FROM rate_limits WHERE key LIKE 'feedback:%'";
    expect(await database.all(sql)).toEqual([]);
    expect(await spendMany(limiterOf(database), spending, limit + 1)).toBe(limit);
  });

  it("in the database are kept over a restart", async () => {
    const spending = { who: `token ${++ids}`, rateLimit: "exports" } as const;
    await spendMany(limiter, spending, 2);
    expect(await spendMany(limiterOf(database), spending, limit)).toBe(limit - 2);
  });

  it("of many keys use a limited amount of memory: the least recently used keys are deleted", () => {
    for (let n = 0; n < 60_000; n++) limiter.spendAtOnce({ who: `token ${n}`, rateLimit: "agentReads" });
    const first = { who: "first", rateLimit: "feedback" } as const;
    for (let n = 0; n < limit; n++) limiter.spendAtOnce(first);
    expect(() => limiter.spendAtOnce(first)).toThrow();
    for (let n = 0; n < 60_000; n++) limiter.spendAtOnce({ who: `other ${n}`, rateLimit: "agentReads" });
    limiter.spendAtOnce(first);
  });
});

describe.each(sharedDatabases)("several servers with one database", ({ create }) => {
  it("allow together exactly the limit that is in the database", async () => {
    const place = await create();
    const servers = await Promise.all([place.open(), place.open(), place.open()]);
    const spending = { who: "an account", rateLimit: "exports" } as const;
    const counts = await Promise.all(
      servers.map((database) => spendMany(limiterOf(database), spending, limit)),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(limit);
    await place.remove();
  });
});

describe("the rate limits that are kept in memory", () => {
  const names = Object.keys(defaults).filter((name): name is RateLimitName => name in defaults);

  it("are a fixed list, and all other limits are rows of the database", () => {
    expect(names.filter(isInMemory)).toEqual([
      ...["feedback", "feedbackRepeats", "faqWrites", "agentReads", "refusedBodiesByAddress"],
      ...["refusedByCredential", "drafts"],
    ]);
  });

  it("are the limits that rule H16 names", () => {
    const rule = /^- \*\*H16\*\*.*$/m.exec(readText("docs/rules/http.md"))?.[0] ?? "";
    const named = [...rule.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    expect(named.toSorted()).toEqual(names.filter(isInMemory).toSorted());
  });

  it("have a window of less than 15 minutes, except the reads of agents", () => {
    const long = names.filter((name) => defaults[name].windowSeconds >= 900);
    expect(long.filter(isInMemory)).toEqual(["agentReads"]);
  });
});

describe("INNKEEP_RATE_LIMITS=off", () => {
  const { rateLimited } = rateLimitsOf("off");
  const applying = (dev: boolean) =>
    Object.keys(defaults).filter((name) => isName(name) && limitApplies({ rateLimited, dev }, name));

  it("keeps the limits on attempts at a secret", () => {
    expect(applying(false).sort()).toEqual([...secretLimits].sort());
  });

  it("switches off all limits on a development server", () => {
    expect(applying(true)).toEqual([]);
  });
});

const isName = (name: string): name is RateLimitName => Object.hasOwn(defaults, name);
