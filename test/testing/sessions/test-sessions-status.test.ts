import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faultyPaths } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  neverAKey,
  noon,
  sdkPath,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

describe("GET /api/v1/testing/sdk/session", () => {
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

  const uncounted = {
    matched: true,
    dayIndex: 1,
    durationDays: 14,
    countedToday: false,
    daysCounted: 0,
    dueBy: "2027-03-02T00:00:00.000Z",
  };

  it("returns the state of the day", async () => {
    expect(await app.status()).toMatchObject({ status: 200, body: uncounted });
    await app.report();
    expect((await app.status()).body).toEqual({ ...uncounted, countedToday: true, daysCounted: 1 });
  });

  it("returns nothing else", async () => {
    expect(Object.keys(Object((await app.status()).body))).toEqual(Object.keys(uncounted));
  });

  it("returns the next day as not counted after it has begun", async () => {
    await app.report();
    setClock(service, "2027-03-02T00:00:00.000Z");
    const dueBy = "2027-03-03T00:00:00.000Z";
    expect((await app.status()).body).toEqual({ ...uncounted, dayIndex: 2, daysCounted: 1, dueBy });
  });

  it("returns only one slot, whatever the states of other slots in the cycle", async () => {
    const other = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
    await app.report();
    expect((await app.status(other)).body).toEqual(uncounted);
  });

  it("returns day 0 before the first day, due at the end of the first day in the cycle's time zone", async () => {
    app = await makeAppWithTester(service, { startsOn: "2027-03-14", timezone: "America/New_York" });
    // The day on which the clocks of New York go forward has 23 hours.
    const dueBy = "2027-03-15T04:00:00.000Z";
    expect((await app.status()).body).toEqual({ ...uncounted, dayIndex: 0, dueBy });
  });

  it("returns the last day after the end", async () => {
    setClock(service, "2027-05-01T12:00:00.000Z");
    const dueBy = "2027-03-15T00:00:00.000Z";
    expect((await app.status()).body).toEqual({ ...uncounted, dayIndex: 14, dueBy });
  });

  it("still returns matched: true for a slot that was removed", async () => {
    await app.setSlot("removed");
    expect((await app.status()).body).toEqual(uncounted);
  });

  it("returns matched: false and counted: false for a key that belongs to no slot", async () => {
    expect(await app.status(neverAKey())).toMatchObject({
      status: 200,
      body: {
        matched: false,
        counted: false,
        dayIndex: 0,
        durationDays: 0,
        countedToday: false,
        daysCounted: 0,
        dueBy: "2027-03-02T00:00:00.000Z",
      },
    });
  });

  it("has an ETag, and answers 304 if nothing has changed", async () => {
    const etag = (await app.status()).headers.get("etag") ?? "";
    expect(await app.status(app.testKey, { "if-none-match": etag })).toMatchObject({ status: 304, text: "" });
    await app.report();
    expect(await app.status(app.testKey, { "if-none-match": etag })).toMatchObject({ status: 200 });
  });

  it("cannot be cached, because its address contains the test key", async () => {
    expect((await app.status()).headers.get("cache-control")).toContain("no-store");
  });

  it("changes nothing", async () => {
    const limited = () => service.deps.database.all("SELECT key, times FROM rate_limits ORDER BY key");
    const before = await limited();
    await Promise.all(Array.from({ length: 20 }, () => app.status()));
    expect([await app.recorded(), await limited()]).toEqual([[], before]);
  });

  it.each(["", "%20", "k".repeat(201), "%00"])(
    "answers the key %j in the same way as an unknown key",
    async (testKey) => {
      const answer = await service.request("GET", `${sdkPath}?testKey=${testKey}`, { headers: app.key });
      expect(answer).toMatchObject({ status: 200, body: { matched: false, counted: false } });
    },
  );

  it.each(["", "?testKey=a&testKey=b"])("answers 400 to the query %j, and names testKey", async (query) => {
    const answer = await service.request("GET", sdkPath + query, { headers: app.key });
    expect(faultyPaths(answer)).toEqual(["testKey"]);
  });
});
