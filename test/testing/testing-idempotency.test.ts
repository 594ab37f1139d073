import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, type TestDatabase } from "../support/database/databases.ts";
import { isReplay, keyed } from "../support/service/mutations.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  makeTestingWorld,
  type TestingWorld,
  testingMutations,
} from "../support/service/testing-mutations.ts";

const secret = "the secret of one deployment, on each of its servers";
const twenty = Array.from({ length: 20 }, (_, at) => at);

describe.each(databases)("an Idempotency-Key in closed testing on $name", (engine) => {
  let database: TestDatabase;
  let service: Service;
  let other: Service;
  let world: TestingWorld;
  beforeAll(async () => {
    database = await engine.create();
    service = await open();
    other = await open();
  });
  beforeEach(async () => {
    world = await makeTestingWorld(service);
  });
  afterAll(async () => {
    await service.stop();
    await other.stop();
    await database.remove();
  });

  const open = () => startService({ database, secret, environment: { INNKEEP_RATE_LIMITS: "off" } });

  it("is the same request if an id is in upper case", async () => {
    const headers = { ...world.maintainer, ...keyed("once") };
    const send = (slotId: string) =>
      service.request("POST", `/api/v1/console/slots/${slotId}/confirm-join`, { headers, body: {} });
    const answers = [await send(world.slotId), await send(world.slotId.toUpperCase())];
    expect(answers.map(isReplay)).toEqual([false, true]);
  });

  describe.each(testingMutations)("in the request $name", ({ prepare }) => {
    it("returns the stored response with Idempotent-Replay: true", async () => {
      const send = await prepare(world);
      const first = await send(service, keyed("once"));
      expect([first.status < 300, isReplay(first)]).toEqual([true, false]);
      const again = await send(service, keyed('"once"'));
      expect([again.status, again.text, isReplay(again)]).toEqual([first.status, first.text, true]);
    });

    it("returns the stored response on another server, and after a restart", async () => {
      const send = await prepare(world);
      const first = await send(service, keyed("once"));
      const onTheOther = await send(other, keyed("once"));
      const restarted = await open();
      const afterwards = await send(restarted, keyed("once"));
      await restarted.stop();
      for (const again of [onTheOther, afterwards])
        expect([again.status, again.text, isReplay(again)]).toEqual([first.status, first.text, true]);
    });

    it("has one effect if 20 requests arrive at the same time", async () => {
      const send = await prepare(world);
      const answers = await Promise.all(twenty.map(() => send(service, keyed("once"))));
      const done = answers.filter(({ status }) => status < 300);
      expect(done.filter((answer) => !isReplay(answer))).toHaveLength(1);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      const others = answers.filter(({ status }) => status >= 300).map(({ body }) => body);
      for (const body of others) expect(body).toMatchObject({ code: "idempotency_in_progress" });
    });
  });
});
