import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

/** A form with two fields. Another person changes both of them, or only the field that the person leaves unchanged. */
interface Place {
  readonly path: string;
  readonly action: string;
  /** The field that the person changes. */
  readonly mine: string;
  /** The field that the person does not change. */
  readonly other: string;
  readonly theirs: string;
  /** Another value of the other field. Without it, this is `theirs` with a digit at its end. */
  readonly again?: string;
  /** Returns a value of the field `mine` that contains the word. Without it, the word is the value. */
  readonly worded?: (word: string) => string;
}

describe("a form that is shown again after another person has changed its values", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const make = async (path: string, body: object) =>
    (await world.call("POST", `/apps/${world.app.id}/${path}`, body)).field("id");
  const translated = { de: { title: "Karten", question: "Wie?", answer: "So.", body: "Neu." } };
  let version = 0;
  const note = () => {
    version += 1;
    const { title, body } = translated.de;
    return make("changelog", {
      ...{ title: "Maps", version: `8.${version}.0`, body: "Old." },
      translations: { de: { title, body } },
    });
  };
  const faq = () => {
    const { question, answer } = translated.de;
    return make("faqs", { question: "How?", answer: "So.", translations: { de: { question, answer } } });
  };
  const places: Readonly<Record<string, () => Promise<Place>>> = {
    "an FAQ entry": async () => {
      const path = `/console/faqs/${world.app.id}/${await faq()}`;
      return { path, action: path, mine: "question", other: "answer", theirs: "Their answer" };
    },
    "a translated FAQ entry": async () => {
      const action = `/console/faqs/${world.app.id}/${await faq()}`;
      return {
        ...{ path: `${action}?lang=de`, action, theirs: "Ihre Antwort" },
        ...{ mine: "translations.de.question", other: "translations.de.answer" },
      };
    },
    "a release note": async () => {
      const path = `/console/changelog/${world.app.id}/${await note()}`;
      return { path, action: path, mine: "title", other: "body", theirs: "Their text" };
    },
    "a translated release note": async () => {
      const action = `/console/changelog/${world.app.id}/${await note()}`;
      return {
        ...{ path: `${action}?lang=de`, action, theirs: "Ihr Text" },
        ...{ mine: "translations.de.title", other: "translations.de.body" },
      };
    },
    "a listing": async () => {
      const path = `/console/testing/${world.app.id}/${world.listingId}`;
      return { path, action: path, mine: "appName", other: "testBrief", theirs: "Test theirs." };
    },
    "an app": async () => {
      const path = `/console/apps/${world.app.id}`;
      return { path, action: path, mine: "name", other: "githubRepository", theirs: "them/theirs" };
    },
    "a saved reply": async () => {
      const id = await make("saved-replies", { title: "Hours", body: "At nine." });
      const path = `/console/saved-replies/${world.app.id}`;
      return { path, action: `${path}/${id}/change`, mine: "title", other: "body", theirs: "At ten." };
    },
    "a tag": async () => {
      tag += 1;
      const id = await make("tags", { name: `crash ${tag}` });
      const path = `/console/tags/${world.app.id}`;
      return {
        ...{ path, action: `${path}/${id}/change`, mine: "name", worded: (word) => `${word} ${tag}` },
        ...{ other: "colour", theirs: "red", again: "blue" },
      };
    },
    "a webhook": async () => {
      const id = await make("webhooks", { url: "https://hooks.example/old", events: ["run.decided"] });
      const path = `/console/webhooks/${world.app.id}/${id}`;
      return {
        ...{ path, action: `${path}/change`, mine: "url" },
        worded: (word) => `https://hooks.example/${word}`,
        ...{ other: "events.faq.changed", theirs: "on", again: "on" },
      };
    },
    "a saved view": async () => {
      const id = await make("views", { name: "Bugs", query: { type: "bug" } });
      return {
        path: `/console/feedback/${world.app.id}?type=bug&saved=${id}`,
        action: `/console/views/${world.app.id}/${id}/change`,
        ...{ mine: "viewName", other: "viewShared", theirs: "on", again: "on" },
      };
    },
  };
  let tag = 0;
  const placeOf = async (name: string): Promise<Place> => {
    const place = await places[name]?.();
    if (!place) throw new Error(name);
    return place;
  };
  const save = async (page: Answer, { action }: Place, values?: Readonly<Record<string, string>>) =>
    owner.send(page, action, { intent: "save", ...values });
  const change = async (place: Place, values: Readonly<Record<string, string>>) =>
    expect((await save(await owner.open(place.path), place, values)).status).toBe(303);
  const valuesIn = (page: Answer, { action }: Place) => fieldsOf(formOf(page, action));
  const stored = async (place: Place) => valuesIn(await owner.open(place.path), place);
  const againIn = ({ theirs, again = `${theirs}2` }: Place) => again;
  const saying = ({ mine, worded = (one) => one }: Place, word: string) => ({ [mine]: worded(word) });

  describe.each(Object.keys(places))("for %s", (name) => {
    it("shows what is saved in a field that the person did not change, and keeps it", async () => {
      const place = await placeOf(name);
      const { other, theirs } = place;
      const page = await owner.open(place.path);
      await change(place, { ...saying(place, "Theirs"), [other]: theirs });
      const refused = await save(page, place, saying(place, "Mine"));
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).toContain("was changed by somebody else since you opened this page");
      const both = { ...saying(place, "Mine"), [other]: theirs };
      expect(valuesIn(refused, place)).toMatchObject(both);
      expect((await save(refused, place)).status).toBe(303);
      expect(await stored(place)).toMatchObject(both);
    });

    it("shows and keeps it after another fault, too", async () => {
      const place = await placeOf(name);
      const { mine, other } = place;
      const page = await owner.open(place.path);
      await change(place, { [other]: againIn(place) });
      const refused = await save(page, place, { [mine]: "x".repeat(5_000) });
      expect(refused.status).toBe(400);
      expect(readingOf(refused)).not.toContain("was changed by somebody else");
      expect(valuesIn(refused, place)).toMatchObject({ [other]: againIn(place) });
      const both = { ...saying(place, "Mine"), [other]: againIn(place) };
      expect((await save(refused, place, saying(place, "Mine"))).status).toBe(303);
      expect(await stored(place)).toMatchObject(both);
    });

    it("is refused again if a third person changes the field", async () => {
      const place = await placeOf(name);
      const page = await owner.open(place.path);
      await change(place, saying(place, "Second"));
      const refused = await save(page, place, saying(place, "First"));
      await change(place, saying(place, "Third"));
      const again = await save(refused, place);
      expect(again.status).toBe(400);
      const third = saying(place, "Third")[place.mine];
      expect(again.text).toMatch(new RegExp(`<textarea[^>]*aria-label="Saved text of [^>]*>\\s*${third}`));
      expect((await save(again, place)).status).toBe(303);
      expect(await stored(place)).toMatchObject(saying(place, "First"));
    });

    it("is not refused if both people saved the same value", async () => {
      const place = await placeOf(name);
      const page = await owner.open(place.path);
      await change(place, saying(place, "Same"));
      expect((await save(page, place, saying(place, "Same"))).status).toBe(303);
      expect(await stored(place)).toMatchObject(saying(place, "Same"));
    });

    it("is not refused if the other person changed only the other field, and keeps that change", async () => {
      const place = await placeOf(name);
      const page = await owner.open(place.path);
      await change(place, { [place.other]: againIn(place) });
      expect((await save(page, place, saying(place, "Only mine"))).status).toBe(303);
      const both = { ...saying(place, "Only mine"), [place.other]: againIn(place) };
      expect(await stored(place)).toMatchObject(both);
    });

    it("keeps a change of the other person if the person changed nothing", async () => {
      const place = await placeOf(name);
      const page = await owner.open(place.path);
      await change(place, saying(place, "Newest"));
      expect((await save(page, place)).status).toBe(303);
      expect(await stored(place)).toMatchObject(saying(place, "Newest"));
    });
  });

  /** The forms whose texts have no drafts. */
  const withoutDrafts: readonly string[] = ["a webhook", "a saved view"];

  it.each(Object.keys(places).filter((name) => !withoutDrafts.includes(name)))(
    "has no unsent text in such a field of %s",
    async (name) => {
      const place = await placeOf(name);
      const refused = await save(await owner.open(place.path), place, { [place.mine]: "x".repeat(5_000) });
      const tagOf = (field: string) =>
        new RegExp(`<(?:input|textarea|select)[^>]*name="${field}"[^>]*>`).exec(
          formOf(refused, place.action),
        )?.[0];
      expect(tagOf(place.mine)).toContain("data-unsaved");
      expect(tagOf(place.other)).not.toContain("data-unsaved");
    },
  );

  it("names a change that no earlier message has shown", async () => {
    const place = await placeOf("an FAQ entry");
    const [id, intent] = [place.path.split("/").at(-1), "draft"];
    await save(await owner.open(place.path), place, { intent, question: "Draft?" });
    const page = await owner.open(place.path);
    await save(await owner.open(place.path), place, { intent, answer: "Their answer" });
    await world.call("PATCH", `/faqs/${id}`, { question: "Published?" });
    const refused = await save(page, place, { intent: "publish", answer: "Mine" });
    expect(readingOf(refused)).not.toContain("was changed by somebody else");
    const again = await save(refused, place, { intent: "publish" });
    expect(readingOf(again)).toContain("Answer was changed by somebody else");
  });

  it("keeps such a field when the person confirms the deletion of old threads", async () => {
    const { id, key } = await service.makeApp(world.owner);
    const path = `/console/apps/${id}`;
    const thread = await sendFeedback(service, key);
    await world.call("PATCH", `/feedback/${thread}`, { status: "resolved" });
    const at = new Date(service.clock.now().getTime() - 40 * 86_400_000).toISOString();
    await service.deps.database.write((tx) =>
      tx.run("UPDATE feedback SET created_at = ?, active_at = ? WHERE id = ?", at, at, thread),
    );
    const page = await owner.open(path);
    await owner.send(await owner.open(path), path, { name: "Theirs" });
    const asked = await owner.send(page, path, { retentionDays: "30" });
    expect(readingOf(asked)).toContain("Nothing is saved yet.");
    expect(fieldsOf(formOf(asked, path))).toMatchObject({ name: "Theirs", retentionDays: "30" });
    expect((await owner.send(asked, path)).status).toBe(303);
    const after = fieldsOf(formOf(await owner.open(path), path));
    expect(after).toMatchObject({ name: "Theirs", retentionDays: "30" });
  });

  it("has the stored value in a field that the sent page did not have", async () => {
    const place = await placeOf("an FAQ entry");
    await save(await owner.open(place.path), place, { intent: "draft", answer: "Draft" });
    const page = await owner.open(place.path);
    await save(await owner.open(place.path), place, { intent: "publish" });
    const preview = await save(page, place, { intent: "preview", question: "How exactly?" });
    expect(valuesIn(preview, place).sortOrder).toMatch(/^\d+$/);
    expect((await save(preview, place)).status).toBe(303);
  });
});
