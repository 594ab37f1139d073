import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { png } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const de = { question: "Wie exportiere ich?", answer: "Unter **Einstellungen**." };
const fr = { question: "Comment exporter ?", answer: "Dans les réglages." };

describe.each(databases)("the translations of the FAQ, on $name (rules C34, C35)", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });
  afterAll(() => service.stop());

  const key = () => ({ "x-api-key": app.key });
  const create = (more: object = {}) =>
    world.call("POST", `/apps/${app.id}/faqs`, {
      question: "How do I export?",
      answer: "In Settings.",
      ...more,
    });
  const patch = (id: string, body: object) => world.call("PATCH", `/faqs/${id}`, body);
  const read = async (id: string) => Object((await world.call("GET", `/faqs/${id}`)).body);
  const remote = (query = "") => service.request("GET", `/api/v1/faqs/remote${query}`, { headers: key() });
  const question = async (lang: string) => {
    const { body } = await remote(`?lang=${encodeURIComponent(lang)}`);
    const [faq] = Object(body);
    return [faq.question, faq.language];
  };

  it("do not change a single byte of the answer to apps that request no language", async () => {
    const id = (await create()).field("id");
    const [before, pushed] = [await remote(), await remote("?include=push")];
    await patch(id, { translations: { de } });
    const stamped = (text: string) => text.replace(/"updatedAt":"[^"]*"/g, "");
    expect(stamped((await remote()).text)).toBe(stamped(before.text));
    expect(stamped((await remote("?include=push")).text)).toBe(stamped(pushed.text));
    expect(Object.keys(Object((await remote("?include=translations")).body)[0])).toContain("translations");
  });

  it("are found from the most specific language tag to the default language", async () => {
    const zh = { question: "如何导出？", answer: "在设置中。" };
    await create({ translations: { "pt-br": fr, DE: de, "zh-hant": zh } });
    const english = ["How do I export?", null];
    expect(await question("de-AT")).toEqual([de.question, "de"]);
    expect(await question("DE_at")).toEqual([de.question, "de"]);
    expect(await question("zh-Hant-TW-u-co-stroke")).toEqual([zh.question, "zh-Hant"]);
    expect(await question("pt-BR")).toEqual([fr.question, "pt-BR"]);
    for (const lang of ["pt", "zh", "en", "", "x", "../de", "de".repeat(5_000), "constructor", "__proto__"])
      expect([lang, await question(lang)]).toEqual([lang, english]);
  });

  it("can be changed one by one, and are deleted by null", async () => {
    const id = (await create({ translations: { de } })).field("id");
    await patch(id, { translations: { fr } });
    await patch(id, { sortOrder: 7 });
    await service.request("PATCH", `/api/v1/faqs/remote/${id}`, {
      headers: key(),
      body: { answer: "There." },
    });
    expect((await read(id)).translations).toMatchObject({ de, fr });
    await patch(id, { translations: { de: null, "pt-BR": null } });
    expect(Object.keys((await read(id)).translations)).toEqual(["fr"]);
  });

  it("are marked as outdated if they are older than their original, until a person confirms them", async () => {
    const id = (await create({ translations: { de, fr } })).field("id");
    const outdated = async () =>
      Object.entries<{ readonly outdated: boolean }>((await read(id)).translations).map(
        ([language, translation]) => [language, translation.outdated],
      );
    expect(await outdated()).toEqual([
      ["de", false],
      ["fr", false],
    ]);
    await patch(id, { answer: "In the settings." });
    expect(await outdated()).toEqual([
      ["de", true],
      ["fr", true],
    ]);
    await patch(id, { translations: { de } });
    expect(await outdated()).toEqual([
      ["de", false],
      ["fr", true],
    ]);
    await patch(id, { answer: "In Settings." });
    expect(await outdated()).toEqual([
      ["de", true],
      ["fr", false],
    ]);
  });

  it.each([
    ["a text that is no tag", { german: de }, "must be a language tag"],
    ["a path", { "../../de": de }, "must be a language tag"],
    ["a private tag", { "x-secret": de }, "must be a language tag"],
    ["an extension", { "de-u-co-phonebk": de }, "must be a language tag"],
    ["a long tag", { [`de-${"abcde-".repeat(9)}abcde`]: de }, "must be a language tag"],
    ["an empty text", { de: { ...de, answer: " " } }, "must not be empty"],
    ["a long text", { de: { ...de, answer: "a".repeat(20_001) } }, "must have at most 20000"],
    ["a half of a text", { de: { question: "Wie?" } }, "answer"],
    [
      "too many languages",
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`a${String.fromCharCode(97 + at)}`, de])),
      "must have at most 20 languages",
    ],
  ])("refuse %s", async (_, translations, message) => {
    const answer = await create({ translations });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(message);
  });

  it("are refused if there are more than 20, also if they are added one by one", async () => {
    const id = (await create()).field("id");
    const tag = (at: number) => `b${String.fromCharCode(97 + at)}`;
    for (let at = 0; at < 20; at += 1)
      expect((await patch(id, { translations: { [tag(at)]: de } })).status).toBe(200);
    expect((await patch(id, { translations: { [tag(20)]: de } })).status).toBe(400);
    expect((await patch(id, { translations: { [tag(20)]: de, ba: null } })).status).toBe(200);
  });

  it("stay in a draft together with the text, and are published with it", async () => {
    const id = (await create({ translations: { de, fr } })).field("id");
    const better = { ...de, answer: "Unter **Daten**." };
    const put = (body: object) => world.call("PUT", `/faqs/${id}/draft`, body);
    await put({ translations: { de: better, fr } });
    await put({ answer: "Under Data." });
    expect(await read(id)).toMatchObject({
      ...{ answer: "In Settings.", translations: { de, fr } },
      draft: { answer: "Under Data.", translations: { de: better }, conflict: false },
    });
    expect(Object.keys((await read(id)).draft.translations)).toEqual(["de"]);
    // Another language does not concern the draft; the same one does.
    await patch(id, { translations: { it: fr } });
    expect((await read(id)).draft.conflict).toBe(false);
    await patch(id, { translations: { de: { ...de, question: "Wie?" } } });
    expect((await read(id)).draft.conflict).toBe(true);
    expect((await world.call("POST", `/faqs/${id}/publish`)).field("code")).toBe("draft_conflict");
    await put({});
    const published = await world.call("POST", `/faqs/${id}/publish`);
    expect(published.body).toMatchObject({
      ...{ answer: "Under Data.", draft: null },
      translations: { de: { ...better, outdated: false }, fr: { outdated: true }, it: { outdated: true } },
    });
  });

  it("are in the history, and can be restored as a draft without the loss of other languages", async () => {
    const id = (await create({ translations: { de } })).field("id");
    await patch(id, { translations: { de: { ...de, answer: "Neu." } } });
    await patch(id, { translations: { fr } });
    const { items } = Object((await world.call("GET", `/faqs/${id}/history`)).body);
    expect(items).toMatchObject([{ translations: { de: { answer: "Neu." } } }, { translations: { de } }]);
    await world.call("POST", `/faqs/${id}/restore`, { version: items[1].id });
    await world.call("POST", `/faqs/${id}/publish`);
    expect((await read(id)).translations).toMatchObject({ de, fr });
  });

  it("of a new draft are published with it, and are not visible to apps before", async () => {
    const draft = { question: "New?", answer: "New.", translations: { de } };
    const id = (await world.call("POST", `/apps/${app.id}/faqs/drafts`, draft)).field("id");
    await world.call("PUT", `/faqs/${id}/draft`, { translations: { fr, de: null } });
    expect((await remote("?lang=fr")).body).toEqual([]);
    await world.call("POST", `/faqs/${id}/publish`);
    expect(await question("fr-CA")).toEqual([fr.question, "fr"]);
    expect(await question("de")).toEqual(["New?", null]);
  });

  it("are replaced if the whole list contains them, are kept if it does not, and are marked as pushed", async () => {
    const id = (await create({ translations: { fr } })).field("id");
    const put = async (faqs: readonly object[]) => {
      const etag = (await remote("?include=translations")).headers.get("etag") ?? "";
      const headers = { ...key(), "if-match": etag };
      return service.request("PUT", "/api/v1/faqs/remote", { headers, body: { faqs } });
    };
    const first = await put([
      { id, translations: { de } },
      { question: "B?", answer: "B.", translations: { de } },
    ]);
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject([
      { translations: { de: { ...de, pushedHash: expect.any(String) }, fr: { pushedHash: null } } },
      { question: "B?", translations: { de } },
    ]);
    const version = async () =>
      (
        await service.deps.database.get<{ version: number }>(
          "SELECT faqs_version AS version FROM apps WHERE id = ?",
          app.id,
        )
      )?.version;
    const before = await version();
    const again = await put(
      Object(first.body).map((faq: { id: string }) => ({ id: faq.id, translations: { de } })),
    );
    expect(again.text).toBe(first.text);
    expect(await version()).toBe(before);
    await put(Object(first.body).map((faq: { id: string }) => ({ id: faq.id })));
    expect((await read(id)).translations).toMatchObject({ de, fr });
  });

  it("lose an erased e-mail address", async () => {
    const asked = { ...de, answer: "Frag ada@example.org." };
    const id = (await create({ translations: { de: asked } })).field("id");
    await patch(id, { translations: { de: { ...de, answer: "Frag Ada@Example.org noch einmal." } } });
    await world.call("PUT", `/faqs/${id}/draft`, {
      translations: { fr: { ...fr, answer: "ada@example.org" } },
    });
    expect((await remote("?lang=de")).text).toContain("Ada@Example.org");
    await world.call("POST", "/people/erase", { email: "ada@example.org" });
    const all = async () =>
      JSON.stringify([await read(id), (await world.call("GET", `/faqs/${id}/history`)).body]) +
      (await remote("?lang=de")).text;
    await expect.poll(all).not.toMatch(/ada@example/i);
    expect((await read(id)).translations.de.question).toBe(de.question);
  });

  it("keep pictures that only a translation shows", async () => {
    const picture = async () => {
      const pictures = [`data:image/png;base64,${png().bytes.toString("base64")}`];
      const stored = await world.call("POST", `/apps/${app.id}/faqs/pictures`, { pictures });
      return { url: stored.field("pictures.0.url"), markdown: stored.field("pictures.0.markdown") };
    };
    const { url, markdown } = await picture();
    const isThere = async () => (await service.request("GET", new URL(url).pathname)).status;
    const one = (await create({ answer: markdown })).field("id");
    const two = (await create({ translations: { de: { ...de, answer: markdown } } })).field("id");
    await world.call("DELETE", `/faqs/${one}`);
    expect(await isThere()).toBe(200);
    await world.call("DELETE", `/faqs/${two}`);
    expect(await isThere()).toBe(404);
  });
});
