import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

/** A published text with one earlier text and, unless it is a note that was never published, with a draft. */
interface Place {
  /** The path in the API. */
  readonly api: string;
  /** The address of the page. */
  readonly page: string;
  readonly field: "answer" | "body";
}

describe("a draft that another person has changed since the page was opened", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const makers = {
    "an FAQ entry": async (): Promise<Place> => {
      const faq = { question: "How?", answer: "First." };
      const id = (await world.call("POST", `/apps/${world.app.id}/faqs`, faq)).field("id");
      const page = `/console/faqs/${world.app.id}/${id}`;
      return { api: `/faqs/${id}`, page, field: "answer" };
    },
    "a release note": async (): Promise<Place> => {
      version += 1;
      const note = { title: "Maps", version: `9.${version}.0`, body: "First.", publish: true };
      const id = (await world.call("POST", `/apps/${world.app.id}/changelog`, note)).field("id");
      const page = `/console/changelog/${world.app.id}/${id}`;
      return { api: `/changelog/${id}`, page, field: "body" };
    },
  } as const;
  let version = 0;
  const names = ["an FAQ entry", "a release note"] as const;

  describe.each(names)("of %s", (name) => {
    let place: Place;
    beforeEach(async () => {
      place = await makers[name]();
      await world.call("PATCH", place.api, { [place.field]: "Second." });
    });
    const saveDraft = async (text: string) =>
      expect((await world.call("PUT", `${place.api}/draft`, { [place.field]: text })).status).toBe(200);
    const draftNow = async () => Object((await world.call("GET", place.api)).body).draft?.[place.field];

    it.each([
      ["discard", undefined],
      ["restore", "First."],
    ])("is shown before the form %s removes it", async (form, after) => {
      await saveDraft("Mine.");
      const page = await owner.open(place.page);
      await saveDraft("Theirs.");
      const refused = await owner.send(page, `${place.page}/${form}`);
      expect(refused.status).toBe(409);
      expect(readingOf(refused)).toContain(
        "Somebody else has changed the draft since you opened this page. Read it before you discard or replace it.",
      );
      expect(refused.text).toContain("Theirs.");
      expect(await draftNow()).toBe("Theirs.");
      expect((await owner.send(refused, `${place.page}/${form}`)).status).toBe(303);
      expect(await draftNow()).toBe(after);
    });

    it("is shown before an earlier text replaces it if the page showed no draft", async () => {
      const page = await owner.open(place.page);
      await saveDraft("Theirs.");
      const refused = await owner.send(page, `${place.page}/restore`);
      expect(refused.status).toBe(409);
      expect(await draftNow()).toBe("Theirs.");
    });

    it("is replaced without a refusal if the other person saved the same text or discarded it", async () => {
      await saveDraft("Mine.");
      const page = await owner.open(place.page);
      await saveDraft("Mine.");
      expect((await owner.send(page, `${place.page}/restore`)).status).toBe(303);
      const next = await owner.open(place.page);
      await world.call("DELETE", `${place.api}/draft`);
      expect((await owner.send(next, `${place.page}/restore`)).status).toBe(303);
      expect(await draftNow()).toBe("First.");
    });

    it.each(["discard", "restore"])("is no fault if the form %s is sent twice", async (form) => {
      await saveDraft("Mine.");
      const page = await owner.open(place.page);
      expect((await owner.send(page, `${place.page}/${form}`)).status).toBe(303);
      expect((await owner.send(page, `${place.page}/${form}`)).status).toBe(303);
    });
  });

  describe.each([
    ["an FAQ entry", "faqs", { question: "How?", answer: "First." }, { question: "Wie?", answer: "Erst." }],
    ["a release note", "changelog", { title: "Maps", body: "First.", publish: true }, { title: "Karten" }],
    ["a note that is not published", "changelog", { title: "Maps", body: "First." }, { title: "Karten" }],
  ] as const)("of %s with translations", (_, kind, text, german) => {
    const made = async () => {
      version += 1;
      const named = kind === "faqs" ? text : { ...text, version: `9.${version}.0` };
      const body = { ...named, translations: { de: german, fr: german } };
      const id = (await world.call("POST", `/apps/${world.app.id}/${kind}`, body)).field("id");
      return { api: `/${kind}/${id}`, page: `/console/${kind}/${world.app.id}/${id}` };
    };
    const second = kind === "faqs" ? { answer: "Second." } : { body: "Second." };

    it.each([
      ["are the same in the earlier text", {}],
      ["are others in the earlier text", { translations: { de: { ...german, ...second } } }],
      ["are missing in the earlier text", { translations: { it: german } }],
    ])("that %s is no fault if the form restore is sent twice", async (_, change) => {
      const { api, page } = await made();
      expect((await world.call("PATCH", api, { ...second, ...change })).status).toBe(200);
      const opened = await owner.open(page);
      expect((await owner.send(opened, `${page}/restore`)).status).toBe(303);
      expect((await owner.send(opened, `${page}/restore`)).status).toBe(303);
    });

    it("is shown before an earlier text replaces it if only its translation was changed", async () => {
      const { api, page } = await made();
      await world.call("PATCH", api, second);
      const opened = await owner.open(page);
      const [method, address] =
        "publish" in text || kind === "faqs" ? ["PUT", `${api}/draft`] : ["PATCH", api];
      const theirs = { translations: { de: { ...german, ...second } } };
      expect((await world.call(method, address, theirs)).status).toBe(200);
      expect((await owner.send(opened, `${page}/restore`)).status).toBe(409);
    });
  });

  it("is shown before an earlier text replaces a note that is not published", async () => {
    const note = { title: "Maps", version: "10.0.0", body: "First." };
    const id = (await world.call("POST", `/apps/${world.app.id}/changelog`, note)).field("id");
    await world.call("PATCH", `/changelog/${id}`, { body: "Second." });
    const address = `/console/changelog/${world.app.id}/${id}`;
    const page = await owner.open(address);
    await world.call("PATCH", `/changelog/${id}`, { body: "Theirs." });
    const refused = await owner.send(page, `${address}/restore`);
    expect(refused.status).toBe(409);
    expect(refused.text).toContain("Theirs.");
    expect((await owner.send(refused, `${address}/restore`)).status).toBe(303);
  });
});
