import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import { recordSession } from "../support/worlds/listing-and-slot-activity.ts";

describe.each(databases)("an erased tester on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("keeps the place in the test during the test, and leaves only numbers afterwards", async () => {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const call = (method: string, path: string, body?: unknown) =>
      service.request(method, `/api/v1/console${path}`, { headers, body });
    const cycle = await service.makeCycle(await service.makeListing(app));
    const slotId = cycle.slotIds[0] ?? "";
    const tester = await service.makeUser();
    await service.giveSlot(cycle, slotId, tester);
    await recordSession(service, slotId, { dayIndex: 1, reason: null });
    const seat = async () => {
      const { slots } = Object((await call("GET", `/cycles/${cycle.id}`)).body);
      return slots.find((slot: { slotId: string }) => slot.slotId === slotId);
    };
    const { email } = tester;
    expect(JSON.stringify(await seat())).toContain(email);

    const refused = await call("POST", "/people/erase", { email });
    expect([refused.status, refused.field("error")]).toEqual([
      409,
      expect.stringContaining("tests Lantern now"),
    ]);
    const preview = Object((await call("POST", "/people/preview", { email })).body);
    expect(preview.refusal).toContain("tests Lantern now");

    expect((await call("POST", `/slots/${slotId}/remove`, {})).status).toBeLessThan(300);
    const { id } = Object((await call("POST", "/people/erase", { email })).body);
    await eventually(async () => {
      const receipt = Object((await call("GET", `/people/erasures/${id}`)).body);
      expect(receipt).toMatchObject({ status: "done", counts: { seats: 1 } });
    });
    const left = await seat();
    expect(left).toMatchObject({ status: "removed" });
    expect(JSON.stringify(left)).not.toContain(email);
    const count = (table: string) =>
      service.deps.database.get<{ count: number }>(
        `SELECT count(*) AS count FROM ${table} WHERE slot_id = ?`,
        slotId,
      );
    expect(Number((await count("test_sessions"))?.count)).toBe(0);
    expect(Number((await count("counted_days"))?.count)).toBe(1);
    const page = await service.request("GET", `/console/cycles/${app.id}/${cycle.id}?slot=${slotId}`, {
      headers,
    });
    expect(page.status).toBe(200);
    const report = await service.request("GET", `/console/cycles/${app.id}/${cycle.id}/report`, { headers });
    expect(report.status).toBe(200);
  });
});
