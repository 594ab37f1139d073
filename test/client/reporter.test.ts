import { beforeEach, describe, expect, it } from "vitest";
import { type PendingSession, ServerError } from "../../src/index.ts";
import {
  type AppWithSessionReporter,
  appWithSessionReporter,
  counted,
  limited,
  offline,
  standing,
  stranger,
  strangerStatus,
  use,
} from "../support/clients/app-with-session-reporter.ts";

describe("a session reporter", () => {
  let app: AppWithSessionReporter;
  beforeEach(() => {
    app = appWithSessionReporter({ appVersion: "1.4.0" });
    app.reporter.setTestKey("stk_one");
  });

  it("reports the screens of a session when the app leaves the foreground", async () => {
    await use(app, 90, ["Home", "Map", "Home"]);
    expect(app.bodies()).toEqual([
      {
        testKey: "stk_one",
        startedAt: "2027-03-01T12:00:00.000Z",
        endedAt: "2027-03-01T12:01:30.000Z",
        screens: ["Home", "Map"],
        appVersion: "1.4.0",
      },
    ]);
    expect(app.heard.results).toEqual([counted]);
  });

  it("asks for the status when the app comes to the foreground", async () => {
    await app.reporter.foreground();
    expect([app.asked, app.heard.statuses]).toEqual([["stk_one"], [standing]]);
  });

  it("leaves the check of the minimum length to the server", async () => {
    await use(app, 1, ["Home"]);
    expect(app.bodies()).toMatchObject([{ endedAt: "2027-03-01T12:00:01.000Z" }]);
  });

  it("does not report a session without screens", async () => {
    await use(app, 90, []);
    await app.reporter.background();
    expect(app.reports).toEqual([]);
  });

  it("also counts the screen on which the app returns to the foreground", async () => {
    await use(app, 90, ["Home", "Map"]);
    await use(app, 90, ["Help"]);
    expect(app.bodies()[1]).toMatchObject({ screens: ["Map", "Help"] });
  });

  it("keeps the first 50 distinct screens, with trimmed and shortened names", async () => {
    const names = Array.from({ length: 60 }, (_, at) => ` Screen ${at}\0 `);
    await use(app, 90, ["", "  ", "x".repeat(300), ...names]);
    const screens = app.bodies()[0]?.screens ?? [];
    expect([screens.length, screens[0], screens[49]]).toEqual([50, "x".repeat(200), "Screen 48"]);
  });

  it("limits a session to 24 hours, and ends it at its start time if the clock was set back", async () => {
    await use(app, 90_000, ["Home"]);
    await use(app, -5, ["Home"]);
    const [long, back] = app.bodies();
    expect(long).toMatchObject({ endedAt: "2027-03-02T12:00:00.000Z" });
    expect(back?.endedAt).toBe(back?.startedAt);
  });

  it("continues a session if the app reports the foreground twice", async () => {
    await app.reporter.foreground();
    app.pass(60);
    await use(app, 60, ["Home"]);
    expect(app.bodies()).toMatchObject([{ endedAt: "2027-03-01T12:02:00.000Z" }]);
  });

  it("ignores an unknown test key without an error", async () => {
    app.server.report = stranger;
    app.server.status = strangerStatus;
    await use(app, 90, ["Home"]);
    await app.reporter.foreground();
    expect(app.heard).toEqual({ statuses: [], results: [], failures: [] });
    expect([app.reports.length, app.reporter.pending()]).toEqual([1, []]);
  });

  it("sends nothing and stores nothing without a test key", async () => {
    app.reporter.setTestKey(null);
    await use(app, 90, ["Home"]);
    app.reporter.setTestKey("stk_two");
    await app.reporter.foreground();
    expect([app.reports, app.asked]).toEqual([[], ["stk_two"]]);
  });

  describe("with a failing network", () => {
    beforeEach(async () => {
      app.server.report = offline;
      await use(app, 90, ["Home", "Map"]);
    });

    it("sends the same report with the same Idempotency-Key again when the app returns", async () => {
      app.server.report = counted;
      await app.reporter.foreground();
      expect(app.reports[1]).toEqual(app.reports[0]);
      expect(app.reporter.pending()).toEqual([]);
    });

    it("sends each session with a separate Idempotency-Key", async () => {
      await use(app, 90, ["Home"]);
      expect(new Set(app.reporter.pending().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
    });

    it("sends the report again with the slot's present test key", async () => {
      app.reporter.setTestKey("stk_rotated");
      await app.reporter.foreground();
      expect(app.reports[1]?.body.testKey).toBe("stk_rotated");
    });

    it("deletes the report after the tester has left", async () => {
      app.reporter.setTestKey(null);
      expect(app.reporter.pending()).toEqual([]);
    });

    it("reports failures without text that can contain the test key", () => {
      const none = { status: undefined, retryAfterSeconds: undefined };
      expect(app.heard.failures).toEqual([{ call: "report", code: "ECONNREFUSED", ...none }]);
    });
  });

  it("waits as long as the header Retry-After says", async () => {
    app.server.report = limited;
    await use(app, 60, ["Home"]);
    app.server.report = counted;
    app.pass(599);
    await app.reporter.foreground();
    expect(app.reports).toHaveLength(1);
    app.pass(1);
    await app.reporter.background();
    expect([app.reports.length, app.reporter.pending()]).toEqual([3, []]);
  });

  it.each([400, 413, 422])("deletes a session that the server will never accept: %d", async (status) => {
    app.server.report = new ServerError({ status, code: "bad_request", message: "No." });
    await use(app, 90, ["Home"]);
    expect(app.reporter.pending()).toEqual([]);
  });

  it.each([401, 409, 500, 503])("keeps a session that the server can accept later: %d", async (status) => {
    app.server.report = new ServerError({ status, code: "busy", message: "Later." });
    await use(app, 90, ["Home"]);
    expect(app.reporter.pending()).toHaveLength(1);
  });
});

describe("the unsent sessions of a session reporter", () => {
  it("have a maximum number, and the oldest are deleted", async () => {
    const app = appWithSessionReporter({ mostPending: 3 });
    app.reporter.setTestKey("stk_one");
    app.server.report = offline;
    for (const screen of ["1", "2", "3", "4", "5"]) await use(app, 60, [screen]);
    expect(app.reporter.pending().map(({ screens }) => screens.at(-1))).toEqual(["3", "4", "5"]);
  });

  it("can be stored without the test key, and are sent after the next start of the app", async () => {
    let stored: readonly PendingSession[] = [];
    const first = appWithSessionReporter({
      onPending: (pending) => {
        stored = pending;
      },
    });
    first.reporter.setTestKey("stk_one");
    first.server.report = offline;
    await use(first, 90, ["Home"]);
    expect([stored.length, JSON.stringify(stored).includes("stk_one")]).toEqual([1, false]);
    const next = appWithSessionReporter({ pending: stored });
    next.reporter.setTestKey("stk_one");
    await next.reporter.foreground();
    expect(next.reports).toEqual(first.reports);
  });
});

describe("a session reporter that reads the test key", () => {
  it("reads the test key again for every use", async () => {
    let reads = 0;
    const app = appWithSessionReporter({ readTestKey: async () => `stk_${++reads}` });
    await use(app, 90, ["Home"]);
    await app.reporter.foreground();
    expect(new Set([...app.asked, ...app.bodies().map(({ testKey }) => testKey)]).size).toBe(3);
  });

  it("keeps a session if it cannot read the test key", async () => {
    const app = appWithSessionReporter({ readTestKey: () => Promise.reject(new Error("locked")) });
    await use(app, 90, ["Home"]);
    expect([app.reports, app.reporter.pending().length]).toEqual([[], 1]);
  });

  it("keeps no session without a tester", async () => {
    const app = appWithSessionReporter({ readTestKey: () => null });
    await use(app, 90, ["Home"]);
    expect([app.reports, app.reporter.pending()]).toEqual([[], []]);
  });
});
