import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faultyPaths, issuesOf } from "../../support/service/issues.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithTester,
  fromNow,
  makeAppWithTester,
  neverAKey,
  noon,
  sdkPath,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

const names = (count: number) => Array.from({ length: count }, (_, at) => `Screen ${at}`);

describe("a session report", () => {
  let service: Service;
  let app: AppWithTester;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    setClock(service, "2027-03-01T00:00:00.000Z");
    app = await makeAppWithTester(service);
    setClock(service, noon);
  });
  afterAll(() => service.stop());

  const send = (change: object): Promise<Answer> =>
    service.request("POST", sdkPath, { headers: app.key, body: { ...app.sessionOf(), ...change } });

  describe("near the limits of length and screens", () => {
    it.each([
      [44_999, 2, false],
      [45_000, 2, true],
      [45_001, 3, true],
      [45_000, 1, false],
      [3_600_000, 0, false],
    ])("of %d ms on %d screens has counted: %j", async (milliseconds, screens, counted) => {
      const answer = await app.report({ seconds: milliseconds / 1_000, screens: names(screens) });
      expect(answer.body).toMatchObject({ matched: true, counted });
    });

    it.each([
      ["the same name twice", ["Home", "Home"], false],
      ["names that differ in white space around them", ["Home", " Home\t"], false],
      ["a blank name beside one", ["Home", "  ", ""], false],
      ["names that differ in case", ["Home", "home"], true],
      ["a name composed and decomposed", ["Caf\u00e9", "Cafe\u0301"], false],
    ])("with %s has counted: %j", async (_, screens, counted) => {
      expect((await app.report({ screens })).body).toMatchObject({ counted });
    });
  });

  describe("with up to 50 distinct screens", () => {
    it.each([
      ["50", names(50)],
      ["50, each twice", [...names(50), ...names(50).map((name) => ` ${name} `)]],
      ["50 beside blank ones", [...names(50), "", "  "]],
    ])("is accepted with %s", async (_, screens) => {
      expect(await app.report({ screens })).toMatchObject({ status: 200, body: { counted: true } });
      expect(JSON.parse((await app.recorded())[0]?.screens ?? "")).toEqual(names(50));
    });

    it("is refused with 51", async () => {
      expect(issuesOf(await app.report({ screens: names(51) }))).toEqual([
        "screens: must have at most 50 distinct names",
      ]);
    });
  });

  it.each([
    [86_400_000, 86_400_000],
    [86_400_001, 86_400_000],
    [40 * 86_400_000, 86_400_000],
  ])("of %d ms is stored with %d ms, because 24 hours is the maximum", async (given, kept) => {
    const startedAt = fromNow(service, -60);
    const endedAt = (milliseconds: number) => new Date(Date.parse(startedAt) + milliseconds).toISOString();
    const answer = await send({ startedAt, endedAt: endedAt(given) });
    expect(answer).toMatchObject({ status: 200, body: { matched: true, counted: true } });
    expect(await app.recorded()).toMatchObject([{ endedAt: endedAt(kept) }]);
  });

  it.each(["", " ", "k".repeat(201), "k".repeat(20_000), "schlüssel\u0000", "\ud800"])(
    "does not match a test key of an invalid form: %j",
    async (testKey) => {
      expect(await send({ testKey })).toMatchObject({
        status: 200,
        body: { matched: false, counted: false, dayIndex: 0, reason: null },
      });
    },
  );

  describe("whose end is", () => {
    it.each([
      [0, []],
      [-1, ["endedAt: must not be before startedAt"]],
    ])("%d ms after its start is refused only if this number is negative", async (milliseconds, issues) => {
      const startedAt = fromNow(service, -60);
      const endedAt = new Date(Date.parse(startedAt) + milliseconds).toISOString();
      const answer = await send({ startedAt, endedAt });
      expect(answer.status === 400 ? issuesOf(answer) : []).toEqual(issues);
    });
  });

  it("can start in the future within the tolerance for clocks, and not later", async () => {
    const ahead = async (seconds: number) =>
      (await app.report({ startedAt: fromNow(service, seconds) })).body;
    expect(await ahead(125)).toMatchObject({ reason: "session_in_future" });
    expect(await ahead(110)).toMatchObject({ reason: "session_below_bar" });
    expect(await ahead(60)).toMatchObject({ counted: true });
  });

  it.each([
    "2027-03-01T12:00:00",
    "2027-03-01",
    "2027-02-30T12:00:00Z",
    "2027-03-01T25:00:00Z",
    "2027-03-01T12:00:00+25:00",
    "yesterday",
    "",
    1_803_902_400_000,
    null,
  ])("is refused with the time %j", async (instant) => {
    expect(faultyPaths(await send({ startedAt: instant }))).toEqual(["startedAt"]);
    expect(faultyPaths(await send({ endedAt: instant }))).toEqual(["endedAt"]);
  });

  it("is refused with the faults of all fields in one answer", async () => {
    const answer = await send({
      testKey: 7,
      startedAt: "now",
      endedAt: undefined,
      screens: "Home",
      appVersion: 7,
    });
    expect(faultyPaths(answer)).toEqual(["appVersion", "endedAt", "screens", "startedAt", "testKey"]);
  });

  it("is accepted if names of screens or the version are too long, and they are shortened", async () => {
    const [long, other, smileys] = ["x".repeat(201), `${"x".repeat(200)}y`, "🙂".repeat(300)];
    const screens = [long, other, ` ${smileys} `];
    const answer = await send({ screens, appVersion: "v".repeat(101) });
    expect(answer).toMatchObject({ status: 200, body: { counted: true } });
    const cut = ["x".repeat(200), "🙂".repeat(200)];
    expect(JSON.parse((await app.recorded())[0]?.screens ?? "")).toEqual(cut);
  });

  it("is refused with the faults of its length and of all other fields", async () => {
    const change = { startedAt: noon, endedAt: fromNow(service, -60), screens: [7] };
    expect(faultyPaths(await send(change))).toEqual(["endedAt", "screens.0"]);
  });

  it("does not count and is not stored if it is malformed", async () => {
    for (let count = 0; count < 61; count += 1) await app.report({ seconds: -1 });
    expect(await app.report()).toMatchObject({ status: 200 });
    expect(await app.recorded()).toHaveLength(1);
  });
});

