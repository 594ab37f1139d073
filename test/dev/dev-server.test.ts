import { request as requestHttp } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";

const devPaths = [
  ["POST", "/dev/clock"],
  ["POST", "/dev/faults"],
  ["GET", "/dev/faults"],
  ["DELETE", "/dev/faults"],
  ["GET", "/dev/outbox"],
  ["POST", "/dev/reset"],
  ["GET", "/dev/clock"],
  ["GET", "/dev/snapshots"],
  ["POST", "/dev/snapshots"],
  ["POST", "/dev/snapshots/one/load"],
  ["GET", "/dev"],
  ["POST", "/dev/forms/clock"],
  ["POST", "/dev/forms/reset"],
] as const;

describe("a server without --dev", () => {
  it.each(devPaths)("answers 404 to %s %s, as to every unknown path", async (method, path) => {
    const service = await startService();
    const answer = await service.request(method, path);
    const unknown = await service.request(method, "/nowhere");
    await service.stop();
    expect([answer.status, answer.text]).toEqual([404, unknown.text]);
  });
});

it.each([
  ["with --dev", true, 200],
  ["without --dev", false, 429],
])(
  "a server without rate limits accepts more than 60 session reports an hour only if it runs %s",
  async (_, dev, last) => {
    const service = await startService({
      settings: { dev },
      environment: { INNKEEP_RATE_LIMITS: "off" },
    });
    const { key } = await service.makeApp();
    const body = {
      testKey: "stk_unknown",
      startedAt: "2026-11-01T10:00:00Z",
      endedAt: "2026-11-01T10:01:00Z",
      screens: ["One", "Two"],
    };
    const report = async () => {
      const sending = { headers: { "x-api-key": key }, body };
      return (await service.request("POST", "/api/v1/testing/sdk/session", sending)).status;
    };
    const statuses = await Promise.all(Array.from({ length: 60 }, report));
    expect([...new Set(statuses), await report()]).toEqual([200, last]);
    await service.stop();
  },
);

describe("the development server", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
  });
  afterAll(() => service.stop());

  const statusWith = (headers: Record<string, string>, [method, path]: readonly [string, string]) =>
    new Promise((resolve, reject) => {
      const outgoing = requestHttp(service.baseUrl + path, { method, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      outgoing.on("error", reject);
      outgoing.end();
    });

  it.each([
    ["under a foreign name", { host: "attacker.example" }],
    ["under a foreign name that begins with localhost", { host: "localhost.attacker.example" }],
    ["under a foreign name that begins with 127.0.0.1", { host: "127.0.0.1.attacker.example:4700" }],
    ["from a page of another site", { origin: "https://attacker.example" }],
    ["from a page of another port", { origin: "http://127.0.0.1:1" }],
    ["from a page without an origin", { origin: "null" }],
    ["through a proxy", { "x-forwarded-for": "203.0.113.7" }],
    ["through a proxy that hides the sender", { "x-forwarded-for": "" }],
    ["through a proxy that adds Forwarded", { forwarded: "for=203.0.113.7" }],
    ["through a proxy that adds X-Real-IP", { "x-real-ip": "203.0.113.7" }],
    ["through a proxy that adds X-Forwarded-Host", { "x-forwarded-host": "inn.example.org" }],
    ["through a proxy that adds Via", { via: "1.1 proxy" }],
  ])("answers 403 to a request %s", async (_, headers) => {
    const host = new URL(service.baseUrl).host;
    for (const path of devPaths) expect(await statusWith({ host, ...headers }, path)).toBe(403);
  });

  it.each(["localhost", "127.0.0.1:4700", "[::1]:4700"])("can be reached with the name %s", async (host) => {
    expect(await statusWith({ host }, ["GET", "/dev/faults"])).toBe(200);
  });

  it("accepts requests from its own pages", async () => {
    expect(await statusWith({ origin: service.baseUrl }, ["GET", "/dev/faults"])).toBe(200);
  });

  it("adds nothing to the description of the API", async () => {
    expect((await service.request("GET", "/api/v1/openapi.json")).text).not.toContain("/dev/");
  });

  it("answers 405 to a method that a path does not support", async () => {
    const answer = await service.request("GET", "/dev/reset");
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });
});
