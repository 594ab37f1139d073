import { afterAll, beforeAll, describe, expect, it } from "vitest";
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

describe("a form that is refused because somebody else was faster", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  interface Place {
    readonly path: string;
    readonly action: string;
    readonly field: string;
  }
  const places: Readonly<Record<string, () => Place | Promise<Place>>> = {
    "an FAQ entry": () => at(`/console/faqs/${world.app.id}/${world.faqId}`, "", "answer"),
    "a release note": () => at(`/console/changelog/${world.app.id}/${world.entryId}`, "", "title"),
    "a listing": () => at(`/console/testing/${world.app.id}/${world.listingId}`, "", "testBrief"),
    "an app": () => at(`/console/apps/${world.app.id}`, "", "name"),
    "a thread": () => at(`/console/feedback/${world.app.id}/${world.threadId}`, "/edit", "subject"),
    "a saved reply": async () => {
      const reply = { title: "Hours", body: "At nine." };
      const id = (await world.call("POST", `/apps/${world.app.id}/saved-replies`, reply)).field("id");
      return at(`/console/saved-replies/${world.app.id}`, `/${id}/change`, "body");
    },
  };
  const at = (path: string, part: string, field: string): Place => ({ path, action: path + part, field });

  it.each(Object.keys(places))(
    "shows the saved text of %s without scripts, and can be sent again",
    async (name) => {
      const place = await places[name]?.();
      if (!place) throw new Error(name);
      const { path, action, field } = place;
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
});
