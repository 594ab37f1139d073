import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  dayMilliseconds,
  makePlannedCycle,
  resetClock,
} from "../../support/worlds/cycle-planned-by-owner.ts";
import { newListing } from "../../support/worlds/listing-and-slot-activity.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("a cycle on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let listingId: string;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
    const listing = { ...newListing, seats: 3, durationDays: 4, maxMissedDays: 2 };
    listingId = (await world.call("POST", `/apps/${world.app.id}/listings`, listing)).field("id");
  });
  afterEach(() => resetClock(service));
  afterAll(() => service.stop());

  const dateIn = (days: number) =>
    new Date(service.clock.now().getTime() + days * dayMilliseconds).toISOString().slice(0, 10);
  const plan = (cycle: object) =>
    world.call("POST", `/listings/${listingId}/cycles`, { startsOn: dateIn(0), timezone: "UTC", ...cycle });
  const read = (id: string) => world.call("GET", `/cycles/${id}`);

  it("takes the days, the allowed misses and the number of slots from its listing", async () => {
    const answer = await plan({ startsOn: "2999-03-30", timezone: "Europe/Berlin" });
    expect(answer.status).toBe(201);
    const cycleId = answer.field("cycle.id");
    expect(answer.body).toEqual({
      cycle: {
        id: cycleId,
        listingId,
        appId: world.app.id,
        status: "recruiting",
        startsOn: "2999-03-30",
        timezone: "Europe/Berlin",
        durationDays: 4,
        maxMissedDays: 2,
        startsAt: "2999-03-29T23:00:00.000Z",
        endsAt: "2999-04-02T22:00:00.000Z",
        dayIndex: 0,
        createdAt: expect.stringMatching(/\.\d{3}Z$/),
      },
      slots: [1, 2, 3].map((seat) => ({
        slotId: expect.stringMatching(/^[\da-f-]{36}$/),
        cycleId,
        seat,
        status: "open",
        tester: null,
        missedDays: 0,
        daysCounted: 0,
        joinCheckPending: false,
        requestExpiresAt: null,
        activatedAt: null,
        endedAt: null,
      })),
    });
    expect((await read(cycleId)).body).toMatchObject(Object(answer.body));
  });

  it.each([
    [1, "recruiting", 0],
    [0, "running", 1],
    [-1, "running", 2],
    [-3, "running", 4],
  ])("that starts in %d days is immediately %s, on day %d", async (days, status, dayIndex) => {
    const answer = await plan({ startsOn: dateIn(days) });
    expect(answer.body).toMatchObject({ cycle: { status, dayIndex } });
    expect((await read(answer.field("cycle.id"))).body).toMatchObject({ cycle: { status, dayIndex } });
  });

  it.each([
    [{ startsOn: () => dateIn(-4) }, "startsOn"],
    [{ startsOn: () => "2001-01-01" }, "startsOn"],
    [{ startsOn: () => "2999-02-29" }, "startsOn"],
    [{ startsOn: () => "tomorrow" }, "startsOn"],
    [{ startsOn: () => "2999-01-01T00:00:00Z" }, "startsOn"],
    [{ timezone: () => "Mars/Olympus" }, "timezone"],
    [{ timezone: () => "+01:00" }, "timezone"],
    [{ timezone: () => "Europe" }, "timezone"],
  ])("is refused if its dates or its time zone are invalid: %#", async (fault, path) => {
    const [[name, value] = ["", () => ""]] = Object.entries(fault);
    const before = await world.call("GET", `/listings/${listingId}/cycles`);
    const answer = await plan({ [name]: value() });
    expect(answer).toMatchObject({ status: 400, body: { code: "bad_request", issues: [{ path }] } });
    expect((await world.call("GET", `/listings/${listingId}/cycles`)).body).toEqual(before.body);
  });

  it("keeps its days and allowed misses if the listing changes", async () => {
    const id = (await plan({})).field("cycle.id");
    await world.call("PATCH", `/listings/${listingId}`, { durationDays: 9, maxMissedDays: 9, seats: 9 });
    const { body } = await read(id);
    expect(body).toMatchObject({ cycle: { durationDays: 4, maxMissedDays: 2 } });
    expect(Object(body).slots).toHaveLength(3);
    const later = await plan({});
    expect(later.body).toMatchObject({ cycle: { durationDays: 9, maxMissedDays: 9 } });
    expect(Object(later.body).slots).toHaveLength(9);
    await world.call("PATCH", `/listings/${listingId}`, { durationDays: 4, maxMissedDays: 2, seats: 3 });
  });

  it("starts and ends automatically", async () => {
    const id = (await plan({ startsOn: dateIn(1) })).field("cycle.id");
    const standing = async (days: number) => {
      resetClock(service);
      const midnight = Date.parse(dateIn(days));
      service.clock.advance(midnight - service.clock.now().getTime());
      return (await read(id)).body;
    };
    expect(await standing(1)).toMatchObject({ cycle: { status: "running", dayIndex: 1 } });
    expect(await standing(4)).toMatchObject({ cycle: { status: "running", dayIndex: 4 } });
    expect(await standing(5)).toMatchObject({ cycle: { status: "running", dayIndex: 4 } });
    expect(await standing(6)).toMatchObject({ cycle: { status: "completed", dayIndex: 4 } });
  });

  it("is in the list with its listing, the newest cycle first", async () => {
    const empty = await world.call("POST", `/apps/${world.app.id}/listings`, newListing);
    const path = `/listings/${empty.field("id")}/cycles`;
    expect((await world.call("GET", path)).body).toEqual({ items: [] });
    const first = await world.call("POST", path, { startsOn: dateIn(0), timezone: "UTC" });
    service.clock.advance(1_000);
    const second = await world.call("POST", path, { startsOn: dateIn(9), timezone: "UTC" });
    expect((await world.call("GET", path)).body).toEqual({
      items: [
        { ...Object(second.body).cycle, verdict: expect.objectContaining({ state: "not_started" }) },
        { ...Object(first.body).cycle, verdict: expect.objectContaining({ state: "at_risk" }) },
      ],
    });
  });

  it("frees the requested slots and removes the testers of the other slots when it is cancelled", async () => {
    const test = await makePlannedCycle(service, world);
    const [held, asked, open] = test.slotIds;
    await test.ask(held);
    await test.change(held, "accept");
    await test.ask(asked);
    const answer = await test.cancel();
    expect(answer).toMatchObject({ status: 200, body: { id: test.cycleId, status: "cancelled" } });
    expect(await test.slots()).toMatchObject([
      { slotId: held, status: "removed", endedAt: expect.any(String) },
      { slotId: asked, status: "open", tester: null, requestExpiresAt: null },
      { slotId: open, status: "open" },
    ]);
    test.toDay(3);
    expect(await test.slots()).toMatchObject([{ status: "removed" }, { status: "open" }, { status: "open" }]);
  });

  it.each([
    ["recruiting", { startsIn: 2 }, 200],
    ["running", {}, 200],
    ["completed", { durationDays: 1 }, 409],
    ["cancelled", {}, 409],
  ])("that is %s (%j) answers a cancellation with %d", async (status, traits, code) => {
    const test = await makePlannedCycle(service, world, traits);
    if (status === "cancelled") await test.cancel();
    if (status === "completed") test.toDay(3, 0);
    const before = await read(test.cycleId);
    expect(before.body).toMatchObject({ cycle: { status } });
    const answer = await test.cancel();
    expect(answer.status).toBe(code);
    if (code === 200) return;
    expect(answer.body).toMatchObject({ code: "wrong_state" });
    expect((await read(test.cycleId)).body).toEqual(before.body);
  });

  it("is cancelled once if many requests arrive", async () => {
    const test = await makePlannedCycle(service, world);
    const answers = await Promise.all(Array.from({ length: 10 }, () => test.cancel()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it("is recorded in the audit when it is planned or cancelled, and not when a request is refused", async () => {
    const owned = await makeOwnerWithOneOfEach(service);
    const test = await makePlannedCycle(service, owned);
    await test.cancel();
    await test.cancel();
    const { body } = await owned.call("GET", "/audit?limit=3");
    expect(body).toMatchObject({
      items: [
        { action: "cycle.cancel", target: test.cycleId, appId: owned.app.id },
        { action: "cycle.create", target: test.cycleId, appId: owned.app.id },
        { action: "listing.create" },
      ],
    });
  });

  it("cannot be read by a token without the scope, or by a token of another app", async () => {
    const other = await service.makeApp(world.owner);
    const { cycleId } = await makePlannedCycle(service, world);
    const readWith = async (traits: { scopes: string[]; appId?: string }, path: string) => {
      const headers = bearer(await service.makeToken(world.owner, "maintainer", traits));
      return (await service.request("GET", `/api/v1/console${path}`, { headers })).status;
    };
    const paths = [`/cycles/${cycleId}`, `/cycles/${cycleId}/report`, `/listings/${listingId}/cycles`];
    for (const path of paths) {
      expect(await readWith({ scopes: ["testing:manage"], appId: world.app.id }, path)).toBe(200);
      expect(await readWith({ scopes: ["testing:manage"], appId: other.id }, path)).toBe(404);
      expect(await readWith({ scopes: ["apps:read"] }, path)).toBe(403);
    }
  });
});
