import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const day = 86_400_000;

describe("the changelog in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { id: string; key: string };
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });
  afterAll(() => service.stop());

  const create = (entry: object = {}) =>
    world.call("POST", `/apps/${app.id}/changelog`, {
      title: "Notes",
      version: "1.0.0",
      allowDuplicate: true,
      ...entry,
    });
  const change = (id: string, body: object) => world.call("PATCH", `/changelog/${id}`, body);
  const publish = (id: string) => world.call("POST", `/changelog/${id}/publish`);
  const read = async (id: string) => (await world.call("GET", `/changelog/${id}`)).body;
  const remote = async () =>
    (await service.request("GET", "/api/v1/changelog/remote", { headers: { "x-api-key": app.key } })).body;
  const at = (milliseconds: number) => new Date(service.clock.now().getTime() + milliseconds).toISOString();

  it("accepts an entry as a draft, which apps do not get", async () => {
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.any(String),
      title: "Notes",
      version: "1.0.0",
      versions: [],
      releaseType: "minor",
      bodyFormat: "markdown",
      body: "",
      items: [],
      publishedAt: null,
      feedbackIds: [],
      editedFields: ["title"],
      createdAt: expect.any(String),
      updatedAt: answer.field("createdAt"),
      translations: {},
      draft: null,
    });
    expect(await remote()).toEqual({ entries: [] });
  });

  it("finds entries by words of any of their texts, also page by page", async () => {
    await create({ title: "Maps", body: "Night **colours**" });
    const item = { bodyFormat: "items", items: [{ type: "fixed", text: "CRASH at night" }] };
    await create({ version: "2.0.0-night", versions: [{ platform: "android", version: "145" }], ...item });
    const published = (await create({ title: "Drafted", publish: true })).field("id");
    await world.call("PUT", `/changelog/${published}/draft`, { body: "Ünder the NIGHT" });
    const list = (query: string) => world.call("GET", `/apps/${app.id}/changelog?${query}`);
    const titles = async (query: string) =>
      Object((await list(query)).body).items.map(({ title }: { readonly title: string }) => title);
    expect(await titles("q=night")).toEqual(["Notes", "Maps", "Drafted"]);
    expect(await titles("q=night+crash")).toEqual(["Notes"]);
    expect(await titles("q=145")).toEqual(["Notes"]);
    expect(await titles("q=%C3%BCnder")).toEqual(["Drafted"]);
    expect(await titles("q=100%25")).toEqual([]);
    const first = await list("q=night&limit=1");
    const next = await list(`q=night&limit=2&cursor=${first.field("nextCursor")}`);
    expect(next.body).toMatchObject({ items: [{ title: "Maps" }, { title: "Drafted" }], nextCursor: null });
    expect((await list(`q=${"a".repeat(201)}`)).status).toBe(400);
  });

  it("stores the given fields", async () => {
    const given = {
      versions: [{ platform: "android", version: "1.2" }],
      releaseType: "patch",
      bodyFormat: "markdown",
      body: "**Bold**",
      items: [{ type: "fixed", text: "A crash" }],
      publishedAt: "2026-01-01T00:00:00.000Z",
    };
    const answer = await create(given);
    expect(answer.body).toMatchObject(given);
    expect(await read(answer.field("id"))).toEqual(answer.body);
  });

  it("accepts items without a body", async () => {
    const items = [{ type: "added", text: "Search" }];
    expect((await create({ items })).body).toMatchObject({ bodyFormat: "items", items });
    expect((await create({ items, body: "Text" })).body).toMatchObject({ bodyFormat: "markdown" });
  });

  it("returns an entry to apps when it is published, and not when it is a draft again", async () => {
    await remote();
    const id = (await create()).field("id");
    const published = await publish(id);
    expect(published.status).toBe(200);
    expect(await remote()).toMatchObject({ entries: [{ id, publishedAt: published.field("publishedAt") }] });
    await change(id, { publishedAt: null });
    expect(await remote()).toEqual({ entries: [] });
  });

  it("keeps the date of an entry that is already published", async () => {
    const id = (await create({ publishedAt: "2026-01-01T00:00:00Z" })).field("id");
    const before = await read(id);
    service.clock.advance(1_000);
    expect((await publish(id)).body).toEqual(before);
  });

  it("publishes a scheduled entry immediately", async () => {
    const id = (await create({ publishedAt: at(day) })).field("id");
    expect(await remote()).toEqual({ entries: [] });
    await publish(id);
    expect(await remote()).toMatchObject({ entries: [{ id }] });
  });

  it("changes only the given fields", async () => {
    const answer = await create({ items: [{ type: "added", text: "Search" }], releaseType: "major" });
    service.clock.advance(1_000);
    const changed = await change(answer.field("id"), { title: "Better notes" });
    expect(changed.body).toEqual({
      ...Object(answer.body),
      title: "Better notes",
      updatedAt: expect.not.stringMatching(answer.field("updatedAt")),
    });
    service.clock.advance(1_000);
    expect((await change(answer.field("id"), {})).body).toEqual(changed.body);
  });

  it("returns a change of a published entry to apps immediately", async () => {
    const id = (await create({ publishedAt: at(-1_000) })).field("id");
    await remote();
    await change(id, { items: [{ type: "security", text: "Mended" }] });
    expect(await remote()).toMatchObject({ entries: [{ items: [{ type: "security", text: "Mended" }] }] });
  });

  it("deletes an entry permanently", async () => {
    const id = (await create({ publishedAt: at(-1_000) })).field("id");
    await remote();
    expect((await world.call("DELETE", `/changelog/${id}`)).body).toEqual({ success: true });
    expect(await remote()).toEqual({ entries: [] });
    expect((await world.call("GET", `/changelog/${id}`)).status).toBe(404);
  });

  it("is listed in pages: first drafts, then the newest entries", async () => {
    const dates = [at(-3 * day), null, at(-day), null, at(-2 * day), at(day)];
    for (const [n, publishedAt] of dates.entries()) await create({ title: `${n}`, publishedAt });
    const titles: string[] = [];
    let cursor = "";
    do {
      const { body } = await world.call("GET", `/apps/${app.id}/changelog?limit=4${cursor}`);
      titles.push(...Object(body).items.map((entry: { title: string }) => entry.title));
      cursor = Object(body).nextCursor ? `&cursor=${Object(body).nextCursor}` : "";
    } while (cursor);
    expect(titles).toEqual(["3", "1", "5", "2", "4", "0"]);
  });

  it.each([
    ["title", { title: "" }],
    ["version", { version: "x".repeat(101) }],
    ["releaseType", { releaseType: "huge" }],
    ["items.0.type", { items: [{ type: "broken", text: "It" }] }],
    ["publishedAt", { publishedAt: "soon" }],
  ])("refuses a wrong %s", async (path, entry) => {
    const answer = await create(entry);
    expect(answer.status).toBe(400);
    expect(answer.field("issues.0.path")).toBe(path);
  });
});
