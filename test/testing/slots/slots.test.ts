import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedText } from "../../support/service/stored-content.ts";
import {
  dayMilliseconds,
  listOf,
  makeTesterInCycle,
  sendProof,
  setStatus,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const path = "/api/v1/testing/me/slots";

describe("the endpoints of a tester's slots", () => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const get = (headers: Record<string, string> = world.device) => service.request("GET", path, { headers });
  const slotsOf = async () => listOf(await get(), "slots");
  const taskOf = async () =>
    listOf(await service.request("GET", "/api/v1/testing/me/tasks", { headers: world.device }), "tasks")[0];

  describe("GET /api/v1/testing/me/slots", () => {
    it("returns the state of a slot", async () => {
      const slot = {
        slotId: world.slotId,
        cycleId: world.cycle.id,
        status: "active",
        app: {
          name: "Lantern",
          iconUrl: expect.stringMatching(`^${service.baseUrl}/console/assets/icon\\.\\w+\\.svg$`),
          packageName: "com.example.lantern",
          optInUrl: "https://play.example/apps/testing/com.example.lantern",
        },
        dayIndex: 1,
        durationDays: 14,
        cycleStatus: "running",
        missedDays: 0,
        lastProofDayIndex: 0,
        joinCheckPending: true,
        requestExpiresAt: null,
        verificationTier: "sdk",
        testKey: world.testKey,
      };
      expect((await get()).body).toEqual({ slots: [slot] });
    });

    it("returns the last day that was counted", async () => {
      await sendProof(service, world.device, { slotId: world.slotId });
      service.clock.advance(dayMilliseconds);
      await sendProof(service, world.device, { slotId: world.slotId });
      service.clock.advance(dayMilliseconds);
      const slot = { dayIndex: 3, lastProofDayIndex: 2, missedDays: 0, joinCheckPending: false };
      expect(await slotsOf()).toMatchObject([slot]);
    });

    it("lists running, finished and removed slots, the newest cycle first", async () => {
      await setStatus(service, world.slotId, "removed");
      service.clock.advance(1_000);
      const short = await makeTesterInCycle(service, { durationDays: 1 });
      await service.giveSlot(short.cycle, short.open[0] ?? "", world.tester);
      service.clock.advance(2 * dayMilliseconds);
      const running = await makeTesterInCycle(service);
      await service.giveSlot(running.cycle, running.open[0] ?? "", world.tester);
      expect(await slotsOf()).toMatchObject([
        { slotId: running.open[0], status: "active", cycleStatus: "running" },
        { slotId: short.open[0], status: "completed", cycleStatus: "completed", dayIndex: 1 },
        { slotId: world.slotId, status: "removed", cycleStatus: "running" },
      ]);
    });

    it.each([
      { status: "active", shows: true },
      { status: "at_risk", shows: true },
      { status: "removed", shows: false },
      { status: "completed", shows: false },
    ])("returns the test key of a slot that is $status: $shows", async ({ status, shows }) => {
      await setStatus(service, world.slotId, status);
      expect((await slotsOf()).map((slot) => Object.hasOwn(slot, "testKey"))).toEqual([shows]);
    });

    it("returns no test key with the verification tier screenshot", async () => {
      world = await makeTesterInCycle(service, { verificationTier: "screenshot" });
      expect((await slotsOf()).map((slot) => Object.hasOwn(slot, "testKey"))).toEqual([false]);
    });

    it("does not return the slots of other testers", async () => {
      const device = await service.makeDevice(await service.makeUser());
      expect(await get(device)).toMatchObject({ status: 200, body: { slots: [] } });
    });

    it("answers 304 if nothing has changed, and forbids caches to store the keys", async () => {
      const first = await get();
      const known = { ...world.device, "if-none-match": first.headers.get("etag") ?? "" };
      expect(await get(known)).toMatchObject({ status: 304, text: "" });
      expect(first.headers.get("cache-control")).toBe("private, no-store");
    });
  });

  describe("POST /api/v1/testing/slots/{slotId}/rotate-key", () => {
    const rotate = (slotId: string, headers: Record<string, string> = world.device) =>
      service.request("POST", `/api/v1/testing/slots/${slotId}/rotate-key`, { headers, body: {} });

    it("creates a new test key, which the task then contains", async () => {
      const answer = await rotate(world.slotId);
      expect(answer).toMatchObject({
        status: 201,
        body: { slot: { slotId: world.slotId, status: "active" } },
      });
      const key = answer.field("slot.testKey");
      expect([key === world.testKey, key]).toEqual([false, expect.stringMatching(/^stk_\w{38}$/)]);
      expect(await taskOf()).toMatchObject({ testKey: key });
    });

    it("stores both keys and the response only as hashes or encrypted", async () => {
      const { field } = await rotate(world.slotId, { ...world.device, ...keyed("once") });
      const stored = await storedText(service);
      expect([stored.includes(field("slot.testKey")), stored.includes(world.testKey)]).toEqual([
        false,
        false,
      ]);
    });

    it("accepts a slot at risk, and refuses a slot that is not active", async () => {
      await setStatus(service, world.slotId, "at_risk");
      expect((await rotate(world.slotId)).status).toBe(201);
      await setStatus(service, world.slotId, "removed");
      expect(await rotate(world.slotId)).toMatchObject({ status: 403, body: { code: "slot_not_active" } });
    });

    it("does not find the slot of another tester, or an open slot", async () => {
      const stranger = await service.makeDevice(await service.makeUser());
      for (const answer of [await rotate(world.slotId, stranger), await rotate(world.open[0] ?? "")])
        expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(await taskOf()).toMatchObject({ testKey: world.testKey });
    });
  });
});
