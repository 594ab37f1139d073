import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { rateLimits } from "../../../src/contract/limits.ts";
import { databases } from "../../support/database/databases.ts";
import { unknownId } from "../../support/service/endpoints.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  dayMilliseconds,
  listOf,
  makeTesterInCycle,
  setStatus,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const hundred = Array.from({ length: 100 }, (_, at) => at);

describe.each(databases)("POST /api/v1/testing/slots/{slotId}/request on $name", (engine) => {
  let service: Service;
  let world: TesterInCycle;
  let device: Record<string, string>;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service, { seats: 3 });
    device = await makeDevice();
  });
  afterAll(() => service.stop());

  const makeDevice = async () => service.makeDevice(await service.makeUser());
  const ask = (slotId = "", headers: Record<string, string> = device, body?: unknown) =>
    service.request("POST", `/api/v1/testing/slots/${slotId}/request`, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
  const setCycle = (status: string) =>
    service.deps.database.write((tx) =>
      tx.run("UPDATE cycles SET status = ?, next_at = NULL WHERE id = ?", status, world.cycle.id),
    );

  it("reserves an open slot for 48 hours", async () => {
    const asked = service.clock.now().getTime();
    const answer = await ask(world.open[0]);
    const slot = { slotId: world.open[0], status: "requested", joinCheckPending: false, dayIndex: 1 };
    expect(answer).toMatchObject({ status: 201, body: { slot } });
    const stands = Date.parse(answer.field("slot.requestExpiresAt")) - asked;
    expect(stands - 2 * dayMilliseconds).toBeGreaterThanOrEqual(0);
    expect(stands - 2 * dayMilliseconds).toBeLessThan(60_000);
    expect(answer.text).not.toContain("testKey");
  });

  it("accepts an empty object and no body, and then the slot is among the tester's slots", async () => {
    expect((await ask(world.open[0], device, {})).status).toBe(201);
    const slots = await service.request("GET", "/api/v1/testing/me/slots", { headers: device });
    expect(listOf(slots, "slots")).toMatchObject([{ slotId: world.open[0], status: "requested" }]);
  });

  it("opens the slot again if nobody has answered for 48 hours", async () => {
    await ask(world.open[0]);
    service.clock.advance(2 * dayMilliseconds - 60_000);
    expect(await ask(world.open[0], await makeDevice())).toMatchObject({ body: { code: "slot_taken" } });
    service.clock.advance(60_000);
    expect((await ask(world.open[0], await makeDevice())).status).toBe(201);
  });

  describe("refuses a request with the first fault of this order:", () => {
    const refusal = (status: number, code: string) => ({ status, body: { code } });

    it("not_found for an unknown slot", async () => {
      expect(await ask(unknownId)).toMatchObject(refusal(404, "not_found"));
    });

    it("own_listing for the app's owner, in any state of the cycle", async () => {
      await setCycle("cancelled");
      const owner = await service.makeDevice(world.owner);
      expect(await ask(world.slotId, owner)).toMatchObject(refusal(403, "own_listing"));
    });

    it.each(["completed", "cancelled"])("cycle_not_open for a cycle that is %s", async (status) => {
      await setCycle(status);
      expect(await ask(world.slotId, world.device)).toMatchObject(refusal(422, "cycle_not_open"));
    });

    it.each(["requested", "active", "at_risk", "removed"])(
      "already_in_cycle for a tester who has, or had, a slot of it that is %s",
      async (status) => {
        await setStatus(service, world.slotId, status);
        for (const slotId of [world.slotId, world.open[0]])
          expect(await ask(slotId, world.device)).toMatchObject(refusal(409, "already_in_cycle"));
      },
    );

    it.each(["requested", "active", "at_risk", "removed", "completed"])(
      "slot_taken for a slot that is %s",
      async (status) => {
        await setStatus(service, world.slotId, status);
        expect(await ask(world.slotId)).toMatchObject(refusal(409, "slot_taken"));
      },
    );
  });

  it("returns the same refusal to a repeat with the same Idempotency-Key", async () => {
    const send = () => ask(world.slotId, { ...device, ...keyed("once") });
    const first = await send();
    await service.deps.database.write((tx) =>
      tx.run("UPDATE slots SET status = 'open', tester_id = NULL WHERE id = ?", world.slotId),
    );
    const again = await send();
    expect([again.status, again.text, isReplay(again)]).toEqual([409, first.text, true]);
  });

  it("returns own_listing to a repeat with the same Idempotency-Key, although its status is 403", async () => {
    const owner = await service.makeDevice(world.owner);
    const send = () => ask(world.slotId, { ...owner, ...keyed("own") });
    const first = await send();
    const again = await send();
    expect(first).toMatchObject({ status: 403, body: { code: "own_listing" } });
    expect([again.status, again.text, isReplay(again)]).toEqual([403, first.text, true]);
  });

  it("assigns the last slot to exactly one of 100 testers", async () => {
    const devices = await Promise.all(hundred.map(makeDevice));
    const answers = await Promise.all(devices.map((each) => ask(world.open[1], each)));
    const codes = answers.map(({ status, body }) =>
      status === 201 ? "got it" : Reflect.get(Object(body), "code"),
    );
    expect(codes.filter((code) => code === "got it")).toHaveLength(1);
    expect(codes.filter((code) => code === "slot_taken")).toHaveLength(99);
  });

  it("assigns exactly one of 100 slots to a tester who requests all of them at the same time", async () => {
    world = await makeTesterInCycle(service, { seats: 101 });
    const answers = await Promise.all(world.open.map((slotId) => ask(slotId)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 201);
    for (const answer of others)
      expect(answer).toMatchObject({ status: 409, body: { code: "already_in_cycle" } });
    const slots = await service.request("GET", "/api/v1/testing/me/slots", { headers: device });
    expect(listOf(slots, "slots")).toHaveLength(1);
  });

  it("allows one device 120 requests for slots and new keys together in an hour", async () => {
    const rotate = () =>
      service.request("POST", `/api/v1/testing/slots/${world.slotId}/rotate-key`, { headers: world.device });
    const allowed = await Promise.all(Array.from({ length: rateLimits.slotRequests.limit }, rotate));
    expect(allowed.filter(({ status }) => status !== 201)).toEqual([]);
    const refused = await ask(world.open[0], world.device);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    service.clock.advance(Number(refused.headers.get("retry-after")) * 1_000);
    expect(await ask(world.open[0], world.device)).toMatchObject({ body: { code: "already_in_cycle" } });
  });
});
