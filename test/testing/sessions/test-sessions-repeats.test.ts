import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sharedDatabases, sqlite, type TestDatabase } from "../../support/database/databases.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  noon,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

const secret = "the secret of one deployment, on each of its servers";
const startedAt = "2027-03-01T11:00:00.000Z";

describe("a session report with an Idempotency-Key", () => {
  let database: TestDatabase;
  let service: Service;
  let app: AppWithTester;
  const open = async () => {
    const opened = await startService({ database, secret });
    setClock(opened, noon);
    return opened;
  };
  beforeAll(async () => {
    database = await sqlite.create();
    service = await open();
  });
  beforeEach(async () => {
    setClock(service, "2027-03-01T00:00:00.000Z");
    app = await makeAppWithTester(service);
    setClock(service, noon);
  });
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const once = (to = service) => app.report({ startedAt }, keyed("once"), to);

  it("gets the stored response again, and is stored once", async () => {
    const [first, again] = [await once(), await once()];
    expect([isReplay(first), isReplay(again), again.text]).toEqual([false, true, first.text]);
    expect(first.body).toMatchObject({ counted: true, dayIndex: 1 });
    expect(await app.recorded()).toHaveLength(1);
  });

  it.each([
    ["begins", { startedAt: "2027-03-01T12:04:00.000Z", seconds: 60 }, "session_in_future"],
    ["ends", { startedAt: "2027-03-01T11:59:40.000Z", seconds: 200 }, "session_below_bar"],
  ])("is checked again if the session %s in the future", async (_, session, reason) => {
    const send = () => app.report(session, keyed("ahead"));
    expect((await send()).body).toMatchObject({ counted: false, reason });
    service.clock.advance(600_000);
    const later = await send();
    expect([isReplay(later), later.body]).toMatchObject([false, { counted: true }]);
    expect(isReplay(await send())).toBe(true);
  });

  it("gets counted: true again, even after other reports got already_submitted", async () => {
    await once();
    await app.report({ startedAt });
    expect((await once()).body).toMatchObject({ counted: true });
  });

  it("gets the stored response from another server and after a restart", async () => {
    const first = await once();
    const other = await open();
    const answers = [await once(other)];
    await other.stop();
    const restarted = await open();
    answers.push(await once(restarted));
    await restarted.stop();
    expect(answers.map((answer) => [isReplay(answer), answer.text])).toEqual([
      [true, first.text],
      [true, first.text],
    ]);
  });

  it("is refused with 422 idempotency_mismatch if any other part differs", async () => {
    await once();
    for (const change of [{ seconds: 61 }, { screens: ["Home", "Help"] }, { appVersion: "2" }]) {
      const answer = await app.report({ startedAt, ...change }, keyed("once"));
      expect(answer).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    }
    expect(await app.recorded()).toHaveLength(1);
  });

  it("is a different request if the test key differs", async () => {
    const other = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
    await once();
    const answer = await app.report({ startedAt, testKey: other }, keyed("once"));
    expect([isReplay(answer), answer.body]).toMatchObject([false, { counted: true }]);
  });

  it("is the same request with another key of the app, and a different one with the key of another app", async () => {
    await once();
    const sameApp = { "x-api-key": await service.makeKey(app.app.id) };
    const otherApp = { "x-api-key": (await service.makeApp()).key };
    const again = await app.report({ startedAt }, { ...sameApp, ...keyed("once") });
    const foreign = await app.report({ startedAt }, { ...otherApp, ...keyed("once") });
    expect([isReplay(again), isReplay(foreign)]).toEqual([true, false]);
    expect(foreign.body).toMatchObject({ matched: false });
  });
});

describe.each(sharedDatabases)(
  "a session report with an Idempotency-Key on two servers with one PostgreSQL database",
  (postgres) => {
    it("has one effect if 40 requests arrive at the same time", async () => {
      const database = await postgres.create();
      const servers = [
        await startService({ database, secret }),
        await startService({ database, secret }),
      ] as const;
      setClock(servers[0], "2027-03-01T00:00:00.000Z");
      const app = await makeAppWithTester(servers[0]);
      for (const server of servers) setClock(server, noon);
      const sent = Array.from({ length: 40 }, (_, at) => servers[at % 2 === 0 ? 0 : 1]);
      const answers = await Promise.all(sent.map((to) => app.report({ startedAt }, keyed("once"), to)));
      const acted = answers.filter((answer) => answer.status === 200 && !isReplay(answer));
      expect([acted.length, (await app.recorded()).length]).toEqual([1, 1]);
      await Promise.all(servers.map((server) => server.stop()));
      await database.remove();
    });
  },
);
