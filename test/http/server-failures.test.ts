import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../../server/jobs/housekeeping.ts";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { databases, sqlite } from "../support/database/databases.ts";
import { type FailingDatabase, failingDatabase, unreachable } from "../support/database/failing-database.ts";
import { dataUrl, png } from "../support/files/sample-files.ts";
import { addressOf, endpoints, titleOf } from "../support/service/endpoints.ts";
import { faultsOf } from "../support/service/refusals.ts";
import { type Service, startService } from "../support/service/service.ts";
import { ageFiles, rowsOf, storedFiles } from "../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("a failure of the server on $name", (engine) => {
  let database: FailingDatabase;
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    database = await failingDatabase(engine);
    service = await startService({ database });
    cast = await makeAppWithAgent(service);
  });
  afterEach(() => database.over());
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  it("is logged with the id of the request and the cause", async () => {
    database.trouble(new Error("the cause of it all"));
    const { headers } = await service.request("GET", "/api/v1/faqs/remote", { headers: cast.key });
    const lines = service
      .logged()
      .split("\n")
      .filter((line) => line.includes(headers.get("x-request-id") ?? "none"));
    expect(lines.some((line) => line.includes("the cause of it all"))).toBe(true);
  });

  it.each([
    ["500", () => new Error("x")],
    ["503", unreachable],
  ])(
    "with the answer %s stores nothing of a report: no thread, no upload, no file",
    async (status, error) => {
      const report = { type: "bug", message: "x", images: [dataUrl(png(3_210))] };
      const submit = () =>
        service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body: report });
      const files = await storedFiles(service);
      const rows = await rowsOf(service, "feedback", cast.appId);
      database.trouble(error(), "writes");
      expect(String((await submit()).status)).toBe(status);
      database.over();
      expect(await rowsOf(service, "feedback", cast.appId)).toBe(rows);
      // PostgreSQL locks a file before it deletes it. The lock failed, so the next cleaning deletes the file.
      await ageFiles(service, 61);
      await cleanUp(service.deps, new AbortController().signal);
      expect(await storedFiles(service)).toEqual(files);
      expect(await submit()).toMatchObject({ status: 201 });
      await service.request("DELETE", `/api/v1/console/apps/${cast.appId}`, { headers: cast.person });
      await expect.poll(() => storedFiles(service)).toEqual(files);
      cast = await makeAppWithAgent(service);
    },
  );

  it("ends immediately when the database answers again", async () => {
    database.trouble(unreachable());
    const list = () => service.request("GET", "/api/v1/faqs/remote", { headers: cast.key });
    expect(await list()).toMatchObject({ status: 503 });
    database.over();
    expect(await list()).toMatchObject({ status: 200 });
  });
});

describe("a failure in one request", () => {
  let database: FailingDatabase;
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    database = await failingDatabase(sqlite);
    service = await startService({ database });
    cast = await makeAppWithAgent(service);
  });
  afterEach(() => database.over());
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const call = (endpoint: Endpoint) => {
    const headers = {
      none: {},
      appKey: cast.key,
      agentToken: cast.agent,
      deviceToken: cast.device,
      console: cast.person,
      session: cast.person,
    }[endpoint.auth];
    return service.request(endpoint.method, addressOf(endpoint), { headers });
  };
  const guarded = endpoints
    .filter(([, { auth }]) => auth !== "none")
    .map(([, endpoint]) => [titleOf(endpoint), endpoint] as const);

  it.each(guarded)(
    "of %s is answered with 500 internal, the requestId and no detail, or with 503 busy and Retry-After while the database is not available",
    async (_, endpoint) => {
      database.trouble(new TypeError("x.secret is undefined in /srv/innkeep/key.ts"));
      const failed = await call(endpoint);
      expect(failed).toMatchObject({ status: 500, body: { code: "internal" } });
      expect(faultsOf(failed)).toEqual([]);
      expect(failed.field("requestId")).toBe(failed.headers.get("x-request-id"));
      expect(failed.text).not.toMatch(/secret|undefined|innkeep/);
      database.trouble(unreachable());
      const busy = await call(endpoint);
      expect(busy).toMatchObject({ status: 503, body: { code: "busy" } });
      expect(faultsOf(busy)).toEqual([]);
      expect(busy.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
      expect(busy.text).not.toMatch(/ECONNREFUSED|10\.1/);
    },
  );
});
