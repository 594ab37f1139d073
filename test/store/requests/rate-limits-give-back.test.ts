import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../server/store/engine/database.ts";
import { consume, giveBack, giveBackUses, lastUse } from "../../../server/store/requests/rate-limits.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { movableClock } from "../../support/service/movable-clock.ts";

describe.each(databases)("a use that is given back on $name", ({ create }) => {
  let place: TestDatabase;
  let database: Database;
  const clock = movableClock();
  beforeAll(async () => {
    place = await create();
    database = await place.open();
  });
  afterAll(() => place.remove());

  const use = (key: string) =>
    database.write(
      async (tx) => (await consume(tx, { key, rule: { limit: 2, windowSeconds: 60 }, clock })).allowed,
    );
  const back = (key: string) => database.write((tx) => giveBack(tx, key));

  it("makes room for exactly one other use", async () => {
    await use("a");
    await use("a");
    await back("a");
    expect([await use("a"), await use("a")]).toEqual([true, false]);
  });

  it("leaves no row when it was the only use", async () => {
    await use("b");
    await back("b");
    await back("b");
    expect([await use("b"), await use("b"), await use("b")]).toEqual([true, true, false]);
  });

  it("is exactly the one that was named, whatever was used since", async () => {
    const rule = { limit: 2, windowSeconds: 60 };
    const useAt = async () => {
      const at = await database.write(async (tx) => {
        const { allowed } = await consume(tx, { key: "d", rule, clock });
        return allowed ? lastUse(tx, "d") : undefined;
      });
      clock.advance(1_000);
      return at ?? expect.fail("refused");
    };
    const first = await useAt();
    const second = await useAt();
    await database.write((tx) => giveBackUses(tx, "d", [first]));
    expect(await database.get("SELECT times FROM rate_limits WHERE key = 'd'")).toEqual({ times: second });
    const third = await useAt();
    await database.write((tx) => giveBackUses(tx, "d", [second]));
    await database.write((tx) => giveBackUses(tx, "d", [second]));
    expect(await database.get("SELECT times FROM rate_limits WHERE key = 'd'")).toEqual({ times: third });
    await database.write((tx) => giveBackUses(tx, "d", [third]));
    expect(await database.get("SELECT times FROM rate_limits WHERE key = 'd'")).toBeUndefined();
  });

  it("is one of many that are named at once", async () => {
    const rule = { limit: 100, windowSeconds: 60 };
    const round = async () => {
      const at = await database.write(async (tx) => {
        await consume(tx, { key: "e", rule, clock });
        return lastUse(tx, "e");
      });
      await database.write((tx) => giveBackUses(tx, "e", [at ?? ""]));
    };
    await Promise.all(Array.from({ length: 50 }, round));
    expect(await database.get("SELECT times FROM rate_limits WHERE key = 'e'")).toBeUndefined();
  });

  it("gives back one use per call when many calls arrive at once", async () => {
    const limit = { limit: 100, windowSeconds: 60 };
    const round = async () => {
      await database.write((tx) => consume(tx, { key: "c", rule: limit, clock }));
      await back("c");
    };
    await Promise.all(Array.from({ length: 50 }, round));
    expect(await database.get("SELECT times FROM rate_limits WHERE key = 'c'")).toBeUndefined();
  });
});
