import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { issuesOf } from "../../support/service/issues.ts";
import { keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type ChangelogCallers, makeChangelogCallers } from "../../support/worlds/changelog-callers.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const hundred = Array.from({ length: 100 }, (_, at) => at);

describe("new release notes", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let api: ChangelogCallers;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  beforeEach(async () => {
    api = await makeChangelogCallers(service, world);
  });
  afterAll(() => service.stop());

  describe("publish", () => {
    it("publishes now, by the server's clock", async () => {
      await api.publishing(() => api.post({ version: "1.0.0", publish: true }));
      await api.publishing(() => api.put("1.1.0", { publish: true }));
      const draft = (await api.put("1.2.0")).field("id");
      await api.publishing(() => api.edit(draft, { publish: true }));
    });

    it("keeps the date of an entry that is already published", async () => {
      const first = await api.post({ version: "1.0.0", publish: true });
      service.clock.advance(60_000);
      expect((await api.put("1.0.0", { publish: true })).body).toMatchObject({ changedFields: [] });
      await api.edit(first.field("id"), { publish: true });
      expect((await world.call("GET", `/changelog/${first.field("id")}`)).body).toMatchObject({
        publishedAt: first.field("publishedAt"),
      });
    });

    it("publishes a scheduled entry now", async () => {
      const publishedAt = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
      await api.put("1.0.0", { publishedAt });
      const answer = await api.publishing(() => api.put("1.0.0", { publish: true }));
      expect(answer.body).toMatchObject({ changedFields: ["publishedAt"] });
    });

    it("cannot be combined with a date", async () => {
      const body = { publish: true, publishedAt: "2026-01-01T00:00:00Z" };
      const fault = "publish: cannot be given together with publishedAt";
      expect(issuesOf(await api.put("1.0.0", body))).toEqual([fault]);
      expect(issuesOf(await api.post({ version: "1.0.0", ...body }))).toEqual([fault]);
      expect(await api.versions()).toEqual([]);
    });
  });

  describe("POST of a version that exists", () => {
    it.each(["1.0.0", "v1.0.0", "app@1.0.0"])("is refused: %s", async (version) => {
      const { body } = await api.post({ version: "1.0.0" });
      const answer = await api.post({ version });
      expect([answer.status, answer.field("code")]).toEqual([409, "version_exists"]);
      expect(answer.field("error")).toContain(Object(body).id);
      expect(await api.versions()).toEqual(["1.0.0"]);
    });

    it("is accepted when duplicates are allowed", async () => {
      await api.post({ version: "1.0.0" });
      expect((await api.post({ version: "1.0.0", allowDuplicate: true })).status).toBe(201);
      expect(await api.versions()).toEqual(["1.0.0", "1.0.0"]);
    });

    it("is refused 99 times when 100 arrive at once", async () => {
      const answers = await Promise.all(hundred.map(() => api.post({ version: "1.0.0" })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      // A busy machine answers some of them with 503.
      expect(answers.filter(({ status }) => status === 409 || status === 503)).toHaveLength(99);
      expect(await api.versions()).toEqual(["1.0.0"]);
    });

    it("replays the first response for the same Idempotency-Key", async () => {
      const body = { version: "1.0.0", publish: true };
      const first = await api.post(body, { ...api.job, ...keyed("lost") });
      service.clock.advance(60_000);
      const again = await api.post(body, { ...api.job, ...keyed("lost") });
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(await api.versions()).toEqual(["1.0.0"]);
    });

    it("is also refused when a change of the version causes it", async () => {
      await api.post({ version: "1.0.0" });
      const id = (await api.post({ version: "1.1.0" })).field("id");
      expect((await api.edit(id, { version: "v1.0.0" })).status).toBe(409);
      expect((await api.edit(id, { version: "v1.1.0" })).status).toBe(200);
      expect((await api.edit(id, { version: "1.0.0", allowDuplicate: true })).status).toBe(200);
    });
  });

  describe("a release type that is not given", () => {
    it.each([
      ["2.9.0", "3.0.0", "major"],
      ["2.9.0", "v3.0", "major"],
      ["2.9.0", "2.10.0", "minor"],
      ["2.9.0", "2.9.1", "patch"],
      ["2.9.0", "3.0.0-rc.1", "major"],
      ["3.0.0-rc.1", "3.0.0", "minor"],
      ["2.9.0", "1.9.9", "minor"],
      ["Spring", "3.0.0", "minor"],
      ["1053", "1054", "minor"],
      ["2.9.0", "Autumn", "minor"],
    ])("after %s follows from the version step: %s is %s", async (before, version, releaseType) => {
      await api.post({ version: before });
      expect((await api.put(version)).body).toMatchObject({ releaseType });
    });

    it("is derived from the greatest earlier release", async () => {
      for (const version of ["2.0.0", "3.0.0-rc.1", "2.9.0", "4.0.0"]) await api.put(version);
      expect((await api.post({ version: "3.0.0" })).body).toMatchObject({ releaseType: "major" });
      expect((await api.post({ version: "2.9.5" })).body).toMatchObject({ releaseType: "patch" });
    });
  });
});
