import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe("a successful run on a machine", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
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
  const resolve = (more: object = {}, headers: Readonly<Record<string, string>> = cast.person) =>
    service.request("POST", `/api/v1/console/apps/${cast.appId}/feedback/resolve`, {
      headers,
      body: { run: "2", passed: ["login"], ...more },
    });
  const thread = async (id: string) =>
    (await service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person })).body;
  const minutes = (count: number) => service.clock.advance(count * 60_000);

  it.each([
    ["is ten minutes fast does not resolve a failure that was reported after its start", 600, "open"],
    ["is right resolves a failure that was reported before its start", 0, "resolved"],
    ["is ten minutes slow resolves no additional failure", -600, "open"],
  ])("whose clock %s", async (_, seconds, status) => {
    const shown = () => new Date(service.clock.now().getTime() + seconds * 1_000);
    const early = seconds === 0 ? (await report({ dedupeRun: "9" })).field("id") : undefined;
    minutes(1);
    const startedAt = shown().toISOString();
    minutes(1);
    const id = early ?? (await report({ dedupeRun: "9" })).field("id");
    minutes(1);
    await resolve({ startedAt }, { ...cast.person, date: shown().toUTCString() });
    expect(await thread(id)).toMatchObject({ feedback: { status } });
  });

  it.each(["Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "tomorrow", ""])(
    "with the date `%s` of its clock resolves no failure that was reported after its start",
    async (date) => {
      const startedAt = service.clock.now().toISOString();
      minutes(1);
      const id = (await report({ dedupeRun: "9" })).field("id");
      expect(await resolve({ startedAt }, { ...cast.person, date })).toMatchObject({ status: 200 });
      expect(await thread(id)).toMatchObject({ feedback: { status: "open" } });
    },
  );

  it("gets the same answer if it is repeated at another time", async () => {
    const id = (await report()).field("id");
    minutes(1);
    const startedAt = service.clock.now().toISOString();
    const send = () =>
      resolve(
        { startedAt },
        { ...cast.person, "idempotency-key": "one", date: service.clock.now().toUTCString() },
      );
    expect(await send()).toMatchObject({ status: 200, body: { resolved: [{ id }] } });
    minutes(1);
    expect(await send()).toMatchObject({ status: 200, body: { resolved: [{ id }] } });
  });
});
