import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rateLimits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  noon,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

describe.each(databases)("sessions with invented test keys on $name", (engine) => {
  let service: Service;
  let app: AppWithTester;
  beforeAll(async () => {
    service = await startService({ engine, budgets: { unknownTestKeys: 200 } });
    setClock(service, "2027-03-01T00:00:00.000Z");
    app = await makeAppWithTester(service);
    setClock(service, noon);
  });
  afterAll(() => service.stop());

  const count = async (table: "rate_limits" | "idempotency") =>
    (await service.deps.database.all(`SELECT 1 AS one FROM ${table}`)).length;
  const flood = async (count: number, name: string) => {
    for (let at = 0; at < count; at += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, n) => app.report({ testKey: `stk_${name}_${at + n}` }, keyed("k"))),
      );
  };

  it("add a limited number of rows, and do not use the limit of a slot's key", async () => {
    await flood(rounds(1_000, 20_000), "first");
    // A hundred are sent at a time.
    expect(await count("rate_limits")).toBeLessThanOrEqual(300);
    expect(await count("idempotency")).toBeLessThanOrEqual(300);
    expect((await app.report()).body).toMatchObject({ matched: true });
  });

  it("are limited to exactly 60 an hour for each key while very many other keys are sent", async () => {
    const one = { testKey: "stk_one" };
    for (let n = 0; n < rateLimits.sdkSession.limit; n += 1) {
      expect((await app.report(one)).status).toBe(200);
      if (n % 20 === 0) await flood(50, `beside_${n}`);
    }
    expect((await app.report(one)).status).toBe(429);
  });
});
