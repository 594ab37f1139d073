import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const prefix = (test: string) => `junit:${test}:`;
const passing = (...tests: string[]) => ({ passed: tests.map((test) => ({ prefix: prefix(test) })) });

describe.each(databases)("a report that combines many failing tests, on $name,", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const report = async (tests: readonly string[] | undefined, more: object = {}) => {
    const answer = await service.request("POST", "/api/v1/feedback/remote", {
      headers: cast.key,
      body: {
        ...{ type: "bug", message: "2 more tests failed", dedupeKey: "junit-more:x", dedupeRun: "1" },
        ...(tests && { dedupeParts: tests.map(prefix) }),
        ...more,
      },
    });
    service.clock.advance(60_000);
    return answer.field("id");
  };
  const resolve = async (more: object, run = "2") =>
    (
      await service.request("POST", `/api/v1/console/apps/${cast.appId}/feedback/resolve`, {
        headers: cast.person,
        body: { run, ...more },
      })
    ).body;

  it("is resolved when each of its tests has passed, in one run or in several", async () => {
    const id = await report(["a", "b", "c"]);
    expect(await resolve(passing("a", "z"))).toMatchObject({ resolved: [], stillFailing: [{ id }] });
    expect(await resolve(passing("z"))).toMatchObject({ resolved: [], stillFailing: [] });
    expect(await resolve(passing("b", "c"), "3")).toMatchObject({ resolved: [{ id }] });
  });

  it("is not resolved by the beginning of its key, and not by another report that names many tests", async () => {
    await report(["a"]);
    await report(undefined, { dedupeKey: "junit:a:1" });
    const wide = ["junit-more:", "junit-more:x", "junit", "junit:", "j"].map((one) => ({ prefix: one }));
    expect(await resolve({ passed: wide })).toMatchObject({ resolved: [], stillFailing: [] });
  });

  it("is resolved only by its whole key if it does not say which tests it names", async () => {
    const id = await report(undefined);
    expect(await resolve(passing("a"))).toMatchObject({ resolved: [] });
    expect(await resolve({ passed: ["junit-more:x"] })).toMatchObject({ resolved: [{ id }] });
  });

  it("is resolved only after the tests of every job of a run have passed", async () => {
    const id = await report(["a"]);
    await report(["b"]);
    expect(await resolve(passing("a"))).toMatchObject({ resolved: [] });
    expect(await resolve(passing("b"))).toMatchObject({ resolved: [{ id }] });
  });

  it("is not resolved while a test failed again in a later run", async () => {
    const id = await report(["a", "b"]);
    await resolve(passing("a"));
    await report(["a"], { dedupeRun: "3" });
    expect(await resolve(passing("b"), "4")).toMatchObject({ resolved: [] });
    expect(await resolve(passing("a"), "5")).toMatchObject({ resolved: [{ id }] });
  });

  it("is resolved only after every scope has passed", async () => {
    const id = await report(["a"], { dedupeScope: "linux" });
    await report(["a"], { dedupeScope: "windows" });
    expect(await resolve({ ...passing("a"), scope: "linux" })).toMatchObject({
      resolved: [],
      stillFailing: [{ id, scopes: ["windows"] }],
    });
    expect(await resolve({ ...passing("a"), scope: "windows" })).toMatchObject({ resolved: [{ id }] });
  });

  it("is not resolved by a run that had started before it", async () => {
    const startedAt = service.clock.now().toISOString();
    service.clock.advance(60_000);
    await report(["a"]);
    expect(await resolve({ ...passing("a"), startedAt })).toMatchObject({ resolved: [], stillFailing: [] });
  });

  it("can name 5,000 tests", async () => {
    const tests = Array.from({ length: 5_000 }, (_, at) => String(at).padStart(32, "0"));
    const id = await report(tests);
    expect(await resolve(passing(...tests))).toMatchObject({ resolved: [{ id }] });
  });

  it("that names over 5,000 tests in several jobs is resolved only by its whole key", async () => {
    const { id, tests } = await reportTooMany({});
    expect(await resolve(passing(...tests.slice(0, 5_000)))).toMatchObject({ resolved: [] });
    expect(await resolve(passing(...tests.slice(5_000)), "3")).toMatchObject({ resolved: [] });
    await report(["late"]);
    expect(await resolve(passing("late"), "4")).toMatchObject({ resolved: [] });
    expect(await resolve({ passed: ["junit-more:x"] }, "5")).toMatchObject({ resolved: [{ id }] });
  });

  it("that names over 5,000 tests is not resolved by the beginning of its key", async () => {
    const { tests } = await reportTooMany({ dedupeKey: "junit:a:1" });
    expect(await resolve(passing("a", ...tests.slice(0, 4_999)))).toMatchObject({ resolved: [] });
  });

  it("that names over 5,000 tests in several jobs does not grow with each job", async () => {
    await reportTooMany({});
    const stored = await service.deps.database.all<{ parts: string }>(
      "SELECT parts FROM failure_runs WHERE app_id = ?",
      cast.appId,
    );
    expect(stored).toEqual([{ parts: "[]" }]);
  });

  /** Reports 5,001 tests in two jobs of one run. */
  const reportTooMany = async (more: object) => {
    const tests = Array.from({ length: 5_001 }, (_, at) => String(at).padStart(32, "0"));
    await report(tests.slice(0, 5_000), more);
    return { tests, id: await report(tests.slice(5_000), more) };
  };
});
