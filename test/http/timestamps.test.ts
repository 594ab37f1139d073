import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { faultyPaths, issuesOf } from "../support/service/issues.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
  writeNote,
} from "../support/worlds/app-with-owner-and-agent.ts";

describe.each(databases)("a time in an answer on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ engine });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it("is in ISO 8601 with UTC and milliseconds", async () => {
    const faq = { question: "How?", answer: "So." };
    await service.request("POST", "/api/v1/faqs/remote", { headers: cast.key, body: faq });
    await writeNote(service, cast, {});
    const feedbackId = await submitFeedback(service, cast);
    const runId = await propose(service, cast, feedbackId);
    await decide(service, cast, runId, { decision: "approve" });
    const paths = ["/api/v1/faqs/remote", "/api/v1/changelog/remote"];
    paths.push(`/api/v1/agent/feedback/${feedbackId}`, `/api/v1/agent/runs/${runId}`);
    for (const path of paths) {
      const { text } = await service.request("GET", path, { headers: { ...cast.key, ...cast.agent } });
      const instants = [...text.matchAll(/"\w+At":("[^"]*"|\d+)/g)].map(([, instant]) => instant);
      expect(instants.length).toBeGreaterThan(0);
      for (const instant of instants) expect(instant).toMatch(/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"$/);
    }
  });
});

describe("a date without a time in a request", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
    const id = await submitFeedback(service, cast);
    const change = { headers: cast.person, body: { status: "in_progress" } };
    await service.request("PATCH", `/api/v1/console/feedback/${id}`, change);
  });
  afterAll(() => service.stop());

  const dayAt = (days: number) =>
    new Date(service.clock.now().getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const found = async (path: string) => {
    const headers = path.startsWith("/agent") ? cast.agent : cast.person;
    const answer = await service.request("GET", `/api/v1${path}`, { headers });
    expect(answer.status).toBe(200);
    const { items } = Object(answer.body);
    return items.length > 0;
  };
  const lists: [string, () => string, "since" | "until"][] = [
    ["updatedSince", () => "/agent/feedback?updatedSince=", "since"],
    ["from of feedback", () => `/console/apps/${cast.appId}/feedback?from=`, "since"],
    ["to of feedback", () => `/console/apps/${cast.appId}/feedback?to=`, "until"],
    ["from of the audit", () => "/console/audit?from=", "since"],
    ["to of the audit", () => "/console/audit?to=", "until"],
  ];

  it.each(lists)("means the beginning of the day in %s", async (_, path, kind) => {
    const [today, tomorrow] = [dayAt(0), dayAt(1)];
    expect(await found(`${path()}${today}`)).toBe(kind === "since");
    expect(await found(`${path()}${tomorrow}`)).toBe(kind === "until");
  });

  it("is named in the error as an allowed form if a text is neither a day nor an instant", async () => {
    const path = `/api/v1/console/apps/${cast.appId}/feedback?from=2026-02-30`;
    const answer = await service.request("GET", path, { headers: cast.person });
    expect(Object(answer.body).error).toMatch(/^`from` must be a day \(2026-01-31\) or an ISO 8601 instant/);
  });

  it("is refused as the time of a device's clock", async () => {
    const body = { testKey: "k", startedAt: dayAt(0), endedAt: dayAt(0), screens: [] };
    const answer = await service.request("POST", "/api/v1/testing/sdk/session", { headers: cast.key, body });
    expect(faultyPaths(answer)).toEqual(["endedAt", "startedAt"]);
  });
});

describe("a time in a request", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it.each([
    ["2024-05-01T10:00:00Z", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00Z", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00:00.5Z", "2024-05-01T10:00:00.500Z"],
    ["2024-05-01T10:00:00.123456Z", "2024-05-01T10:00:00.123Z"],
    ["2024-05-01T12:00:00+02:00", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T04:30:00-05:30", "2024-05-01T10:00:00.000Z"],
    ["2024-02-29T23:00:00-02:00", "2024-03-01T01:00:00.000Z"],
    // The format of strftime's %z.
    ["2024-05-01T12:00:00+0200", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00:00+0000", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T04:30:00.25-0530", "2024-05-01T10:00:00.250Z"],
    // PostgreSQL and PHP.
    ["2024-05-01T12:00:00+02", "2024-05-01T10:00:00.000Z"],
    // RFC 3339 allows lower case, ISO 8601 a comma.
    ["2024-05-01t10:00:00z", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T10:00:00,5Z", "2024-05-01T10:00:00.500Z"],
    ["2024-05-01t12:00:00,123456+02", "2024-05-01T10:00:00.123Z"],
    // Java's ZonedDateTime: only the offset counts, not the zone.
    ["2024-05-01T12:00:00.5+02:00[Europe/Paris]", "2024-05-01T10:00:00.500Z"],
    ["2024-05-01T10:00:00Z[UTC]", "2024-05-01T10:00:00.000Z"],
    ["2024-05-01T07:00-03:00[America/Argentina/Buenos_Aires]", "2024-05-01T10:00:00.000Z"],
  ])("needs Z or an offset: %s", async (given, instant) => {
    const answer = await writeNote(service, cast, { publishedAt: given });
    expect(answer.field("publishedAt")).toBe(instant);
  });

  it.each([
    ["no offset", "2024-05-01T10:00:00"],
    ["no time", "2024-05-01"],
    ["a space for T", "2024-05-01 10:00:00Z"],
    ["a month that does not exist", "2024-13-01T10:00:00Z"],
    ["a day that does not exist", "2023-02-29T10:00:00Z"],
    ["an hour that does not exist", "2024-05-01T25:00:00Z"],
    ["an offset that does not exist", "2024-05-01T10:00:00+99:00"],
    ["an offset of one digit", "2024-05-01T10:00:00+2"],
    ["an offset of three digits", "2024-05-01T10:00:00+020"],
    ["an offset of seconds", "2024-05-01T10:00:00+02:00:30"],
    ["a zone without an offset", "2024-05-01T10:00:00[Europe/Paris]"],
    ["a zone without its closing bracket", "2024-05-01T10:00:00+02:00[Europe/Paris"],
    ["a zone of other characters", "2024-05-01T10:00:00+02:00[<b>]"],
    ["a fraction of minutes", "2024-05-01T10:00,5Z"],
    ["a comma without a fraction", "2024-05-01T10:00:00,Z"],
    ["a number of seconds", 1_714_557_600],
    ["words", "yesterday"],
    ["another calendar", "Wed, 01 May 2024 10:00:00 GMT"],
    ["spaces around it", " 2024-05-01T10:00:00Z "],
    ["a year beyond four digits", "+012024-05-01T10:00:00Z"],
    ["an offset that moves it past the year 9999", "9999-12-31T23:59:59-01:00"],
    ["an offset that moves it before the year 0", "0000-01-01T00:00:00+01:00"],
  ])("with %s is refused with 400", async (_, publishedAt) => {
    const [issue, ...others] = issuesOf(await writeNote(service, cast, { publishedAt }));
    expect([issue, others]).toEqual([expect.stringMatching(/^publishedAt: must be/), []]);
  });
});
