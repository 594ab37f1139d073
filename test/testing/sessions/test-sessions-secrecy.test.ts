import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { sqlite } from "../../support/database/databases.ts";
import {
  type FailingDatabase,
  failingDatabase,
  unreachable,
} from "../../support/database/failing-database.ts";
import { keyed } from "../../support/service/mutations.ts";
import type { Answer } from "../../support/service/request.ts";
import { metricsHeaders, type Service, startService } from "../../support/service/service.ts";
import { storedText } from "../../support/service/stored-content.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  neverAKey,
  sdkPath,
} from "../../support/worlds/app-with-active-tester.ts";

describe("a test key", () => {
  let database: FailingDatabase;
  let service: Service;
  let app: AppWithTester;
  const stranger = neverAKey();
  beforeAll(async () => {
    database = await failingDatabase(sqlite);
    service = await startService({ database });
    app = await makeAppWithTester(service, {
      startsOn: new Date(service.clock.now()).toISOString().slice(0, 10),
    });
  });
  afterEach(() => database.over());
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const address = (testKey: string) => `${sdkPath}?testKey=${testKey}`;
  const send = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { headers: app.key, ...(body === undefined ? {} : { body }) });

  /** Requests that contain a test key, with their expected failures. */
  const uses: [string, (testKey: string) => Promise<Answer>][] = [
    ["a report", (testKey) => app.report({ testKey })],
    ["a repeated report", (testKey) => app.report({ testKey }, keyed("once"))],
    ["a malformed report", (testKey) => app.report({ testKey, seconds: -1 })],
    ["a status call", (testKey) => app.status(testKey)],
    ["a status call with two keys", (testKey) => send("GET", `${address(testKey)}&testKey=${testKey}`)],
    ["a key that is too long", (testKey) => send("GET", address(testKey.repeat(9)))],
    ["a status call without a key of the app", (testKey) => app.status(testKey, { "x-api-key": "none" })],
    ["another method", (testKey) => send("DELETE", address(testKey))],
    ["a slip in the path", (testKey) => send("GET", `/api/v1/testing/sdk/sessions?testKey=${testKey}`)],
    ["broken JSON", (testKey) => send("POST", sdkPath, `{"testKey":"${testKey}",`)],
    [
      "a database that cannot be reached",
      (testKey) => {
        database.trouble(unreachable());
        return app.status(testKey);
      },
    ],
    [
      "a defect",
      (testKey) => {
        database.trouble(new Error("a defect"), "writes");
        return app.report({ testKey });
      },
    ],
  ];

  it.each(uses)("is in no answer and no log line after %s", async (_, use) => {
    for (const testKey of [app.testKey, stranger]) {
      const { headers, text } = await use(testKey);
      expect(JSON.stringify([...headers]) + text).not.toContain(testKey);
      database.over();
    }
    expect(service.logged()).toContain("/api/v1/testing/sdk/session");
    for (const testKey of [app.testKey, stranger]) expect(service.logged()).not.toContain(testKey);
  });

  it("is in no metric", async () => {
    await app.status();
    const { text } = await service.request("GET", "/metrics", { headers: metricsHeaders });
    expect(text).toContain("/api/v1/testing/sdk/session");
    expect(text).not.toContain(app.testKey);
  });

  it("is nowhere in the database in clear text, even if it is unknown", async () => {
    await app.report({}, keyed("kept"));
    await app.report({ testKey: stranger }, keyed("kept"));
    const stored = await storedText(service);
    expect([stored.includes(app.testKey), stored.includes(stranger)]).toEqual([false, false]);
  });
});
