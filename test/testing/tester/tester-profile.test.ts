import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faultyPaths } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeTesterInCycle,
  setStatus,
  type TesterInCycle,
} from "../../support/worlds/tester-in-running-cycle.ts";

describe("PATCH /api/v1/testing/me/profile", () => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const change = (body: object, headers: Record<string, string> = world.device) =>
    service.request("PATCH", "/api/v1/testing/me/profile", { headers, body });
  /** The push tokens of an account's devices, which no answer contains. */
  const pushTokens = async ({ id }: { id: string }) => {
    const rows = await service.deps.database.all<{ token: string | null }>(
      "SELECT push_token AS token FROM devices WHERE user_id = ? ORDER BY created_at, id",
      id,
    );
    return rows.map(({ token }) => token);
  };

  it("changes the time zone, which is UTC at first", async () => {
    expect(await change({})).toMatchObject({ status: 200, body: { timezone: "UTC", isTester: true } });
    expect(await change({ timezone: "Asia/Kolkata" })).toMatchObject({ body: { timezone: "Asia/Kolkata" } });
    expect(await change({})).toMatchObject({ body: { timezone: "Asia/Kolkata" } });
  });

  it("changes the time zone for the account on all its devices", async () => {
    await change({ timezone: "Asia/Kolkata" });
    const other = await service.makeDevice(world.tester);
    expect(await change({}, other)).toMatchObject({ body: { timezone: "Asia/Kolkata" } });
  });

  it("says that an account is a tester after it has had a slot, even if that slot was removed", async () => {
    const device = await service.makeDevice(await service.makeUser());
    expect(await change({}, device)).toMatchObject({ body: { isTester: false } });
    await setStatus(service, world.slotId, "removed");
    expect(await change({})).toMatchObject({ body: { isTester: true } });
  });

  it.each(["Mars/Olympus", "", "+25:00", null, 7])("refuses the time zone %j", async (timezone) => {
    expect(new Set(faultyPaths(await change({ timezone })))).toEqual(new Set(["timezone"]));
  });

  it("stores a push token for this device only, and never returns it", async () => {
    await service.makeDevice(world.tester);
    const answer = await change({ pushToken: "fcm:1234" });
    expect((await pushTokens(world.tester)).sort()).toEqual(["fcm:1234", null]);
    expect(answer.text).not.toContain("fcm:1234");
  });

  it.each([null, "", "  "])("removes the push token with the value %j", async (pushToken) => {
    await change({ pushToken: "fcm:1234" });
    await change({ timezone: "Asia/Kolkata" });
    expect(await pushTokens(world.tester)).toEqual(["fcm:1234"]);
    await change({ pushToken });
    expect(await pushTokens(world.tester)).toEqual([null]);
  });

  it("accepts a push token of 1,000 characters, and refuses one of 1,001", async () => {
    expect((await change({ pushToken: "x".repeat(1_000) })).status).toBe(200);
    expect(faultyPaths(await change({ pushToken: "x".repeat(1_001) }))).toEqual(["pushToken"]);
  });
});
