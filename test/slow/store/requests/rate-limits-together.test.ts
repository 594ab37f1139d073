import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../../server/store/engine/database.ts";
import { consume, consumeAll } from "../../../../server/store/requests/rate-limits.ts";
import { postgres, type TestDatabase } from "../../../support/database/databases.ts";
import { fc } from "../../../support/property.ts";
import { movableClock } from "../../../support/service/movable-clock.ts";

const rule = { limit: 2, windowSeconds: 60 };

describe("uses of several keys that are counted together on PostgreSQL", () => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await postgres.create();
    database = await place.open();
  });
  afterAll(() => place.remove());

  it("are allowed and refused as one after the other", async () => {
    const step = fc.record({
      keys: fc.uniqueArray(fc.constantFrom("a", "b", "c", "é'\"", "e"), { minLength: 1 }),
      seconds: fc.constantFrom(0, 20, 61),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const clock = movableClock();
        await database.write((tx) => tx.run("DELETE FROM rate_limits"));
        const useOf = (key: string) => ({ key, rule, clock });
        for (const { keys, seconds } of steps) {
          clock.advance(seconds * 1_000);
          const together = await database.write((tx) => consumeAll(tx, keys.map(useOf)));
          const alone: string[] = [];
          for (const key of keys) {
            const verdict = await database.write((tx) => consume(tx, useOf(`alone ${key}`)));
            if (verdict.allowed) alone.push(key);
          }
          expect([...together].toSorted()).toEqual(alone.toSorted());
        }
      }),
      { numRuns: 25 },
    );
  });
});
