import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type ChangelogCallers, makeChangelogCallers } from "../../support/worlds/changelog-callers.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const de = { title: "Karten", body: "Neue **Farben**." };
const items = [{ type: "fixed", text: "Absturz" }];

describe.each(databases)("the translations of release notes, on $name (rules C34, C35)", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let api: ChangelogCallers;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    api = await makeChangelogCallers(service, world);
  });
  afterAll(() => service.stop());

  const remote = (query = "") =>
    service.request("GET", `/api/v1/changelog/remote${query}`, { headers: { "x-api-key": api.app.key } });
  const read = async (id: string) => Object((await world.call("GET", `/changelog/${id}`)).body);
  const note = { version: "1.0.0", title: "Maps", body: "New colours.", publish: true };

  it("do not change a single byte of the answer to apps that request no language", async () => {
    const id = (await api.post(note)).field("id");
    const before = await remote();
    await api.edit(id, { translations: { de } });
    expect((await remote()).text).toBe(before.text);
    expect((await remote("?lang=en")).body).toMatchObject({ entries: [{ title: "Maps", language: null }] });
    expect((await remote("?lang=de-CH&since=0.9.0")).body).toMatchObject({
      entries: [{ ...de, items: [], version: "1.0.0", language: "de" }],
    });
  });

  it("have a list of changes, and have no lines that name threads", async () => {
    const thread = world.threadId;
    await api.post({ ...note, translations: { de: { title: "Karten", items } } });
    const named = { title: "Listen", body: `Besser.\n\nFeedback: ${thread}` };
    await api.post({ ...note, version: "2.0.0", translations: { de: named } });
    expect((await remote("?lang=de")).body).toMatchObject({
      entries: [{ body: "Besser." }, { title: "Karten", body: "", items }],
    });
  });

  it("are one field for an import, and an import keeps the text of a person", async () => {
    const id = (await api.put("1.0.0", { title: "Maps", translations: { de } })).field("id");
    expect((await api.put("1.0.0", { title: "Maps", translations: { de } })).body).toMatchObject({
      ...{ created: false, changedFields: [], keptFields: [] },
    });
    expect((await api.put("1.0.0", { title: "Maps" })).body).toMatchObject({ translations: { de } });
    await api.edit(id, { translations: { de: { ...de, title: "Pläne" } } });
    expect((await api.put("1.0.0", { translations: { de } })).body).toMatchObject({
      ...{ keptFields: ["translations"], translations: { de: { title: "Pläne" } } },
    });
    const forced = await api.put("1.0.0", { translations: { de }, overwrite: true });
    expect(forced.body).toMatchObject({ changedFields: ["translations"], translations: { de } });
  });

  it("stay in a draft of a published note, and are in its history", async () => {
    const id = (await api.post({ ...note, translations: { de } })).field("id");
    const better = { ...de, title: "Bessere Karten" };
    await world.call("PUT", `/changelog/${id}/draft`, { body: "Other.", translations: { de: better } });
    expect(await read(id)).toMatchObject({
      translations: { de: { ...de, outdated: false } },
      draft: { body: "Other.", translations: { de: better }, conflict: false },
    });
    await world.call("POST", `/changelog/${id}/publish`);
    expect(await read(id)).toMatchObject({
      ...{ body: "Other.", draft: null, translations: { de: { ...better, outdated: false } } },
    });
    const { items: history } = Object((await world.call("GET", `/changelog/${id}/history`)).body);
    expect(history).toMatchObject([{ body: "New colours.", translations: { de } }]);
    await api.edit(id, { translations: { de: null } });
    await world.call("POST", `/changelog/${id}/restore`, { version: history[0].id });
    await world.call("POST", `/changelog/${id}/publish`);
    expect(await read(id)).toMatchObject({ body: "New colours.", translations: { de } });
  });

  it("are outdated when the text changes, but not when the version or the date changes", async () => {
    const id = (await api.post({ ...note, translations: { de } })).field("id");
    const outdated = async () => (await read(id)).translations.de.outdated;
    await api.edit(id, { version: "1.0.1", publishedAt: "2026-01-01T00:00:00Z" });
    expect(await outdated()).toBe(false);
    await api.edit(id, { items: [{ type: "fixed", text: "Crash" }] });
    expect(await outdated()).toBe(true);
  });

  it("are found by the search of release notes", async () => {
    await api.post({ ...note, translations: { de } });
    const found = await world.call("GET", `/apps/${api.app.id}/changelog?q=farben`);
    expect(found.body).toMatchObject({ items: [{ title: "Maps" }] });
  });

  it("can have 1 MB together", async () => {
    const long = { title: "Lang", body: "ä".repeat(100_000) };
    const all = Object.fromEntries(["aa", "bb", "cc", "dd"].map((tag) => [tag, long]));
    const created = await api.post({ ...note, translations: all });
    expect(created.status).toBe(201);
    const answer = await api.edit(created.field("id"), { translations: { ee: long, ff: long } });
    expect(answer.text).toContain("must have at most 1 MB in total");
  });
});
