import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithTester,
  fromNow,
  makeAppWithTester,
  noon,
  sdkPath,
  setClock,
} from "../../support/worlds/app-with-active-tester.ts";

describe.each(databases)("POST /api/v1/testing/sdk/session on $name", (engine) => {
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

  const counted = (dayIndex: number) => ({ matched: true, counted: true, dayIndex, reason: null });
  const refused = (reason: string, dayIndex = 1) => ({
    matched: true,
    counted: false,
    dayIndex,
    reason,
  });
  const report = async (...session: Parameters<AppWithTester["report"]>) =>
    (await app.report(...session)).body;

  it("counts the day for a session of 45 seconds on 2 screens", async () => {
    const answer = await app.report({ seconds: 45 });
    expect(answer).toMatchObject({ status: 200, body: counted(1) });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it("counts a session that began on the same day before the owner accepted the tester", async () => {
    app = await makeAppWithTester(service);
    expect(await report({ startedAt: "2027-03-01T11:00:00.000Z" })).toMatchObject({
      counted: true,
      dayIndex: 1,
    });
  });

  describe("answers counted: false", () => {
    it.each<[string, string, number, () => Promise<unknown>]>([
      ["session_below_bar", "of less than 45 seconds", 1, () => report({ seconds: 44 })],
      ["session_below_bar", "on fewer than 2 distinct screens", 1, () => report({ screens: ["Home"] })],
      ["already_submitted", "on a day that is counted", 1, () => app.report().then(() => report())],
      [
        "cycle_not_running",
        "before the test has started",
        0,
        async () => {
          app = await makeAppWithTester(service, { startsOn: "2027-03-03" });
          return report();
        },
      ],
      [
        "cycle_not_running",
        "that began after the last day",
        0,
        async () => {
          setClock(service, "2027-03-15T00:00:01.000Z");
          return report({ startedAt: "2027-03-15T00:00:00.000Z" });
        },
      ],
      [
        "cycle_not_running",
        "of the last day that arrives more than a day later",
        14,
        async () => {
          setClock(service, "2027-03-16T00:00:00.000Z");
          return report({ startedAt: "2027-03-14T23:00:00.000Z" });
        },
      ],
      [
        "cycle_not_running",
        "in a cancelled test",
        1,
        async () => {
          await app.setCycle("cancelled");
          return report();
        },
      ],
      [
        "slot_not_active",
        "of a slot that was removed",
        1,
        async () => {
          await app.setSlot("removed");
          return report();
        },
      ],
      [
        "session_stale",
        "from before yesterday",
        1,
        async () => {
          const startedAt = fromNow(service, -60);
          setClock(service, "2027-03-03T00:00:01.000Z");
          return report({ startedAt });
        },
      ],
      [
        "session_stale",
        "from before the first day",
        0,
        () => report({ startedAt: "2027-02-28T23:59:00.000Z" }),
      ],
      [
        "session_in_future",
        "that begins more than 120 seconds in the future",
        1,
        () => report({ startedAt: fromNow(service, 125) }),
      ],
    ])("with the reason %s for a session %s", async (reason, _, dayIndex, given) => {
      expect(await given()).toEqual(refused(reason, dayIndex));
      expect((await app.recorded()).at(-1)).toMatchObject({ reason, dayIndex: dayIndex || null });
    });

    it("with the reason session_stale for a session from the day before the slot became active", async () => {
      setClock(service, "2027-03-02T12:00:00.000Z");
      const testKey = await service.giveSlot(app.cycle, app.otherSlotId, await service.makeUser());
      const answer = await report({ testKey, startedAt: "2027-03-01T23:59:00.000Z" });
      expect(answer).toEqual(refused("session_stale"));
    });
  });

  it.each(["2027-03-02T00:00:30.000Z", "2027-03-02T23:59:59.000Z"])(
    "counts the last day for a session that arrives after this day, at %s",
    async (now) => {
      app = await makeAppWithTester(service, { durationDays: 1 });
      setClock(service, now);
      expect(await report({ startedAt: "2027-03-01T23:58:00.000Z" })).toEqual(counted(1));
    },
  );

  describe("checks the reasons in their order", () => {
    /** Each applies together with all later ones. */
    const faults: [string, () => Promise<unknown>][] = [
      ["cycle_not_running", () => app.setCycle("completed")],
      ["slot_not_active", () => app.setSlot("removed")],
    ];
    it.each(faults)("with %s before session_in_future", async (reason, make) => {
      for (const [, also] of faults.slice(faults.findIndex(([name]) => name === reason) + 1)) await also();
      await make();
      const startedAt = fromNow(service, 3_600);
      expect(await report({ startedAt, seconds: 1 })).toEqual(refused(reason));
    });

    it("with session_in_future before session_below_bar", async () => {
      const session = { startedAt: fromNow(service, 3_600), seconds: 1, screens: [] };
      expect(await report(session)).toEqual(refused("session_in_future"));
    });

    it("with session_stale before already_submitted", async () => {
      const startedAt = fromNow(service, -60);
      await app.report({ startedAt });
      setClock(service, "2027-03-03T12:00:00.000Z");
      expect(await report({ startedAt, seconds: 1 })).toEqual(refused("session_stale"));
    });

    it("with already_submitted before session_below_bar", async () => {
      await app.report();
      expect(await report({ seconds: 1, screens: [] })).toEqual(refused("already_submitted"));
    });
  });

  it("counts a day with a second session after a session that was too short", async () => {
    const answers = [await report({ seconds: 10 }), await report(), await report()];
    expect(answers).toEqual([refused("session_below_bar"), counted(1), refused("already_submitted")]);
    expect((await app.recorded()).map(({ reason }) => reason)).toEqual([
      "session_below_bar",
      null,
      "already_submitted",
    ]);
  });

  it("counts a session that is uploaded late for the day on which it happened", async () => {
    const startedAt = "2027-03-01T23:59:30.000Z";
    setClock(service, "2027-03-02T23:59:00.000Z");
    expect(await report({ startedAt })).toEqual(counted(1));
    expect(await report()).toEqual(counted(2));
  });

  it("counts a session for the day of its start in the cycle's time zone", async () => {
    app = await makeAppWithTester(service, { timezone: "Asia/Tokyo" });
    setClock(service, "2027-03-01T15:10:00.000Z");
    expect(await report({ startedAt: "2027-03-01T14:59:59.999Z" })).toEqual(counted(1));
    expect(await report({ startedAt: "2027-03-01T15:00:00.000Z" })).toEqual(counted(2));
  });

  it("accepts times with any offset", async () => {
    const session = {
      ...app.sessionOf(),
      startedAt: "2027-03-01T20:59:00+09:00",
      endedAt: "2027-03-01T06:30:00-05:30",
    };
    const answer = await service.request("POST", sdkPath, { headers: app.key, body: session });
    expect(answer.body).toEqual(counted(1));
    expect(await app.recorded()).toMatchObject([
      { startedAt: "2027-03-01T11:59:00.000Z", endedAt: "2027-03-01T12:00:00.000Z" },
    ]);
  });

  it("makes a slot at risk active again if its session counts", async () => {
    setClock(service, "2027-03-03T12:00:00.000Z");
    await app.status();
    expect(await app.slot()).toMatchObject({ status: "at_risk", missedDays: 1 });
    expect(await report()).toEqual(counted(3));
    expect(await app.slot()).toMatchObject({ status: "active", missedDays: 1 });
  });

  it("removes a missed day if yesterday's session arrives late", async () => {
    setClock(service, "2027-03-03T00:00:10.000Z");
    await app.status();
    expect(await app.slot()).toMatchObject({ status: "at_risk", missedDays: 1 });
    expect(await report({ startedAt: "2027-03-02T22:00:00.000Z" })).toEqual(counted(2));
    expect(await app.slot()).toMatchObject({ status: "active", missedDays: 0 });
  });

  it("ends the join check when the first day is counted", async () => {
    await app.report({ seconds: 1 });
    expect(await app.slot()).toMatchObject({ joinCheckPending: 1 });
    await app.report();
    expect(await app.slot()).toMatchObject({ joinCheckPending: 0 });
  });

  it("stores each screen once, trimmed, and the app's version", async () => {
    await app.report({ screens: [" Home", "Home ", "", "home", "  "], appVersion: " 1.4.0 " });
    await app.report({ appVersion: "" });
    expect(await app.recorded()).toMatchObject([
      { screens: '["Home","home"]', appVersion: "1.4.0" },
      { appVersion: null },
    ]);
  });

  it("accepts an app's intake keys", async () => {
    const key = { "x-api-key": await service.makeKey(app.app.id, "intake") };
    expect(await report({}, key)).toEqual(counted(1));
  });

  it("needs the key of an app, and refuses a test key", async () => {
    for (const key of ["", app.testKey]) {
      const answer = await app.report({}, { "x-api-key": key });
      expect(answer).toMatchObject({ status: 401, body: { code: "invalid_api_key" } });
    }
    expect(await app.recorded()).toEqual([]);
  });
});
