import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  dayMilliseconds,
  listOf,
  makeTesterInCycle,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

describe("GET /api/v1/testing/listings", () => {
  let service: Service;
  let world: TesterInCycle;
  let device: Record<string, string>;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service, { seats: 3 });
    device = await service.makeDevice(await service.makeUser());
  });
  afterAll(() => service.stop());

  const get = (headers = device) => service.request("GET", "/api/v1/testing/listings", { headers });
  /** The entry of this test's cycle in the list. The list also has the cycles of other tests in this file. */
  const offered = async (headers = device) =>
    listOf(await get(headers), "listings").filter(({ cycleId }) => cycleId === world.cycle.id);
  /** The ids of the cycles on a page, and the cursor of the next one. */
  const pageOf = async (query: string) => {
    const page = Object(
      (await service.request("GET", `/api/v1/testing/listings${query}`, { headers: device })).body,
    );
    return { ids: page.listings.map(({ cycleId }: { cycleId: string }) => cycleId), cursor: page.nextCursor };
  };
  const ask = (slotId: unknown, headers: Record<string, string>) =>
    service.request("POST", `/api/v1/testing/slots/${slotId}/request`, { headers, body: {} });

  it("lists a running cycle with open slots, and names one of them", async () => {
    const { cycle, listing, open } = world;
    const offer = {
      listingId: listing.id,
      cycleId: cycle.id,
      appName: "Lantern",
      iconUrl: expect.stringMatching(`^${service.baseUrl}/console/assets/icon\\.\\w+\\.svg$`),
      packageName: "com.example.lantern",
      testBrief: "Light the lantern.",
      durationDays: 14,
      seatsFree: 2,
      openSlotId: open[0],
      startsOn: cycle.startsOn,
      cycleStatus: "running",
    };
    expect(await offered()).toEqual([offer]);
  });

  it("lists a cycle that recruits for a later day", async () => {
    const startsOn = new Date(service.clock.now().getTime() + dayMilliseconds).toISOString().slice(0, 10);
    world = await makeTesterInCycle(service, { startsOn });
    expect(await offered()).toMatchObject([{ cycleStatus: "recruiting", startsOn, seatsFree: 11 }]);
  });

  it("offers the next slot if one is requested, and no slot if all are taken", async () => {
    for (const [at, seatsFree] of [2, 1].entries()) {
      const [offer] = await offered();
      expect(offer).toMatchObject({ seatsFree, openSlotId: world.open[at] });
      const asking = await service.makeDevice(await service.makeUser());
      expect((await ask(offer?.openSlotId, asking)).status).toBe(201);
    }
    expect(await offered()).toEqual([]);
  });

  it("offers a slot again after its request has expired", async () => {
    await ask(world.open[0], await service.makeDevice(await service.makeUser()));
    expect(await offered()).toMatchObject([{ seatsFree: 1 }]);
    service.clock.advance(2 * dayMilliseconds);
    expect(await offered()).toMatchObject([{ seatsFree: 2, openSlotId: world.open[0] }]);
  });

  it("returns one page at a time, the newest first, and each cycle once", async () => {
    for (let n = 0; n < 2; n += 1) world = await makeTesterInCycle(service, { seats: 3 });
    const all = await pageOf("?limit=100");
    expect(all.cursor).toBeNull();
    expect(all.ids.at(0)).toBe(world.cycle.id);
    const found: string[] = [];
    for (let query = "?limit=1"; ; ) {
      const { ids, cursor } = await pageOf(query);
      expect(ids).toHaveLength(1);
      found.push(...ids);
      if (cursor === null) break;
      query = `?limit=1&cursor=${cursor}`;
    }
    expect(found).toEqual(all.ids);
    expect(found.length).toBeGreaterThan(2);
    const broken = await service.request("GET", "/api/v1/testing/listings?cursor=x", { headers: device });
    expect([broken.status, broken.field("code")]).toEqual([400, "bad_request"]);
  });

  it("offers no slots of their own cycles to owners, and no slots of a tester's present cycles to that tester", async () => {
    expect(await offered(await service.makeDevice(world.owner))).toEqual([]);
    expect(await offered(world.device)).toEqual([]);
  });

  it("offers no slots of a cycle that is completed or cancelled", async () => {
    await service.deps.database.write((tx) =>
      tx.run("UPDATE cycles SET status = 'cancelled', next_at = NULL WHERE id = ?", world.cycle.id),
    );
    expect(await offered()).toEqual([]);
    world = await makeTesterInCycle(service, { durationDays: 1 });
    service.clock.advance(dayMilliseconds);
    expect(await offered()).toEqual([]);
  });
});
