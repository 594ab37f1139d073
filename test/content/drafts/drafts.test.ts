import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe.each(databases)("drafts of content on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let app: { id: string; key: string };
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    app = await service.makeApp(world.owner);
  });
  afterAll(() => service.stop());

  const call = (method: string, path: string, body?: object) => world.call(method, path, body);
  const asApp = async (path: string) =>
    (await service.request("GET", path, { headers: { "x-api-key": app.key } })).body;
  const remote = () => asApp("/api/v1/faqs/remote");
  const replace = async (faqs: readonly object[]) =>
    service.request("PUT", "/api/v1/faqs/remote", {
      headers: { "x-api-key": app.key, "if-match": "*" },
      body: { faqs },
    });
  const create = async (question: string, answer = "Old.") =>
    String((await call("POST", `/apps/${app.id}/faqs`, { question, answer })).field("id"));
  const createDraft = async (question: string) =>
    String((await call("POST", `/apps/${app.id}/faqs/drafts`, { question, answer: "New." })).field("id"));
  const drafts = async () => (await call("GET", `/apps/${app.id}/faqs/drafts`)).body;

  describe("of the FAQ", () => {
    it("are in no list for apps, have no position, and become the last entry when they are published", async () => {
      await create("First?");
      const id = await createDraft("Second?");
      expect(await remote()).toMatchObject([{ question: "First?" }]);
      expect((await call("GET", `/apps/${app.id}/faqs`)).body).toMatchObject([{ question: "First?" }]);
      expect(await drafts()).toMatchObject([{ id, published: false, sortOrder: null, question: "Second?" }]);
      await create("Third?");
      const published = await call("POST", `/faqs/${id}/publish`);
      expect(published.body).toMatchObject({ published: true, sortOrder: 3, draft: null });
      expect(await remote()).toMatchObject([{}, {}, { question: "Second?", answer: "New." }]);
      expect(await drafts()).toEqual([]);
    });

    it("are not changed by a replacement of the list, and app keys cannot read them", async () => {
      const id = await createDraft("Mine?");
      expect((await replace([])).body).toEqual([]);
      expect(await drafts()).toMatchObject([{ id }]);
      expect((await replace([{ id, question: "Theirs?", answer: "A." }])).status).toBe(400);
      const headers = { "x-api-key": app.key };
      for (const method of ["PATCH", "DELETE"])
        expect(
          (await service.request(method, `/api/v1/faqs/remote/${id}`, { headers, body: { answer: "A." } }))
            .status,
        ).toBe(404);
      expect((await call("PATCH", `/faqs/${id}`, { answer: "A." })).field("code")).toBe("wrong_state");
      expect((await call("DELETE", `/faqs/${id}`)).status).toBe(200);
      expect(await drafts()).toEqual([]);
    });

    it("do not change the published text until they are published", async () => {
      const id = await create("How?");
      await call("PUT", `/faqs/${id}/draft`, { answer: "Better." });
      expect(await remote()).toMatchObject([{ answer: "Old." }]);
      expect((await call("GET", `/faqs/${id}`)).body).toMatchObject({
        ...{ published: true, answer: "Old." },
        draft: { question: "How?", answer: "Better.", conflict: false },
      });
      await call("POST", `/faqs/${id}/publish`);
      expect(await remote()).toMatchObject([{ answer: "Better." }]);
    });

    it("are refused with a conflict that names the text if the published text has changed in the meantime", async () => {
      const id = await create("How?");
      await call("PUT", `/faqs/${id}/draft`, { answer: "Better." });
      await replace([{ id, question: "How?", answer: "Pushed." }]);
      expect(await remote()).toMatchObject([{ answer: "Pushed." }]);
      expect((await call("GET", `/faqs/${id}`)).body).toMatchObject({ draft: { conflict: true } });
      expect((await call("POST", `/faqs/${id}/publish`)).field("code")).toBe("draft_conflict");
      await call("PUT", `/faqs/${id}/draft`, { answer: "Both." });
      expect((await call("POST", `/faqs/${id}/publish`)).status).toBe(200);
      expect(await remote()).toMatchObject([{ answer: "Both." }]);
    });

    it("are kept if a replacement of the list leaves their entry out", async () => {
      const id = await create("How?");
      await call("PUT", `/faqs/${id}/draft`, { answer: "Better." });
      await replace([]);
      expect(await remote()).toEqual([]);
      expect(await drafts()).toMatchObject([{ id, published: false, answer: "Better." }]);
    });

    it("can be discarded, unless the entry was never published", async () => {
      const id = await create("How?");
      await call("PUT", `/faqs/${id}/draft`, { answer: "Better." });
      expect((await call("DELETE", `/faqs/${id}/draft`)).body).toMatchObject({ draft: null });
      const other = await createDraft("New?");
      expect((await call("DELETE", `/faqs/${other}/draft`)).field("code")).toBe("wrong_state");
    });

    it("can be restored from the history, which has the last 50 texts", async () => {
      const id = await create("How?", "Text 0");
      for (let at = 1; at <= 52; at += 1) await call("PATCH", `/faqs/${id}`, { answer: `Text ${at}` });
      const { items } = Object((await call("GET", `/faqs/${id}/history`)).body);
      expect(items).toHaveLength(50);
      expect(items[0]).toMatchObject({ question: "How?", answer: "Text 51", by: world.owner.email });
      const restored = await call("POST", `/faqs/${id}/restore`, { version: items[9].id });
      expect(restored.body).toMatchObject({ answer: "Text 52", draft: { answer: "Text 42" } });
      const other = await create("Other?");
      expect((await call("POST", `/faqs/${other}/restore`, { version: items[0].id })).status).toBe(404);
    });
  });

  describe("of release notes", () => {
    const note = async (more: object = { publish: true }) =>
      String(
        (
          await call("POST", `/apps/${app.id}/changelog`, {
            ...{ title: "Maps", version: "1.0.0", body: "Old.", ...more },
          })
        ).field("id"),
      );
    const read = async () => Object(await asApp("/api/v1/changelog/remote")).entries;

    it("do not change the published note until they are published, and keep its date", async () => {
      const id = await note();
      const [{ publishedAt }] = await read();
      service.clock.advance(60_000);
      await call("PUT", `/changelog/${id}/draft`, { body: "Better." });
      expect(await read()).toMatchObject([{ body: "Old." }]);
      expect((await call("GET", `/changelog/${id}`)).body).toMatchObject({
        ...{ body: "Old.", draft: { title: "Maps", body: "Better.", conflict: false } },
      });
      await call("POST", `/changelog/${id}/publish`);
      expect(await read()).toMatchObject([{ body: "Better.", publishedAt }]);
    });

    it("are kept if an import changes the note, and then there is a conflict that names them", async () => {
      const id = await note();
      await call("PUT", `/changelog/${id}/draft`, { body: "Better." });
      const put = { body: "Imported.", overwrite: true };
      await call("PUT", `/apps/${app.id}/changelog/by-version/1.0.0`, put);
      expect(await read()).toMatchObject([{ body: "Imported." }]);
      expect((await call("POST", `/changelog/${id}/publish`)).field("code")).toBe("draft_conflict");
      expect((await call("DELETE", `/changelog/${id}/draft`)).body).toMatchObject({ draft: null });
    });

    it("exist only for published notes, because another note is a draft itself", async () => {
      const id = await note({});
      expect((await call("PUT", `/changelog/${id}/draft`, { body: "B." })).field("code")).toBe("wrong_state");
    });

    it("can be restored from the history", async () => {
      const id = await note();
      await call("PATCH", `/changelog/${id}`, { body: "Second." });
      const { items } = Object((await call("GET", `/changelog/${id}/history`)).body);
      expect(items).toMatchObject([{ title: "Maps", body: "Old.", by: world.owner.email }]);
      const restored = await call("POST", `/changelog/${id}/restore`, { version: items[0].id });
      expect(restored.body).toMatchObject({ body: "Second.", draft: { body: "Old." } });
    });
  });

  it("lose an erased e-mail address, and so does the history", async () => {
    const id = await create("How?", "Ask grace@example.org.");
    await call("PATCH", `/faqs/${id}`, { answer: "Ask us." });
    await call("PUT", `/faqs/${id}/draft`, { answer: "Ask Grace@Example.org again." });
    await call("POST", "/people/erase", { email: "grace@example.org" });
    await expect
      .poll(async () => JSON.stringify([await drafts(), (await call("GET", `/faqs/${id}/history`)).body]))
      .not.toMatch(/grace@example/i);
  });
});
