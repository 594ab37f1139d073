import { EventEmitter, once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { postgres, type TestDatabase } from "../../../support/database/databases.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  neverAKey,
  noon,
  setClock,
} from "../../../support/worlds/app-with-active-tester.ts";

const many = <Thing>(count: number, make: () => Thing): Thing[] => Array.from({ length: count }, make);

describe("sessions that count no day and arrive at the same time on PostgreSQL", () => {
  let database: TestDatabase;
  let servers: readonly [Service, Service];
  let app: AppWithTester;
  beforeAll(async () => {
    database = await postgres.create();
    servers = [await startService({ database }), await startService({ database })];
  });
  beforeEach(async () => {
    const [one] = servers;
    setClock(one, "2027-03-01T00:00:00.000Z");
    app = await makeAppWithTester(one);
    for (const server of servers) setClock(server, noon);
    await app.report();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await database.remove();
  });

  /** Reports sessions of these keys at the same time, alternately to the servers. */
  const reportAll = (testKeys: readonly string[]) =>
    Promise.all(testKeys.map((testKey, at) => app.report({ testKey }, {}, servers[at % 2])));

  it("are answered and stored up to the limit of each key, together with any other requests", async () => {
    const other = await servers[0].giveSlot(app.cycle, app.otherSlotId, await servers[0].makeUser());
    await app.report({ testKey: other });
    const unknown = many(10, neverAKey);
    const keys = Array.from({ length: 70 }, (_, at) => [app.testKey, other, unknown[at % 10] ?? ""]).flat();
    const answers = await reportAll(keys);
    const of = (key: string) => answers.filter((_, at) => keys[at] === key);
    for (const key of [app.testKey, other]) {
      const taken = of(key).filter(({ status }) => status === 200);
      const refused = of(key).filter(({ status }) => status === 429);
      expect([taken.length, refused.length]).toEqual([59, 11]);
      for (const { body } of taken)
        expect(body).toMatchObject({ matched: true, counted: false, dayIndex: 1 });
      for (const { headers } of refused) expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
    for (const { body } of unknown.flatMap(of))
      expect(body).toEqual({ matched: false, counted: false, dayIndex: 0, reason: null });
    expect(await app.recorded()).toHaveLength(60);
  });

  it("do not wait for a transaction that one of them must wait for", async () => {
    const [{ deps }] = servers;
    const gate = new EventEmitter();
    const holding = deps.database.write(async (tx) => {
      await tx.all("SELECT key FROM rate_limits WHERE key LIKE 'sdkSession:%' FOR UPDATE");
      gate.emit("holds");
      await once(gate, "go on");
    });
    await once(gate, "holds");
    const others = many(10, neverAKey).map((testKey) => app.report({ testKey }));
    const held = app.report();
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(many(10, () => 200));
    expect(await app.recorded()).toHaveLength(1);
    gate.emit("go on");
    await holding;
    expect((await held).status).toBe(200);
  });

  it("do not fail if the database refuses one of them", async () => {
    const [{ deps }] = servers;
    const refuse = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.app_version = 'refused' THEN RAISE EXCEPTION 'no' USING ERRCODE = '55P03'; END IF; RETURN NEW; END $$`;
    await deps.database.write((tx) => tx.run(refuse));
    await deps.database.write((tx) =>
      tx.run("CREATE TRIGGER refuse BEFORE INSERT ON test_sessions FOR EACH ROW EXECUTE FUNCTION refuse()"),
    );
    const keys = [app.testKey, ...many(10, neverAKey)];
    const [refused, ...others] = await Promise.all(
      keys.map((testKey, at) => app.report(at === 0 ? { testKey, appVersion: "refused" } : { testKey })),
    );
    await deps.database.write((tx) => tx.run("DROP TRIGGER refuse ON test_sessions"));
    await deps.database.write((tx) => tx.run("DROP FUNCTION refuse"));
    expect(refused?.status).toBe(503);
    expect(others.map(({ status }) => status)).toEqual(many(10, () => 200));
    expect(await app.recorded()).toHaveLength(1);
  });
});
