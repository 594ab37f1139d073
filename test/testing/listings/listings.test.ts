import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { changeHours } from "../../../server/notices/choices/hours.ts";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  locationOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { newListing, requestSlotAs } from "../../support/worlds/listing-and-slot-activity.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const filled = {
  appName: "Lantern",
  packageName: "com.example.lantern",
  optInUrl: "https://play.example/apps/testing/com.example.lantern",
  testBrief: "Light the lantern.",
  screens: "Home\n\n  Map  \n",
};

describe("the pages of an app's listings and cycles", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  let app: { readonly id: string };
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    app = await service.makeApp(world.owner, { name: "Torch" });
  });

  const address = (part = "") => `/console/testing/${app.id}${part}`;
  const create = async (values: Record<string, string> = {}) =>
    owner.send(await owner.open(address("/new")), address("/new"), {
      ...filled,
      verificationTier: "sdk",
      ...values,
    });
  const stored = async () => (await world.call("GET", `/apps/${app.id}/listings`)).body;
  const listed = async () => (await world.call("POST", `/apps/${app.id}/listings`, newListing)).field("id");
  const plan = async (id: string, values: Record<string, string>) =>
    owner.send(await owner.open(address(`/${id}`)), address(`/${id}/cycles`), values);

  it("explain what a listing is if there is no listing", async () => {
    expect(readingOf(await owner.open(address()))).toContain("A listing says what testers should test.");
  });

  it("offer a listing of twelve slots and fourteen days, with the app's name", async () => {
    const fields = fieldsOf(formOf(await owner.open(address("/new")), address("/new")));
    expect(fields).toMatchObject({ appName: "Torch", seats: "12", durationDays: "14", maxMissedDays: "3" });
  });

  it("create a listing with one screen for each line that is not empty", async () => {
    const page = await owner.follow(await create({ seats: "3", iconUrl: " " }));
    expect(readingOf(page)).toMatch(/Lantern com\.example\.lantern Opt-in page .*Home Map/);
    expect(await stored()).toMatchObject({
      items: [{ screens: ["Home", "Map"], seats: 3, durationDays: 14, iconUrl: null }],
    });
  });

  it.each([
    ["appName", " ", "Name of the app must not be empty."],
    ["packageName", "lantern", "Package name must be a package name such as com.example.app."],
    ["optInUrl", "javascript:alert(1)", "Opt-in address must be"],
    ["screens", "Home\nHome", "Screens must name each screen once."],
    ["seats", "a dozen", "Slots must be a whole number."],
    ["durationDays", "61", "Days must be at most 60."],
    ["maxMissedDays", "0", "Missed days must be at least 1."],
  ])("show the fault of %s with the value %j at its field", async (name, value, fault) => {
    const page = await create({ [name]: value });
    expect(page.status).toBe(400);
    expect(readingOf(page)).toContain(fault);
    expect(fieldsOf(formOf(page, address("/new")))[name]).toBe(value);
  });

  it("save only the changed fields of a listing", async () => {
    const id = await listed();
    const page = await owner.open(address(`/${id}`));
    await world.call("PATCH", `/listings/${id}`, { testBrief: "Another brief." });
    await owner.send(page, address(`/${id}`), { screens: "Home\nMap\nSettings" });
    expect(await stored()).toMatchObject({
      items: [{ testBrief: "Another brief.", screens: ["Home", "Map", "Settings"] }],
    });
  });

  it("plan a cycle in the chosen time zone, and the cycle starts automatically", async () => {
    const id = await listed();
    const answer = await plan(id, { startsOn: "2999-03-01", timezone: "Asia/Tokyo" });
    const page = readingOf(await owner.follow(answer));
    expect(page).toMatch(/Cycle from Fri 1 Mar 2999 Recruiting/);
    expect(page).toContain("last day Thu 14 Mar 2999 Asia/Tokyo Late sessions count until 15 Mar");
    expect(page).toContain("Not started: 0 of 12 slots have a tester.");
    expect(readingOf(await owner.open(address(`/${id}`)))).toContain("14 days, not started Asia/Tokyo");
  });

  it("offer the time zone of the last cycle again", async () => {
    const id = await listed();
    await plan(id, { startsOn: "2999-03-01", timezone: "Asia/Tokyo" });
    const fields = fieldsOf(formOf(await owner.open(address(`/${id}`)), address(`/${id}/cycles`)));
    expect(fields).toMatchObject({ timezone: "Asia/Tokyo" });
  });

  it("offer the time zone of the owner's account for the first cycle", async () => {
    const id = await listed();
    const zone = async () =>
      fieldsOf(formOf(await owner.open(address(`/${id}`)), address(`/${id}/cycles`))).timezone;
    expect(await zone()).toBe("UTC");
    const move = (timezone: string) =>
      service.deps.database.write((tx) => changeHours(service.deps, tx, world.owner.id, { timezone }));
    await move("America/Lima");
    expect(await zone()).toBe("America/Lima");
    await move("UTC");
  });

  it.each([
    ["startsOn", "soon", "First day must be a date, YYYY-MM-DD."],
    [
      "startsOn",
      "2020-01-01",
      "First day must be later, because the last day of the test would already be over.",
    ],
    ["timezone", "Mars/Olympus", "Time zone must be an IANA time zone such as Europe/London."],
  ])("show the fault of a cycle if its %s is %s", async (name, value, fault) => {
    const answer = await plan(await listed(), { startsOn: "2999-03-01", timezone: "UTC", [name]: value });
    expect([answer.status, readingOf(answer)]).toEqual([400, expect.stringContaining(fault)]);
  });

  it("create one cycle if the form is sent twice", async () => {
    const id = await listed();
    const page = await owner.open(address(`/${id}`));
    const values = { startsOn: "2999-03-01", timezone: "UTC" };
    const [first, second] = [
      await owner.send(page, address(`/${id}/cycles`), values),
      await owner.send(page, address(`/${id}/cycles`), values),
    ];
    expect(locationOf(second)).toBe(locationOf(first));
    expect((await world.call("GET", `/listings/${id}/cycles`)).body).toMatchObject({ items: [{}] });
  });

  it("do not show a listing or a cycle of another app", async () => {
    const id = await listed();
    const other = await service.makeApp(world.owner);
    expect((await owner.open(`/console/testing/${other.id}/${id}`)).status).toBe(404);
  });

  it("show requests for slots on every page, on the start page and in the list, until they expire", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const visitor = createBrowserWithoutScripts(service, other.headers);
    const waiting = async () => readingOf(await visitor.open("/console"));
    expect(await waiting()).toContain("1 proposal waits, 1 slot request, 1 test with too few testers");
    expect(await waiting()).toMatch(
      /Slot requests .*@example\.org Requested Lantern Slot 1 expires in 2 days/,
    );
    expect(readingOf(await visitor.open(`/console/testing/${other.app.id}`))).toContain("1 request Running");
    service.clock.advance(48 * 3_600_000);
    expect(await waiting()).not.toContain("slot request");
    service.clock.advance(-48 * 3_600_000);
  });

  it("show the fifty requests that expire first on the start page, and all requests of an app on its page", async () => {
    const other = await service.makeUser();
    const [busy, calm] = [await service.makeApp(other), await service.makeApp(other)];
    const { slotIds } = await service.makeCycle(await service.makeListing(busy, { seats: 51 }));
    for (const slotId of slotIds) await requestSlotAs(service, slotId, await service.makeUser());
    const visitor = createBrowserWithoutScripts(service, await service.signIn(other));
    const live = async () =>
      /id="asked" data-live="([^"]+)"/.exec((await visitor.open("/console")).text)?.[1];
    const before = await live();
    service.clock.advance(3_600_000);
    const late = await service.makeCycle(await service.makeListing(calm));
    await requestSlotAs(service, late.slotIds[0] ?? "", await service.makeUser());

    const linesAt = async (path: string) =>
      [...readingOf(await visitor.open(path)).matchAll(/Requested/g)].length;
    expect(await linesAt("/console")).toBe(50);
    expect(await live()).not.toBe(before);
    expect(readingOf(await visitor.open("/console"))).toContain(
      "50 of 52 requests are shown. These requests expire first.",
    );
    expect(await linesAt(`/console/testing/${busy.id}`)).toBe(51);
    expect(await linesAt(`/console/testing/${calm.id}`)).toBe(1);
  });

  it("show the number of all requests", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const { body } = await other.call("GET", `/cycles/${other.cycleId}`);
    expect(body).toMatchObject({ slots: expect.anything() });
    const slotId = (await other.call("GET", `/cycles/${other.cycleId}`)).field("slots.1.slotId");
    await requestSlotAs(service, slotId, await service.makeUser());
    const page = readingOf(await createBrowserWithoutScripts(service, other.headers).open("/console"));
    expect(page).toContain("2 slot requests");
  });
});