/** Sends this many requests, twenty at once. Returns how many were accepted. */
async function pass(count: number, send: () => Promise<Answer>): Promise<number> {
  let passed = 0;
  for (let sent = 0; sent < count; sent += 20) {
    const batch = Array.from({ length: Math.min(20, count - sent) }, send);
    passed += (await Promise.all(batch)).filter(({ status }) => status === 200).length;
  }
  return passed;
}

const waitOf = ({ headers }: Answer): number => Number(headers.get("retry-after"));

describe("60 session reports for each test key and hour", () => {
  let service: Service;
  let app: AppWithTester;
  beforeAll(async () => {
    // This limit stays on. (rule T30)
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" }, still: true });
  });
  beforeEach(async () => {
    setClock(service, noon);
    app = await makeAppWithTester(service);
  });
  afterAll(() => service.stop());

  const report = (testKey = app.testKey) => app.report({ testKey, seconds: 1 });

  it("are accepted, and one more is refused, even with INNKEEP_RATE_LIMITS=off", async () => {
    expect(await pass(60, report)).toBe(60);
    expect(await report()).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(await app.recorded()).toHaveLength(60);
  });

  it("are also the limit for unknown keys", async () => {
    const testKey = neverAKey();
    expect(await pass(65, () => report(testKey))).toBe(60);
  });

  it("are counted together for the keys of all apps", async () => {
    const headers = { "x-api-key": (await service.makeApp()).key };
    const foreign = () => app.report({ seconds: 1 }, headers);
    expect(await pass(30, foreign)).toBe(30);
    expect(await pass(40, report)).toBe(30);
    expect(await foreign()).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  });

  it("are followed by a Retry-After that says to the second when a report is accepted again", async () => {
    await report();
    setClock(service, "2027-03-01T12:10:00.000Z");
    await pass(59, report);
    setClock(service, "2027-03-01T12:59:30.000Z");
    expect(waitOf(await report())).toBe(30);
    setClock(service, "2027-03-01T12:59:59.999Z");
    expect(waitOf(await report())).toBe(1);
    setClock(service, "2027-03-01T13:00:00.000Z");
    expect(await report()).toMatchObject({ status: 200 });
    expect(waitOf(await report())).toBe(600);
  });

  it("are counted over the last hour at any moment", async () => {
    await pass(30, report);
    setClock(service, "2027-03-01T12:30:00.000Z");
    await pass(30, report);
    setClock(service, "2027-03-01T13:00:10.000Z");
    expect(await pass(60, report)).toBe(30);
  });

  it("are counted for each test key, not for each app", async () => {
    await pass(60, report);
    const other = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
    expect([(await report()).status, (await report(other)).status]).toEqual([429, 200]);
  });

  it("are counted together for all app keys of an app", async () => {
    await pass(30, report);
    const key = { "x-api-key": await service.makeKey(app.app.id) };
    expect(await pass(40, () => app.report({ seconds: 1 }, key))).toBe(30);
  });

  it("are counted together for a test key with and without white space around it", async () => {
    await pass(60, report);
    expect(await report(` ${app.testKey} `)).toMatchObject({ status: 429 });
  });

  it("do not include repeated requests and requests for the status", async () => {
    const startedAt = fromNow(service, -60);
    const repeat = () => app.report({ startedAt }, keyed("once"));
    expect(await pass(1, repeat)).toBe(1);
    expect(await pass(80, repeat)).toBe(80);
    await pass(80, () => app.status());
    expect(await pass(60, report)).toBe(59);
    expect(isReplay(await repeat())).toBe(true);
  });
});
