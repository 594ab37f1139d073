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

  describe("with publish", () => {
    it("are published at the present time of the server", async () => {
      await api.publishing(() => api.post({ version: "1.0.0", publish: true }));
      await api.publishing(() => api.put("1.1.0", { publish: true }));
      const draft = (await api.put("1.2.0")).field("id");
      await api.publishing(() => api.edit(draft, { publish: true }));
    });

    it("keep their date if they are already published", async () => {
      const first = await api.post({ version: "1.0.0", publish: true });
      service.clock.advance(60_000);
      expect((await api.put("1.0.0", { publish: true })).body).toMatchObject({ changedFields: [] });
      await api.edit(first.field("id"), { publish: true });
      expect((await world.call("GET", `/changelog/${first.field("id")}`)).body).toMatchObject({
        publishedAt: first.field("publishedAt"),
      });
    });

    it("are published immediately if they were scheduled", async () => {
      const publishedAt = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
      await api.put("1.0.0", { publishedAt });
      const answer = await api.publishing(() => api.put("1.0.0", { publish: true }));
      expect(answer.body).toMatchObject({ changedFields: ["publishedAt"] });
    });

    it("are refused if the request also has a date", async () => {
      const body = { publish: true, publishedAt: "2026-01-01T00:00:00Z" };
      const fault = "publish: cannot be given together with publishedAt";
      expect(issuesOf(await api.put("1.0.0", body))).toEqual([fault]);
      expect(issuesOf(await api.post({ version: "1.0.0", ...body }))).toEqual([fault]);
      expect(await api.versions()).toEqual([]);
    });
  });

  describe("with a version that another entry has", () => {
    it.each(["1.0.0", "v1.0.0", "app@1.0.0"])("are refused: %s", async (version) => {
      const { body } = await api.post({ version: "1.0.0" });
      const answer = await api.post({ version });
      expect([answer.status, answer.field("code")]).toEqual([409, "version_exists"]);
      expect(answer.field("error")).toContain(Object(body).id);
      expect(await api.versions()).toEqual(["1.0.0"]);
    });

    it("are accepted if the request allows duplicates", async () => {
      await api.post({ version: "1.0.0" });
      expect((await api.post({ version: "1.0.0", allowDuplicate: true })).status).toBe(201);
      expect(await api.versions()).toEqual(["1.0.0", "1.0.0"]);
    });

    it("are refused 99 times if 100 requests arrive at the same time", async () => {
      const answers = await Promise.all(hundred.map(() => api.post({ version: "1.0.0" })));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      // A busy machine answers some of them with 503.
      expect(answers.filter(({ status }) => status === 409 || status === 503)).toHaveLength(99);
      expect(await api.versions()).toEqual(["1.0.0"]);
    });

    it("get the first response again for the same Idempotency-Key", async () => {
      const body = { version: "1.0.0", publish: true };
      const first = await api.post(body, { ...api.job, ...keyed("lost") });
      service.clock.advance(60_000);
      const again = await api.post(body, { ...api.job, ...keyed("lost") });
      expect([again.status, again.text]).toEqual([201, first.text]);
      expect(await api.versions()).toEqual(["1.0.0"]);
    });

    it("are also refused if a change of the version causes the duplicate", async () => {
      await api.post({ version: "1.0.0" });
      const id = (await api.post({ version: "1.1.0" })).field("id");
      expect((await api.edit(id, { version: "v1.0.0" })).status).toBe(409);
      expect((await api.edit(id, { version: "v1.1.0" })).status).toBe(200);
      expect((await api.edit(id, { version: "1.0.0", allowDuplicate: true })).status).toBe(200);
    });
  });

  describe("without a release type", () => {
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
    ])("have a type from the version step: from %s to %s is %s", async (before, version, releaseType) => {
      await api.post({ version: before });
      expect((await api.put(version)).body).toMatchObject({ releaseType });
    });

    it("have a type that is derived from the greatest earlier release", async () => {
      for (const version of ["2.0.0", "3.0.0-rc.1", "2.9.0", "4.0.0"]) await api.put(version);
      expect((await api.post({ version: "3.0.0" })).body).toMatchObject({ releaseType: "major" });
      expect((await api.post({ version: "2.9.5" })).body).toMatchObject({ releaseType: "patch" });
    });
  });
});
