import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, sharedDatabases, type TestDatabase } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { unlimitedTestSessions } from "../../support/service/unlimited-test-sessions.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  noon,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

const hundred = Array.from({ length: 100 }, (_, at) => at);

/** Repeats these alternately, a hundred times. */
const inTurns = <Thing>(things: readonly Thing[]): Thing[] =>
  hundred.flatMap((at) => things[at % things.length] ?? []);

const counting = (answers: readonly unknown[]): unknown[] =>
  answers.filter((answer) => Object(answer).counted === true);

const others = { matched: true, counted: false, dayIndex: 1, reason: "already_submitted" };

/** Checks the result of a hundred reports of one day, on any number of servers. */
async function expectOneCounted(app: AppWithTester, answers: readonly unknown[]) {
  expect(counting(answers)).toHaveLength(1);
  expect(answers.filter((answer) => Object(answer).counted === false)).toEqual(
    Array.from({ length: answers.length - 1 }, () => others),
  );
  const reasons = (await app.recorded()).map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === null)).toHaveLength(1);
  expect(reasons).toHaveLength(answers.length);
  expect((await app.status()).body).toMatchObject({ countedToday: true, daysCounted: 1 });
}

/** A hundred at once over HTTP: the limit of the key allows sixty. */
async function raceOverHttp(app: AppWithTester, servers: readonly Service[]) {
  const answers = await Promise.all(inTurns(servers).map((server) => app.report({}, {}, server)));
  const passed = answers.filter(({ status }) => status === 200);
  expect([passed.length, answers.filter(({ status }) => status === 429).length]).toEqual([60, 40]);
  await expectOneCounted(
    app,
    passed.map(({ body }) => body),
  );
}

/** A hundred at once, without the limit. */
async function raceBehindTheLimit(app: AppWithTester, servers: readonly Service[]) {
  const reports = inTurns(servers.map((server) => unlimitedTestSessions(server, app.app.id)));
  const session = app.sessionOf();
  await expectOneCounted(app, await Promise.all(reports.map((report) => report(session))));
}

describe.each(databases)("session reports of one day that arrive at the same time on $name", (engine) => {
  let service: Service;
  let app: AppWithTester;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    setClock(service, "2027-03-01T00:00:00.000Z");
    app = await makeAppWithTester(service);
    setClock(service, noon);
  });
  afterAll(() => service.stop());

  it("count the day once, and all reports within the limit are stored", () => raceOverHttp(app, [service]));

  it("count the day once if there are 100 reports, and all are stored", () =>
    raceBehindTheLimit(app, [service]));

  it("count the day once for each slot", async () => {
    const other = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
    service.clock.advance(120_000);
    const keys = inTurns([app.testKey, other]).slice(0, 80);
    const answers = await Promise.all(keys.map((testKey) => app.report({ testKey })));
    expect(counting(answers.map(({ body }) => body))).toHaveLength(2);
  });

  it("count each of two days once", async () => {
    setClock(service, "2027-03-02T12:00:00.000Z");
    const report = unlimitedTestSessions(service, app.app.id);
    const sessions = inTurns([app.sessionOf(), app.sessionOf({ startedAt: "2027-03-01T12:00:00Z" })]);
    const answers = counting(await Promise.all(sessions.map(report)));
    expect(answers.map((answer) => Object(answer).dayIndex).sort()).toEqual([1, 2]);
  });
});

describe.each(sharedDatabases)(
  "session reports of one day that arrive at the same time at two servers with one PostgreSQL database",
  (postgres) => {
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
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database.remove();
    });

    it("count the day once, and all reports within the limit are stored", () => raceOverHttp(app, servers));

    it("count the day once if there are 100 reports, and all are stored", () =>
      raceBehindTheLimit(app, servers));
  },
);
