import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf } from "../../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("failures that CI runs report, on $name,", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const report = (more: object = {}) =>
    service.request("POST", "/api/v1/feedback/remote", {
      headers: cast.key,
      body: { type: "bug", message: "login fails", dedupeKey: "login", ...more },
    });
  const resolve = (more: object = {}, headers = cast.person) =>
    service.request("POST", `/api/v1/console/apps/${cast.appId}/feedback/resolve`, {
      headers,
      body: { run: "2", passed: ["login"], ...more },
    });
  const thread = async (id: string) =>
    (await service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person })).body;
  const minutes = (count: number) => service.clock.advance(count * 60_000);

  describe("a failure report of a run", () => {
    it("adds nothing if the same run of the same scope has already reported the failure", async () => {
      const id = (await report({ dedupeScope: "ci linux", dedupeRun: "1" })).field("id");
      const again = await report({ dedupeScope: "ci linux", dedupeRun: "1", message: "attempt 2" });
      expect(again).toMatchObject({ status: 201, body: { id, deduplicated: true } });
      expect(await thread(id)).toMatchObject({ feedback: { occurrences: 1 }, messages: [] });
    });

    it.each([
      ["another run", { dedupeScope: "ci linux", dedupeRun: "2" }],
      ["another scope", { dedupeScope: "ci windows", dedupeRun: "1" }],
      ["a report without a run", {}],
    ])("is counted if it is from %s", async (_, more) => {
      const id = (await report({ dedupeScope: "ci linux", dedupeRun: "1" })).field("id");
      await report(more);
      expect(await thread(id)).toMatchObject({ feedback: { occurrences: 2 } });
    });

    it("is counted again for the same run after its scope has passed", async () => {
      const linux = { dedupeScope: "linux", dedupeRun: "1" };
      const id = (await report(linux)).field("id");
      await report({ dedupeScope: "windows", dedupeRun: "1" });
      await resolve({ scope: "linux", run: "1" });
      await report(linux);
      expect(await thread(id)).toMatchObject({ feedback: { occurrences: 3, status: "open" } });
      expect((await resolve({ scope: "windows" })).body).toMatchObject({
        stillFailing: [{ scopes: ["linux"] }],
      });
    });

    it("creates one thread with 100 occurrences if 100 jobs send it at the same time", async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, job) => report({ dedupeScope: `job ${job}`, dedupeRun: "1" })),
      );
      const ids = new Set(answers.map((answer) => answer.field("id")));
      expect(ids.size).toBe(1);
      expect(await thread([...ids][0] ?? "")).toMatchObject({ feedback: { occurrences: 100 } });
    });
  });

  describe("a successful run", () => {
    it("resolves the thread with a note that names the run, once", async () => {
      const id = (await report()).field("id");
      minutes(1);
      const url = "https://ci.example.com/runs/2";
      const answer = await resolve({ runUrl: url });
      const failure = { id, dedupeKey: "login", consoleUrl: expect.stringContaining(id) };
      expect(answer).toMatchObject({
        status: 200,
        body: { resolved: [failure], stillFailing: [], more: false },
      });
      expect(await thread(id)).toMatchObject({
        feedback: { status: "resolved" },
        messages: [{ direction: "note", author: "team", body: expect.stringMatching(`run 2.\n${url}`) }],
      });
      expect((await resolve()).body).toEqual({ resolved: [], stillFailing: [], more: false });
    });

    it("resolves the thread only after every scope has passed", async () => {
      const id = (await report({ dedupeScope: "linux", dedupeRun: "1" })).field("id");
      await report({ dedupeScope: "windows", dedupeRun: "1" });
      minutes(1);
      expect((await resolve({ scope: "linux" })).body).toMatchObject({
        resolved: [],
        stillFailing: [{ id, scopes: ["windows"] }],
      });
      expect(await thread(id)).toMatchObject({ feedback: { status: "open" } });
      expect((await resolve({ scope: "windows" })).body).toMatchObject({ resolved: [{ id }] });
    });

    it("does not resolve a failure that was reported after the run started, and says so", async () => {
      const startedAt = service.clock.now().toISOString();
      minutes(1);
      const id = (await report({ dedupeRun: "9" })).field("id");
      expect((await resolve({ startedAt })).body).toMatchObject({
        resolved: [],
        stillFailing: [{ id, scopes: [""], reportedLater: true }],
      });
      expect(await thread(id)).toMatchObject({ feedback: { status: "open" } });
    });

    it("gets the scopes that reported the failure if its own scope did not report it", async () => {
      const id = (await report({ dedupeScope: "windows", dedupeRun: "1" })).field("id");
      await report({ dedupeScope: "linux", dedupeRun: "1" });
      await report({ dedupeKey: "logout", dedupeScope: "linux", dedupeRun: "1" });
      minutes(1);
      const { body } = await resolve({ scope: "macos" });
      expect(body).toMatchObject({ resolved: [], more: false });
      expect(body).toHaveProperty("stillFailing", [
        expect.objectContaining({ id, scopes: ["linux", "windows"], reportedLater: false }),
      ]);
    });

    it("resolves a failure that the same run had reported before a retry", async () => {
      const startedAt = service.clock.now().toISOString();
      minutes(1);
      const id = (await report({ dedupeRun: "9" })).field("id");
      expect((await resolve({ startedAt, run: "9" })).body).toMatchObject({ resolved: [{ id }] });
    });

    it("resolves failures by the beginning of their keys", async () => {
      for (const dedupeKey of ["test:a:1", "test:a:2", "test:b:1", "test:a"]) await report({ dedupeKey });
      const { body } = await resolve({ passed: [{ prefix: "test:a:" }] });
      expect(body).toMatchObject({ resolved: [{ dedupeKey: "test:a:1" }, { dedupeKey: "test:a:2" }] });
      expect(body).not.toHaveProperty("resolved.2");
    });

    it("resolves 200 failures at once, and says that there are more", async () => {
      for (let index = 0; index < 201; index += 1) await report({ dedupeKey: `key ${index}` });
      const all = { passed: [{ prefix: "key " }] };
      expect(await resolve(all)).toMatchObject({ body: { resolved: { length: 200 }, more: true } });
      expect(await resolve(all)).toMatchObject({ body: { resolved: { length: 1 }, more: false } });
    });

    it("does not change closed threads, other keys and other apps", async () => {
      const other = await makeAppWithAgent(service);
      const foreign = await service.request("POST", "/api/v1/feedback/remote", {
        headers: other.key,
        body: { type: "bug", message: "login fails", dedupeKey: "login" },
      });
      await report({ dedupeKey: "logout" });
      const archived = (await report()).field("id");
      const status = { status: "archived" };
      await service.request("PATCH", `/api/v1/console/feedback/${archived}`, {
        headers: cast.person,
        body: status,
      });
      expect((await resolve()).body).toEqual({ resolved: [], stillFailing: [], more: false });
      expect(await thread(archived)).toMatchObject({ feedback: status });
      expect(foreign.status).toBe(201);
    });

    it("is recorded in the audit for each thread", async () => {
      const id = (await report()).field("id");
      await resolve();
      const { body } = await service.request("GET", "/api/v1/console/audit", { headers: cast.person });
      expect(body).toMatchObject({ items: [{ action: "thread.resolve", target: id }] });
    });

    it("of another owner's app resolves nothing", async () => {
      const other = await makeAppWithAgent(service);
      expect(await resolve({}, other.person)).toMatchObject({ status: 404, body: { code: "not_found" } });
    });

    it.each([
      ["no run", { run: undefined }, "run"],
      ["an empty prefix", { passed: [{ prefix: "" }] }, "passed.0.prefix"],
      ["a start without an offset", { startedAt: "2026-01-01T00:00:00" }, "startedAt"],
      ["more than 5,000 keys", { passed: Array.from({ length: 5_001 }, () => "k") }, "passed"],
    ])("is refused with %s", async (_, more, path) => {
      const answer = await resolve(more);
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path }] } });
    });
  });

  it("a report and a successful run at the same time leave one open thread, or one resolved thread and a new one", async () => {
    for (let round = 0; round < 20; round += 1) {
      const dedupeKey = `race ${round}`;
      const id = (await report({ dedupeKey, dedupeRun: "1" })).field("id");
      const [late] = await Promise.all([
        report({ dedupeKey, dedupeRun: "3" }),
        resolve({ passed: [dedupeKey] }),
      ]);
      const state = await thread(late.field("id"));
      if (late.field("id") === id) expect(state).toMatchObject({ feedback: { occurrences: 2 } });
      else expect(state).toMatchObject({ feedback: { status: "open" } });
    }
    expect(await rowsOf(service, "feedback", cast.appId)).toBeGreaterThanOrEqual(20);
  });
});
