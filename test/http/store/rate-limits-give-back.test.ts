import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../server/database/database.ts";
import { consume, giveBack } from "../../../server/http/rate-limits/store.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { movableClock } from "../../support/service/movable-clock.ts";

describe.each(databases)("a returned use of a rate limit on $name", ({ create }) => {
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

  it("allows exactly one other use", async () => {
    await use("a");
    await use("a");
    await back("a");
    expect([await use("a"), await use("a")]).toEqual([true, false]);
  });

  it("leaves no row if it was the only use", async () => {
    await use("b");
    await back("b");
    await back("b");
    expect([await use("b"), await use("b"), await use("b")]).toEqual([true, true, false]);
  });

  it("is counted once for each call if many calls arrive at the same time", async () => {
    const limit = { limit: 100, windowSeconds: 60 };
    const round = async () => {
      await database.write((tx) => consume(tx, { key: "c", rule: limit, clock }));
      await back("c");
    };
    await Promise.all(Array.from({ length: 50 }, round));
    expect(await database.get("SELECT times FROM rate_limits WHERE key = 'c'")).toBeUndefined();
  });
});
