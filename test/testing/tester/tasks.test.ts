import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  dayMilliseconds,
  listOf,
  makeTesterInCycle,
  sendProof,
  setClock,
  setStatus,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const path = "/api/v1/testing/me/tasks";

describe.each(databases)("GET /api/v1/testing/me/tasks on $name", (engine) => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const get = (query = "", headers: Record<string, string> = world.device) =>
    service.request("GET", path + query, { headers });
  const tasksOf = async (query = "") => listOf(await get(query), "tasks");
  /** Another running cycle in which the same tester has a slot. */
  const makeAnother = async (traits: Parameters<typeof makeTesterInCycle>[1] = {}) => {
    const other = await makeTesterInCycle(service, traits);
    const [slotId = ""] = other.open;
    await service.giveSlot(other.cycle, slotId, world.tester);
    return { ...other, slotId };
  };

  it("contains everything that the tester needs to know about today", async () => {
    const { slotId, cycle, listing, testKey } = world;
    const task = {
      slotId,
      cycleId: cycle.id,
      listingId: listing.id,
      appName: "Lantern",
      iconUrl: expect.stringMatching(`^${service.baseUrl}/console/assets/icon\\.\\w+\\.svg$`),
      packageName: "com.example.lantern",
      optInUrl: "https://play.example/apps/testing/com.example.lantern",
      testBrief: "Light the lantern.",
      dayIndex: 1,
      durationDays: 14,
      targetScreen: expect.stringMatching(/^(Home|Settings|Map)$/),
      dueBy: cycle.dayStarts[1],
      submitted: false,
      slotStatus: "active",
      missedDays: 0,
      joinCheckPending: true,
      verificationTier: "sdk",
      testKey,
    };
    expect(await get()).toMatchObject({ status: 200, body: { tasks: [task], outstanding: 1 } });
  });

  it("has the default icon for apps without an icon", async () => {
    const icon = await fetch(String((await tasksOf())[0]?.iconUrl));
    expect([icon.status, icon.headers.get("content-type")]).toEqual([200, "image/svg+xml"]);
  });

  it("has an app's own icon, and no test key with the verification tier screenshot", async () => {
    const iconUrl = "https://lantern.example/icon.png";
    const another = await makeAnother({ verificationTier: "screenshot", iconUrl });
    const task = (await tasksOf()).find(({ slotId }) => slotId === another.slotId);
    expect(task).toMatchObject({ iconUrl, verificationTier: "screenshot", testKey: null });
  });

  it("counts tasks that are not submitted as outstanding", async () => {
    const other = await makeAnother();
    expect(await get()).toMatchObject({ body: { outstanding: 2 } });
    await sendProof(service, world.device, { slotId: other.slotId });
    const submitted = { slotId: other.slotId, submitted: true, joinCheckPending: false };
    expect((await get()).body).toMatchObject({
      tasks: [{ slotId: world.slotId, submitted: false }, submitted],
      outstanding: 1,
    });
  });

  it("is empty for a tester without a slot", async () => {
    const device = await service.makeDevice(await service.makeUser());
    for (const query of ["", "?day=3"])
      expect(await get(query, device)).toMatchObject({ status: 200, body: { tasks: [], outstanding: 0 } });
  });

  it("contains a task for a slot at risk, and shows the missed day", async () => {
    service.clock.advance(2 * dayMilliseconds);
    expect(await tasksOf()).toMatchObject([{ dayIndex: 3, slotStatus: "at_risk", missedDays: 1 }]);
  });

  it.each(["requested", "removed", "completed"])("contains no task for a slot that is %s", async (status) => {
    await setStatus(service, world.slotId, status);
    expect(await tasksOf()).toEqual([]);
  });

  it("contains no task before the first day or after the last day", async () => {
    const startsOn = new Date(service.clock.now().getTime() + dayMilliseconds).toISOString().slice(0, 10);
    const later = await makeAnother({ startsOn, durationDays: 1 });
    const slotIds = async () => (await tasksOf()).map(({ slotId }) => slotId);
    expect(await slotIds()).toEqual([world.slotId]);
    service.clock.advance(dayMilliseconds);
    expect(await slotIds()).toEqual([world.slotId, later.slotId]);
    service.clock.advance(dayMilliseconds);
    expect(await slotIds()).toEqual([world.slotId]);
  });

  it.each([
    {
      change: "25 hours",
      timezone: "Europe/Berlin",
      now: "2028-10-29T12:00:00Z",
      end: "2028-10-29T23:00:00.000Z",
    },
    {
      change: "24 hours",
      timezone: "Europe/Berlin",
      now: "2028-10-28T12:00:00Z",
      end: "2028-10-28T22:00:00.000Z",
    },
    {
      change: "23 hours",
      timezone: "America/New_York",
      now: "2029-03-11T15:00:00Z",
      end: "2029-03-12T04:00:00.000Z",
    },
    {
      change: "a day early",
      timezone: "Pacific/Kiritimati",
      now: "2029-06-01T12:00:00Z",
      end: "2029-06-02T10:00:00.000Z",
    },
  ])(
    "has the end of the day in the cycle's time zone as the due time: $change in $timezone",
    async ({ timezone, now, end }) => {
      setClock(service, now);
      world = await makeTesterInCycle(service, { timezone });
      expect(await tasksOf()).toMatchObject([{ dayIndex: 1, dueBy: end }]);
    },
  );

  describe("with day=N", () => {
    it("returns a past day with its due time, its screen and its submission", async () => {
      await sendProof(service, world.device, { slotId: world.slotId });
      const [first] = await tasksOf();
      service.clock.advance(dayMilliseconds);
      const { targetScreen, dueBy } = first ?? {};
      expect(await tasksOf("?day=1")).toMatchObject([{ dayIndex: 1, submitted: true, targetScreen, dueBy }]);
      expect(await get("?day=1")).toMatchObject({ body: { outstanding: 0 } });
      expect(await tasksOf("?day=2")).toEqual(await tasksOf());
    });

    it("has different screens on two consecutive days", async () => {
      service.clock.advance(dayMilliseconds);
      const screens = [await tasksOf("?day=1"), await tasksOf("?day=2")].map(([task]) => task?.targetScreen);
      expect(new Set(screens).size).toBe(2);
    });

    it("leaves out cycles in which this day has not begun", async () => {
      service.clock.advance(dayMilliseconds);
      await makeAnother();
      expect(await tasksOf()).toHaveLength(2);
      expect(await tasksOf("?day=2")).toMatchObject([{ slotId: world.slotId, dayIndex: 2 }]);
    });

    it("leaves out tests of which the tester became part after this day", async () => {
      const other = await makeTesterInCycle(service);
      service.clock.advance(2 * dayMilliseconds);
      const [slotId = ""] = other.open;
      await service.giveSlot(other.cycle, slotId, world.tester);
      expect(await get("?day=1")).toMatchObject({
        body: { tasks: [{ slotId: world.slotId }], outstanding: 1 },
      });
      expect(await tasksOf("?day=3")).toHaveLength(2);
    });

    it("refuses a day that has not begun in any cycle, and names the parameter", async () => {
      service.clock.advance(dayMilliseconds);
      expect(issuesOf(await get("?day=3"))).toEqual(["day: must be at most 2, which is today"]);
    });

    it.each(["0", "-1", "61", "1.5", "x", ""])("refuses day=%j", async (day) => {
      expect(issuesOf(await get(`?day=${day}`))).toEqual(["day: must be a whole number from 1 to 60"]);
    });
  });

  it("keeps its order and its ETag if nothing changes", async () => {
    await makeAnother();
    const first = await get();
    const etag = first.headers.get("etag") ?? "";
    expect(await get("", { ...world.device, "if-none-match": etag })).toMatchObject({
      status: 304,
      text: "",
    });
    expect((await get()).text).toBe(first.text);
  });

  it("forbids caches to store it, because it contains test keys", async () => {
    expect((await get()).headers.get("cache-control")).toBe("private, no-store");
  });
});
