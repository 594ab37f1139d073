import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a form whose object somebody else has changed in the meantime", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  interface Place {
    readonly path: string;
    readonly action: string;
    /** A field that must not be empty. */
    readonly field: string;
    /** Another field of the form, and another valid value for it. */
    readonly other: readonly [name: string, value: string];
  }
  const places: Readonly<Record<string, () => Place | Promise<Place>>> = {
    "an FAQ entry": () => ({
      ...at(`/console/faqs/${world.app.id}/${world.faqId}`),
      ...{ field: "answer", other: ["question", "How do they?"] },
    }),
    "a translation of an FAQ entry": async () => {
      const text = { question: "Wie?", answer: "So." };
      await world.call("PATCH", `/faqs/${world.faqId}`, { translations: { de: text } });
      const path = `/console/faqs/${world.app.id}/${world.faqId}`;
      return {
        ...{ path: `${path}?lang=de`, action: path },
        ...{ field: "translations.de.answer", other: ["translations.de.question", "Wie machen sie das?"] },
      };
    },
    "a release note": () => ({
      ...at(`/console/changelog/${world.app.id}/${world.entryId}`),
      ...{ field: "title", other: ["version", "7.0.1"] },
    }),
    "a listing": () => ({
      ...at(`/console/testing/${world.app.id}/${world.listingId}`),
      ...{ field: "testBrief", other: ["appName", "Their app"] },
    }),
    "an app": () => ({
      ...at(`/console/apps/${world.app.id}`),
      ...{ field: "name", other: ["githubRepository", "theirs/app"] },
    }),
    "a thread": () => ({
      ...at(`/console/feedback/${world.app.id}/${world.threadId}`, "/edit"),
      ...{ field: "subject", other: ["status", "in_progress"] },
    }),
    "a saved reply": async () => {
      const reply = { title: "Hours", body: "At nine." };
      const id = (await world.call("POST", `/apps/${world.app.id}/saved-replies`, reply)).field("id");
      return {
        ...at(`/console/saved-replies/${world.app.id}`, `/${id}/change`),
        ...{ field: "body", other: ["title", "Their hours"] },
      };
    },
    "a tag": () => ({
      ...at(`/console/tags/${world.app.id}`, `/${world.tagId}/change`),
      ...{ field: "name", other: ["colour", "blue"] },
    }),
    "a saved view": async () => {
      const view = { name: "Bugs", query: { type: "bug" } };
      const id = (await world.call("POST", `/apps/${world.app.id}/views`, view)).field("id");
      return {
        path: `/console/feedback/${world.app.id}?type=bug&saved=${id}`,
        action: `/console/views/${world.app.id}/${id}/change`,
        ...{ field: "viewName", other: ["viewShared", "on"] },
      };
    },
  };
  const at = (path: string, part = "") => ({ path, action: path + part });
  const placeOf = async (name: string): Promise<Place> => {
    const place = await places[name]?.();
    if (!place) throw new Error(name);
    return place;
  };
  const shown = async ({ path, action }: Place) => fieldsOf(formOf(await owner.open(path), action));

  it.each(Object.keys(places))(
    "shows the saved text of %s without scripts, and can be sent again",
    async (name) => {
      const { path, action, field } = await placeOf(name);
      const [mine, theirs] = [await owner.open(path), await owner.open(path)];
      const first = await owner.send(theirs, action, { [field]: "Theirs <b>" });
      expect(first.status).toBe(303);
      const refused = await owner.send(mine, action, { [field]: "Mine" });
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).toContain("was changed by somebody else since you opened this page");
      expect(refused.text).toMatch(/<textarea[^>]*aria-label="Saved text of [^>]*>\s*Theirs &lt;b>/);
      expect(refused.text).toMatch(new RegExp(`name="was-${field}" value="[^"]+" data-typed="[^"]+"`));
      expect((await owner.send(refused, action)).status).toBe(303);
      const after = await owner.open(path);
      expect(after.text).toContain("Mine");
      expect(after.text).not.toContain("data-typed");
    },
  );

  it.each(Object.keys(places))("keeps the changes of others in %s that it does not show", async (name) => {
    const place = await placeOf(name);
    const { path, action, field, other } = place;
    const [mine, theirs] = [await owner.open(path), await owner.open(path)];
    const first = await owner.send(theirs, action, { [field]: "Theirs <b>", [other[0]]: other[1] });
    expect(first.status).toBe(303);
    const refused = await owner.send(mine, action, { [field]: "Mine" });
    expect(refused.status).toBe(400);
    expect((await owner.send(refused, action)).status).toBe(303);
    expect(await shown(place)).toMatchObject({ [field]: "Mine", [other[0]]: other[1] });
  });

  it.each(Object.keys(places))(
    "keeps the changes of others in %s after it was refused for a wrong value",
    async (name) => {
      const place = await placeOf(name);
      const { path, action, field, other } = place;
      const [mine, theirs] = [await owner.open(path), await owner.open(path)];
      expect((await owner.send(theirs, action, { [other[0]]: other[1] })).status).toBe(303);
      const refused = await owner.send(mine, action, { [field]: " " });
      expect(refused.status).toBe(400);
      expect((await owner.send(refused, action, { [field]: "Mine" })).status).toBe(303);
      expect(await shown(place)).toMatchObject({ [field]: "Mine", [other[0]]: other[1] });
    },
  );
});
