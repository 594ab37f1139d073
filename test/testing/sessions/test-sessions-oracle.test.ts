import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { slotsTopic } from "../../../server/database/transaction.ts";
import type { Deps } from "../../../server/deps.ts";
import { hashOf, mintCredential, randomName } from "../../../server/secrets/secrets.ts";
import { slots } from "../../../server/testing/cycles/store.ts";
import { databases } from "../../support/database/databases.ts";
import { withStoppedTime } from "../../support/database/stopped-time.ts";
import { tracedDatabase } from "../../support/database/traced-database.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  neverAKey,
  noon,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

/** Everything that a client sees of an answer, without the parts that differ in every answer. */
function seen({ status, headers, text }: Answer) {
  const told = [...headers].filter(([name]) => name !== "x-request-id" && name !== "date");
  return { status, headers: told, text };
}

/** Keys that belong to no slot of the calling app, by the reason. */
const deadKeys: [string, (service: Service, app: AppWithTester) => Promise<string>][] = [
  ["never existed", async () => neverAKey()],
  ["has not even the form of one", async () => `not a key ${randomName()}`],
  [
    "was rotated",
    async ({ deps }, { slotId, testKey }) => {
      await rotate(deps, slotId);
      return testKey;
    },
  ],
  ["is of another app", async (service) => (await makeAppWithTester(service)).testKey],
  [
    "was of an app that was removed",
    async (service) => {
      const other = await makeAppWithTester(service);
      await service.deps.database.write((tx) => tx.run("DELETE FROM apps WHERE id = ?", other.app.id));
      return other.testKey;
    },
  ],
];

const rotate = ({ database, sealer }: Deps, slotId: string) => {
  const key = mintCredential("stk_");
  return database.write((tx) =>
    slots.rotateKey(tx, slotId, { keyHash: hashOf(key), keySealed: sealer.seal(key) }),
  );
};

describe.each(databases)("a test key that belongs to no slot, on $name,", (engine) => {
  let service: Service;
  let app: AppWithTester;
  let keys: string[];
  const traced = tracedDatabase(withStoppedTime(engine));
  beforeAll(async () => {
    service = await startService({ engine: traced.engine, still: true });
  });
  beforeEach(async () => {
    setClock(service, noon);
    app = await makeAppWithTester(service);
    keys = [];
    for (const [, make] of deadKeys) keys.push(await make(service, app));
  });
  afterAll(() => service.stop());

  /** The answers to each key, in the order of the table. */
  async function answersTo(use: (testKey: string) => Promise<Answer>) {
    const answers = new Map<string, ReturnType<typeof seen>>();
    for (const [at, [name]] of deadKeys.entries()) answers.set(name, seen(await use(keys[at] ?? "")));
    return answers;
  }

  function expectAlike(answers: Awaited<ReturnType<typeof answersTo>>) {
    const [first] = answers.values();
    for (const [name, answer] of answers) expect({ name, answer }).toEqual({ name, answer: first });
    return first;
  }

  it("gets the same answer to a report as an invented key", async () => {
    const text = '{"matched":false,"counted":false,"dayIndex":0,"reason":null}';
    expect(expectAlike(await answersTo((testKey) => app.report({ testKey })))).toMatchObject({
      status: 200,
      text,
    });
  });

  it("gets the same answer to a request for the status, including the ETag", async () => {
    const answer = expectAlike(await answersTo((testKey) => app.status(testKey)));
    const text = JSON.stringify({
      matched: false,
      counted: false,
      dayIndex: 0,
      durationDays: 0,
      countedToday: false,
      daysCounted: 0,
      dueBy: "2027-03-02T00:00:00.000Z",
    });
    expect(answer).toMatchObject({ status: 200, text });
  });

  it.each([
    ["stale", { startedAt: "2027-01-01T00:00:00.000Z" }],
    ["in the future", { startedAt: "2027-03-02T12:00:00.000Z" }],
    ["too short", { seconds: 1, screens: [] }],
  ])("gets the same answer for a session that is %s", async (_, session) => {
    expectAlike(await answersTo((testKey) => app.report({ ...session, testKey })));
  });

  it("gets the same 400 for a malformed report, whichever field is wrong", async () => {
    const answer = expectAlike(await answersTo((testKey) => app.report({ testKey, seconds: -1 })));
    expect(answer).toMatchObject({ status: 400 });
  });

  it("gets 429 after the same number of requests, with the same Retry-After", async () => {
    const refusals = await answersTo(async (testKey) => {
      setClock(service, noon);
      const session = { testKey, startedAt: "2027-03-01T11:00:00.000Z" };
      await app.report(session);
      await Promise.all(Array.from({ length: 59 }, () => app.report(session)));
      setClock(service, "2027-03-01T12:30:00.000Z");
      return app.report(session);
    });
    expect(expectAlike(refusals)).toMatchObject({ status: 429 });
  });

  it("gets the same stored answers and the same 422 for an Idempotency-Key", async () => {
    const startedAt = "2027-03-01T11:00:00.000Z";
    await answersTo((testKey) => app.report({ testKey, startedAt }, keyed("once")));
    const replays = await answersTo(async (testKey) => {
      const answer = await app.report({ testKey, startedAt }, keyed("once"));
      expect(isReplay(answer)).toBe(true);
      return answer;
    });
    expectAlike(replays);
    const others = await answersTo((testKey) =>
      app.report({ testKey, startedAt, seconds: 90 }, keyed("once")),
    );
    expect(expectAlike(others)).toMatchObject({ status: 422 });
  });

  it("stores no session", async () => {
    const kept = () => service.deps.database.all("SELECT id FROM test_sessions ORDER BY id");
    const before = await kept();
    await answersTo((testKey) => app.report({ testKey }));
    expect(await kept()).toEqual(before);
  });

  it.each([
    ["that is not cached", forget],
    ["that is cached", async () => {}],
  ])(
    "causes the same SQL statements as the key of a slot %s, for a session that does not count",
    async (_, prepare) => {
      const own = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
      const costOf = async (testKey: string) => {
        await app.report({ testKey, seconds: 1 });
        await prepare();
        return traced.during(() => app.report({ testKey, seconds: 1 }));
      };
      const real = await costOf(own);
      expect(real.length).toBeGreaterThan(1);
      for (const [at, [name]] of deadKeys.entries())
        expect({ name, cost: await costOf(keys[at] ?? "") }).toEqual({ name, cost: real });
    },
  );

  it("causes the same SQL statements for a request for the status as the key of a slot", async () => {
    const own = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
    await app.status();
    const costOf = async (testKey: string) => {
      await forget();
      return traced.during(() => app.status(testKey));
    };
    const real = await costOf(own);
    expect(real.length).toBeGreaterThan(0);
    for (const testKey of keys) expect(await costOf(testKey)).toEqual(real);
  });

  /** Makes the server read everything again. */
  async function forget(): Promise<void> {
    await service.deps.database.write(async (tx) => tx.signal(slotsTopic));
  }
});
