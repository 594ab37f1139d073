import { expect, it, onTestFinished } from "vitest";
import { doTogether } from "../../../../../server/http/idempotency/together.ts";
import { postgres } from "../../../../support/database/databases.ts";
import { movableClock } from "../../../../support/service/movable-clock.ts";

it("requests that wait at the same time do their work in one transaction", async () => {
  const place = await postgres.create();
  onTestFinished(() => place.remove());
  const database = await place.open();
  const calls: string[][] = [];
  const work = doTogether<string, string>({
    one: async () => "alone",
    async many(_, items) {
      calls.push([...items]);
      return () => items.map((item) => `together ${item}`);
    },
  });
  const rule = { limit: 2, windowSeconds: 60 };
  const ask = (item: string) =>
    work.share(database, {
      item,
      use: { key: item, rule, clock: movableClock() },
      alone: async () => `alone ${item}`,
    });
  expect(await Promise.all(["x", "a", "b", "c"].map(ask))).toEqual([
    "alone x",
    "together a",
    "together b",
    "together c",
  ]);
  expect(calls).toEqual([["a", "b", "c"]]);
});
