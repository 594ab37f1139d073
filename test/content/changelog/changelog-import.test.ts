import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type ChangelogCallers, makeChangelogCallers } from "../../support/worlds/changelog-callers.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const hundred = Array.from({ length: 100 }, (_, at) => at);

describe.each(databases)("release notes by version on $name", (engine) => {
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

  const notes = { title: "Maps", items: [{ type: "added", text: "Maps" }], releaseType: "major" };

  describe("PUT", () => {
    it("creates the entry of a version that has no entry", async () => {
      const answer = await api.publishing(() => api.put("1.0.0", { ...notes, publish: true }));
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        ...notes,
        version: "1.0.0",
        bodyFormat: "items",
        created: true,
        changedFields: [],
        keptFields: [],
      });
    });

    it("uses the version as the title if the request has no title", async () => {
      expect((await api.put("1.0.0")).body).toMatchObject({ title: "Version 1.0.0", publishedAt: null });
    });

    it("changes nothing if the same request arrives twice", async () => {
      const first = await api.put("1.0.0", { ...notes, publish: true });
      service.clock.advance(60_000);
      const again = await api.put("1.0.0", { ...notes, publish: true });
      expect(again.body).toEqual({ ...Object(first.body), created: false });
      const audit = await world.call("GET", "/audit?limit=5");
      const deeds = Object(audit.body).items.filter((deed: { appId: string }) => deed.appId === api.app.id);
      expect(deeds).toMatchObject([{ action: "changelog.create" }]);
    });

    it("changes the fields that differ, names them, and keeps fields that the request does not contain", async () => {
      await api.put("1.0.0", notes);
      const changed = await api.put("1.0.0", { title: "Better maps", releaseType: "major" });
      expect(changed.body).toMatchObject({
        ...notes,
        title: "Better maps",
        changedFields: ["title"],
        keptFields: [],
        created: false,
      });
    });

    it.each(["v2.4.0", "2.4.0", "app@2.4.0", "@inn/app@v2.4.0"])(
      "reads the version %s as 2.4.0",
      async (version) => {
        const first = await api.put("2.4.0", notes);
        const again = await api.put(version, { title: "Better maps" });
        expect(again.body).toMatchObject({ id: first.field("id"), version: "2.4.0", title: "Better maps" });
        expect(await api.versions()).toEqual(["2.4.0"]);
      },
    );

    it("shows a change to apps immediately", async () => {
      const titles = async () => {
        const headers = { "x-api-key": api.app.key };
        const { body } = await service.request("GET", "/api/v1/changelog/remote", { headers });
        return Object(body).entries.map(({ title }: { title: string }) => title);
      };
      await api.put("1.0.0", { title: "Maps", publish: true });
      expect(await titles()).toEqual(["Maps"]);
      await api.put("1.0.0", { title: "Better maps" });
      expect(await titles()).toEqual(["Better maps"]);
    });

    it("creates one entry if 100 requests arrive at the same time", async () => {
      const answers = await Promise.all(hundred.map(() => api.put("3.0.0", { ...notes, publish: true })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(answers.filter(({ body }) => Object(body).created)).toHaveLength(1);
      expect(new Set(answers.map((answer) => answer.field("id"))).size).toBe(1);
      expect(await api.versions()).toEqual(["3.0.0"]);
    });

    it("has one effect if an Idempotency-Key arrives 50 times at the same time, and refuses another body with it", async () => {
      const answers = await Promise.all(hundred.slice(50).map(() => api.put("3.0.0", notes, keyed("once"))));
      const done = answers.filter(({ status }) => status === 200);
      expect(new Set(done.map(({ text }) => text)).size).toBe(1);
      expect(done.filter(({ headers }) => !headers.get("idempotent-replay"))).toHaveLength(1);
      for (const answer of answers.filter(({ status }) => status !== 200))
        expect([answer.status, answer.field("code")]).toEqual([409, "idempotency_in_progress"]);
      service.clock.advance(60_000);
      const again = await api.put("3.0.0", notes, keyed("once"));
      expect([again.text, again.headers.get("idempotent-replay")]).toEqual([done[0]?.text, "true"]);
      expect((await api.put("3.0.0", { title: "Other" }, keyed("once"))).status).toBe(422);
    });

    it("is refused if several entries have the version", async () => {
      const ids = [
        (await api.post({ version: "1.0.0" })).field("id"),
        (await api.post({ version: "v1.0.0", allowDuplicate: true })).field("id"),
      ];
      const answer = await api.put("1.0.0", notes);
      expect([answer.status, answer.field("code")]).toEqual([409, "version_exists"]);
      for (const id of ids) expect(answer.field("error")).toContain(id);
    });

    it("finds no entry of another owner's app", async () => {
      const stranger = await service.signIn(await service.makeUser());
      const answer = await service.request(
        "PUT",
        `/api/v1/console/apps/${api.app.id}/changelog/by-version/1.0.0`,
        {
          headers: stranger,
          body: notes,
        },
      );
      expect(answer.status).toBe(404);
    });
  });

  describe("a text that a person wrote", () => {
    it("is kept by an import, and the import names it", async () => {
      const id = (await api.put("1.0.0", notes)).field("id");
      await api.edit(id, { title: "By hand" });
      const answer = await api.put("1.0.0", { ...notes, title: "From the file", releaseType: "patch" });
      expect(answer.body).toMatchObject({
        title: "By hand",
        releaseType: "patch",
        changedFields: ["releaseType"],
        keptFields: ["title"],
      });
      expect((await api.put("1.0.0", { title: "Again" })).body).toMatchObject({ keptFields: ["title"] });
    });

    it("is not overwritten by imports at the same time", async () => {
      for (let round = 0; round < 10; round += 1) {
        const version = `1.${round}.0`;
        const id = (await api.put(version, notes)).field("id");
        const imports = hundred.slice(90).map((at) => () => api.put(version, { title: `File ${at}` }));
        const edit = () => api.edit(id, { title: "By hand" });
        await Promise.all([...imports.slice(5), edit, ...imports.slice(0, 5)].map((send) => send()));
        expect((await api.put(version, { title: "Later" })).body).toMatchObject({
          title: "By hand",
          keptFields: ["title"],
        });
      }
    });

    it("is overwritten if the import requests it, and then belongs to the import again", async () => {
      const id = (await api.put("1.0.0", notes)).field("id");
      await api.edit(id, { title: "By hand" });
      const answer = await api.put("1.0.0", { title: "From the file", overwrite: true });
      expect(answer.body).toMatchObject({ title: "From the file", changedFields: ["title"], keptFields: [] });
      expect((await api.put("1.0.0", { title: "Newer" })).body).toMatchObject({
        title: "Newer",
        keptFields: [],
      });
    });

    it("belongs to the import again when both texts are equal", async () => {
      const id = (await api.put("1.0.0", notes)).field("id");
      await api.edit(id, { title: "By hand" });
      await api.put("1.0.0", { title: "By hand" });
      expect((await api.put("1.0.0", { title: "Newer" })).body).toMatchObject({
        title: "Newer",
        keptFields: [],
      });
    });

    it("is only a field that the person changed, even if the form sends all fields", async () => {
      const id = (await api.put("1.0.0", notes)).field("id");
      await api.edit(id, notes);
      expect((await api.put("1.0.0", { title: "Newer" })).body).toMatchObject({
        title: "Newer",
        keptFields: [],
      });
    });

    it("is kept if the entry was written in the console", async () => {
      await api.post({ version: "1.0.0", title: "By hand" }, world.headers);
      const answer = await api.put("1.0.0", { ...notes, body: "" });
      expect(answer.body).toMatchObject({ title: "By hand", keptFields: ["title"] });
    });

    it("is every field of an entry that is older than the record of changed fields", async () => {
      const at = api.now();
      await service.deps.database.write((tx) =>
        tx.insert("changelog_entries", {
          ...{ id: service.deps.newId(), app_id: api.app.id, title: "Old", version: "1.0.0", versions: "[]" },
          ...{ release_type: "minor", body_format: "markdown", body: "Text", items: "[]" },
          ...{ published_at: null, created_at: at, updated_at: at },
        }),
      );
      const answer = await api.put("1.0.0", { title: "New", body: "", publish: true });
      expect(answer.body).toMatchObject({ title: "Old", keptFields: ["title", "body", "publishedAt"] });
    });

    it("stays a draft if the person withdrew the entry: an import does not publish it again", async () => {
      const id = (await api.put("1.0.0", { ...notes, publish: true })).field("id");
      await api.edit(id, { publishedAt: null });
      const answer = await api.put("1.0.0", { ...notes, publish: true });
      expect(answer.body).toMatchObject({ publishedAt: null, keptFields: ["publishedAt"] });
    });

    it("stays published if the person published the entry: an import does not withdraw it", async () => {
      const id = (await api.put("1.0.0", notes)).field("id");
      const published = await world.call("POST", `/changelog/${id}/publish`);
      const answer = await api.put("1.0.0", { ...notes, publishedAt: null });
      expect(answer.body).toMatchObject({
        publishedAt: published.field("publishedAt"),
        keptFields: ["publishedAt"],
      });
    });
  });
});
