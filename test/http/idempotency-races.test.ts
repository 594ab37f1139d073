import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, sharedDatabases, type TestDatabase } from "../support/database/databases.ts";
import { type FailingDatabase, failingDatabase, unreachable } from "../support/database/failing-database.ts";
import { lockTable } from "../support/postgres/locked-table.ts";
import { isReplay, keyed, mutations, stateOf } from "../support/service/mutations.ts";
import { faultsOf } from "../support/service/refusals.ts";
import type { Answer } from "../support/service/request.ts";
import { type Service, startService } from "../support/service/service.ts";
import { rowsOf } from "../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

/** All servers of a database have the same secret, with which they encrypt the stored responses. */
const secret = "the secret of every server of a database";

const path = "/api/v1/feedback/remote";
const report = { type: "bug", message: "It crashes." };
const fifty = Array.from({ length: 50 }, (_, at) => at);

/** Expects that one request with a key took effect, and that the others got its response or 409 with Retry-After. */
function expectOneAct(answers: readonly Answer[]) {
  const done = answers.filter(({ status }) => status < 300);
  const waiting = answers.filter(({ status }) => status === 409);
  expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
  expect(new Set(done.map(({ text }) => text)).size).toBe(1);
  expect(done.length + waiting.length).toBe(answers.length);
  for (const answer of waiting) {
    expect(answer.field("code")).toBe("idempotency_in_progress");
    expect(answer.headers.get("retry-after")).toBe("1");
  }
}

describe.each(databases)("requests with one Idempotency-Key on $name", (engine) => {
  let database: FailingDatabase;
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    database = await failingDatabase(engine);
    service = await startService({ database });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterEach(() => database.over());
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  it.each(mutations)("have one effect if 50 arrive at the same time: $name", async ({ prepare }) => {
    const send = await prepare(service, cast);
    const answers = await Promise.all(fifty.map(() => send(keyed("once"))));
    expectOneAct(answers);
    const state = await stateOf(service, cast);
    const again = await send(keyed("once"));
    expect([isReplay(again), await stateOf(service, cast)]).toEqual([true, state]);
  });

  it("have one effect for each of 50 keys that arrive at the same time", async () => {
    const send = (key: string) =>
      service.request("POST", path, { headers: { ...cast.key, ...keyed(key) }, body: report });
    const answers = await Promise.all(fifty.map((at) => send(`key ${at}`)));
    expect(new Set(answers.map((answer) => answer.field("id"))).size).toBe(50);
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(50);
  });

  it("do not repeat an answer 500 or 503, and the next request is carried out", async () => {
    const send = () =>
      service.request("POST", path, { headers: { ...cast.key, ...keyed("once") }, body: report });
    const statuses: number[] = [];
    for (const error of [new Error("x"), unreachable()]) {
      database.trouble(error, "writes");
      statuses.push((await send()).status);
    }
    database.over();
    const acted = await send();
    expect([...statuses, acted.status, isReplay(acted)]).toEqual([500, 503, 201, false]);
  });

  it("get the stored response even after a restart of the server", async () => {
    const place = await engine.create();
    const before = await startService({ database: place, secret });
    const { key, appId } = await makeAppWithAgent(before);
    const sending = { headers: { ...key, ...keyed("once") }, body: report };
    const first = await before.request("POST", path, sending);
    await before.stop();
    const after = await startService({ database: place, secret });
    const again = await after.request("POST", path, sending);
    expect([isReplay(again), again.text]).toEqual([true, first.text]);
    expect(await rowsOf(after, "feedback", appId)).toBe(1);
    await after.stop();
    await place.remove();
  });
});

describe.each(sharedDatabases)(
  "requests with one Idempotency-Key on two servers with one PostgreSQL database",
  (postgres) => {
    let database: TestDatabase;
    let servers: readonly [Service, Service];
    let cast: AppWithAgent;
    beforeAll(async () => {
      database = await postgres.create();
      servers = [await startService({ database, secret }), await startService({ database, secret })];
      cast = await makeAppWithAgent(servers[0]);
    });
    afterAll(async () => {
      await Promise.all(servers.map((server) => server.stop()));
      await database.remove();
    });

    const send = (server: Service, key: string) =>
      server.request("POST", path, { headers: { ...cast.key, ...keyed(key) }, body: report });

    it("get the response that the other server stored", async () => {
      const [one, other] = servers;
      const first = await send(one, "first");
      const again = await send(other, "first");
      expect([isReplay(again), again.text]).toEqual([true, first.text]);
    });

    it("have one effect if 50 arrive at both servers at the same time", async () => {
      const [one, other] = servers;
      const rows = await rowsOf(one, "feedback", cast.appId);
      expectOneAct(await Promise.all(fifty.map((at) => send(at % 2 === 0 ? one : other, "fifty"))));
      expect(await rowsOf(one, "feedback", cast.appId)).toBe(rows + 1);
    });

    it("get 409 idempotency_in_progress with Retry-After: 1 while the first request is in progress", async () => {
      const [one, other] = servers;
      const held = await lockTable(database, "feedback");
      const first = send(one, "slow");
      await held.waiting(1);
      const early = await send(other, "slow");
      expect(early).toMatchObject({ status: 409, body: { code: "idempotency_in_progress" } });
      expect(early.headers.get("retry-after")).toBe("1");
      expect(faultsOf(early)).toEqual([]);
      await held.release();
      expect([(await first).status, isReplay(await first)]).toEqual([201, false]);
      const later = await send(other, "slow");
      expect([isReplay(later), later.text]).toEqual([true, (await first).text]);
    });
  },
);
