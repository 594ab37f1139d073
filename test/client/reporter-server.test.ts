import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ConnectionError,
  createClient,
  createSessionReporter,
  type MatchedStatus,
  type SessionCalls,
  type SessionResult,
} from "../../src/index.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithTester,
  makeAppWithTester,
  neverAKey,
  noon,
  setClock,
} from "../support/worlds/app-with-active-tester.ts";

describe("a session reporter together with the server", () => {
  let service: Service;
  let app: AppWithTester;
  const results: SessionResult[] = [];
  const statuses: MatchedStatus[] = [];
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    setClock(service, "2027-03-01T00:00:00.000Z");
    app = await makeAppWithTester(service);
    setClock(service, noon);
    results.length = 0;
    statuses.length = 0;
  });
  afterAll(() => service.stop());

  const clientOf = () =>
    createClient({ baseUrl: service.baseUrl, credentials: { appKey: app.app.key }, attempts: 1 });
  const reporterOf = (client: SessionCalls = clientOf()) =>
    createSessionReporter({
      client,
      now: () => service.clock.now(),
      onResult: (result) => results.push(result),
      onStatus: (status) => statuses.push(status),
    });

  async function use(reporter: ReturnType<typeof reporterOf>, seconds: number) {
    await reporter.foreground();
    for (const name of ["Home", "Map"]) reporter.screen(name);
    service.clock.advance(seconds * 1_000);
    await reporter.background();
  }

  it("gets a day counted, and the app gets the result when it returns to the foreground", async () => {
    const reporter = reporterOf();
    reporter.setTestKey(app.testKey);
    await use(reporter, 10);
    await use(reporter, 60);
    await reporter.foreground();
    expect(results.map(({ reason }) => reason)).toEqual(["session_below_bar", null]);
    expect(statuses.map(({ countedToday }) => countedToday)).toEqual([false, false, true]);
  });

  it("reports nothing for an unknown test key", async () => {
    const reporter = reporterOf();
    reporter.setTestKey(neverAKey());
    await use(reporter, 60);
    expect([results, statuses, reporter.pending()]).toEqual([[], [], []]);
  });

  it("stores a session once if the answer was lost", async () => {
    const client = clientOf();
    let losing = true;
    const report: SessionCalls["sessions"]["report"] = async (input) => {
      const answer = await client.sessions.report(input);
      if (losing) throw new ConnectionError("ECONNRESET", "The connection broke.");
      return answer;
    };
    const reporter = reporterOf({ sessions: { report, status: client.sessions.status } });
    reporter.setTestKey(app.testKey);
    await use(reporter, 60);
    losing = false;
    await reporter.foreground();
    expect(results).toMatchObject([{ counted: true, dayIndex: 1 }]);
    expect(await app.recorded()).toHaveLength(1);
  });
});
