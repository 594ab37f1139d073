import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { newListing } from "../../support/worlds/listing-and-slot-activity.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a listing", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const create = (listing: object = {}, app = world.app) =>
    world.call("POST", `/apps/${app.id}/listings`, { ...newListing, ...listing });
  const update = (id: string, change: object) => world.call("PATCH", `/listings/${id}`, change);
  const read = async (id: string) => (await world.call("GET", `/listings/${id}`)).body;

  it("has twelve slots, fourteen days and three allowed misses by default", async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...newListing,
      id: expect.any(String),
      appId: world.app.id,
      iconUrl: null,
      seats: 12,
      durationDays: 14,
      maxMissedDays: 3,
      createdAt: expect.stringMatching(/\.\d{3}Z$/),
      updatedAt: answer.field("createdAt"),
    });
    expect(await read(answer.field("id"))).toEqual(answer.body);
  });

  it("stores all fields that its owner sends", async () => {
    const said = {
      iconUrl: "https://example.org/icon.png",
      seats: 20,
      durationDays: 7,
      maxMissedDays: 1,
      verificationTier: "screenshot",
    };
    expect((await create(said)).body).toMatchObject(said);
  });

  it("is in the list with its app, the newest listing first", async () => {
    const app = await service.makeApp(world.owner);
    expect((await world.call("GET", `/apps/${app.id}/listings`)).body).toEqual({ items: [] });
    const first = await create({ appName: "First" }, app);
    service.clock.advance(1_000);
    const second = await create({ appName: "Second" }, app);
    const list = await world.call("GET", `/apps/${app.id}/listings`);
    expect(list.body).toEqual({ items: [second.body, first.body] });
  });

  it.each([
    [{ appName: "" }, "appName"],
    [{ packageName: "lantern" }, "packageName"],
    [{ optInUrl: "play.example" }, "optInUrl"],
    [{ optInUrl: "javascript:alert(1)" }, "optInUrl"],
    [{ testBrief: " " }, "testBrief"],
    [{ screens: [] }, "screens"],
    [{ screens: ["Home", " Home"] }, "screens"],
    [{ screens: ["Home", ""] }, "screens.1"],
    [{ screens: Array.from({ length: 51 }, (_, n) => `Screen ${n}`) }, "screens"],
    [{ verificationTier: "video" }, "verificationTier"],
    [{ iconUrl: "icon.png" }, "iconUrl"],
    [{ seats: 0 }, "seats"],
    [{ seats: 101 }, "seats"],
    [{ seats: null }, "seats"],
    [{ durationDays: 61 }, "durationDays"],
    [{ durationDays: 1.5 }, "durationDays"],
    [{ maxMissedDays: 0 }, "maxMissedDays"],
  ])(
    "is refused with %j on creation and on a change, and the answer names the field",
    async (fault, path) => {
      const id = (await create()).field("id");
      const before = await read(id);
      for (const answer of [await create(fault), await update(id, fault)])
        expect(answer).toMatchObject({ status: 400, body: { code: "bad_request", issues: [{ path }] } });
      expect(await read(id)).toEqual(before);
    },
  );

  it.each([
    ["appName", "Lamp"],
    ["iconUrl", "https://example.org/icon.png"],
    ["packageName", "com.example.lamp"],
    ["optInUrl", "https://play.example/lamp"],
    ["testBrief", "Light the lamp."],
    ["screens", ["Home", "Map", "Café ☕"]],
    ["seats", 5],
    ["durationDays", 20],
    ["maxMissedDays", 2],
    ["verificationTier", "screenshot"],
  ])("allows a change of its %s, and nothing else changes", async (field, value) => {
    const before = await create();
    service.clock.advance(1_000);
    const answer = await update(before.field("id"), { [field]: value });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      ...Object(before.body),
      [field]: value,
      updatedAt: expect.not.stringMatching(before.field("updatedAt")),
    });
    expect(await read(before.field("id"))).toEqual(answer.body);
  });

  it("can lose its icon by null, and no other field accepts null", async () => {
    const id = (await create({ iconUrl: "https://example.org/icon.png" })).field("id");
    expect((await update(id, { iconUrl: null })).body).toMatchObject({ iconUrl: null });
    const nulls = Object.fromEntries(Object.keys(newListing).map((field) => [field, null]));
    expect(await update(id, nulls)).toMatchObject({ status: 400 });
  });

  it("does not change with an empty change, and the audit has no entry for it", async () => {
    const before = await create();
    service.clock.advance(1_000);
    expect(await update(before.field("id"), {})).toMatchObject({ status: 200, body: before.body });
    const { body } = await world.call("GET", "/audit?limit=1");
    expect(body).toMatchObject({ items: [{ action: "listing.create", target: before.field("id") }] });
  });

  it("cannot be read by a token that is limited to another app", async () => {
    const other = await service.makeApp(world.owner);
    const traits = { scopes: ["testing:manage"], appId: other.id };
    const headers = bearer(await service.makeToken(world.owner, "maintainer", traits));
    const id = (await create()).field("id");
    const call = (method: string, path: string, body?: unknown) =>
      service.request(method, `/api/v1/console${path}`, { headers, body });
    expect(await call("GET", `/listings/${id}`)).toMatchObject({ status: 404 });
    expect(await call("PATCH", `/listings/${id}`, { seats: 1 })).toMatchObject({ status: 404 });
    expect(await call("GET", `/apps/${world.app.id}/listings`)).toMatchObject({ status: 404 });
    expect(await call("POST", `/apps/${other.id}/listings`, newListing)).toMatchObject({ status: 201 });
  });

  it("is deleted with its app, together with its cycles", async () => {
    const app = await service.makeApp(world.owner);
    const id = (await create({}, app)).field("id");
    const cycle = { startsOn: "8999-01-01", timezone: "UTC" };
    const planned = await world.call("POST", `/listings/${id}/cycles`, cycle);
    await world.call("DELETE", `/apps/${app.id}`);
    expect(await world.call("GET", `/listings/${id}`)).toMatchObject({ status: 404 });
    expect(await world.call("GET", `/cycles/${planned.field("cycle.id")}`)).toMatchObject({ status: 404 });
  });
});
