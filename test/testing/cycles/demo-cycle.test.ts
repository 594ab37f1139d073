import { describe, expect, it } from "vitest";
import { users } from "../../../server/access/accounts/store.ts";
import { seedDemo } from "../../../server/demo/seed-demo.ts";
import type { SlotWithDays } from "../../../src/contract/cycles.ts";
import { type Service, startService } from "../../support/service/service.ts";

const day = 86_400_000;

/** The cycle of the demo as its owner reads it. */
async function demoCycle(service: Service) {
  const { appId, email } = await seedDemo(service.deps);
  const owner = await users.findByEmail(service.deps.database, email);
  const headers = await service.signIn({ id: owner?.id ?? "" });
  const read = (path: string) => service.request("GET", `/api/v1/console${path}`, { headers });
  const listingId = (await read(`/apps/${appId}/listings`)).field("items.0.id");
  const cycleId = (await read(`/listings/${listingId}/cycles`)).field("items.0.id");
  const cycle = await read(`/cycles/${cycleId}`);
  const slots: SlotWithDays[] = JSON.parse(cycle.text).slots;
  return { cycle: cycle.body, slots, report: await read(`/cycles/${cycleId}/report`) };
}

const inBerlin = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Berlin", timeStyle: "medium" });

/** Moves a service's clock forward to an hour of the day in Berlin. */
function moveTo(service: Service, time: string): void {
  const [here = 0, there = 0] = [inBerlin.format(service.clock.now()), time].map((text) =>
    text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0),
  );
  service.clock.advance(((there - here) * 1_000 + day) % day);
}

describe("the cycle of the demo", () => {
  it.each(["00:00:20", "00:11:00", "06:30:00", "12:00:00", "23:59:30"])(
    "is on its ninth day at %s, and contains each kind of day",
    async (time) => {
      const service = await startService();
      moveTo(service, time);
      const { cycle, slots } = await demoCycle(service);
      expect(cycle).toMatchObject({ cycle: { status: "running", dayIndex: 9, durationDays: 14 } });
      const kinds = slots.flatMap(({ days }) => days.map(({ state, countedBy }) => countedBy ?? state));
      expect(new Set(kinds)).toEqual(new Set(["session", "proof", "missed", "open", "ahead", "none"]));
      expect(slots.filter(({ status }) => status === "requested")).toHaveLength(2);
      const sessions = slots.flatMap(({ days }) => days.flatMap(({ session }) => session ?? []));
      expect(sessions.filter(({ endedAt }) => endedAt > service.clock.now().toISOString())).toEqual([]);
      await service.stop();
    },
  );

  it("follows the rules: three missed days ended a slot, and a late upload replaced a missed day", async () => {
    const service = await startService();
    const { slots } = await demoCycle(service);
    const states = slots.map(({ seat, status, missedDays }) => [seat, status, missedDays]);
    expect(states.slice(2, 9)).toEqual([
      [3, "active", 0],
      [4, "active", 1],
      [5, "active", 1],
      [6, "removed", 3],
      [6, "active", 0],
      [7, "active", 0],
      [8, "at_risk", 1],
    ]);
    await service.stop();
  });

  it("contains an image that can be opened", async () => {
    const service = await startService();
    const { slots } = await demoCycle(service);
    const [image = ""] = slots.flatMap(({ days }) => days.flatMap(({ proof }) => proof?.images ?? []));
    const answer = await service.request("GET", image.slice(service.baseUrl.length));
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    await service.stop();
  });
});
