import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Auth, type Endpoint, errorsOf, isMutation } from "../../src/contract/endpoint.ts";
import { addressOf, endpoints, titleOf, unknownId } from "../support/service/endpoints.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";
import { bearer } from "../support/worlds/owner-with-one-of-each.ts";

const refusable = endpoints
  .map(([, endpoint]) => endpoint)
  .filter((endpoint) => endpoint.auth !== "none" && (endpoint.body || isMutation(endpoint)))
  .map((endpoint) => [titleOf(endpoint), endpoint] as const);

describe("requests with a valid credential that are refused before their rate limit is checked", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({
      still: true,
      environment: {
        INNKEEP_RATE_LIMITS: "refusedByCredential=3/60",
        INNKEEP_TRUSTED_PROXIES: "127.0.0.0/8",
      },
    });
    cast = await makeAppWithAgent(service);
  });
  beforeEach(() => service.clock.pass(60_000));
  afterAll(() => service.stop());

  const headersOf = (auth: Auth) =>
    ({
      none: {},
      appKey: cast.key,
      agentToken: cast.agent,
      deviceToken: cast.device,
      console: cast.person,
      session: cast.person,
    })[auth];
  const json = { "content-type": "application/json" };
  const send = (endpoint: Endpoint, headers: object, body?: string) =>
    service.request(endpoint.method, addressOf(endpoint), {
      headers: { ...headersOf(endpoint.auth), ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const repeat = async (times: number, request: () => ReturnType<typeof send>) => {
    const statuses: number[] = [];
    for (let sent = 0; sent < times; sent += 1) statuses.push((await request()).status);
    return statuses;
  };

  it.each(refusable)("are refused with 429 after a limit of refusals: %s", async (_, endpoint) => {
    const refused = () =>
      endpoint.body ? send(endpoint, json, "{") : send(endpoint, { "idempotency-key": "x".repeat(256) });
    const statuses = await repeat(5, refused);
    // Some endpoints accept no JSON, or need a scope that the token does not have.
    expect([400, 403, 415]).toContain(statuses[0]);
    expect(statuses).toEqual([statuses[0], statuses[0], statuses[0], 429, 429]);
    expect(errorsOf(endpoint)).toContain("rate_limited");
  });

  const faqs = "/api/v1/faqs/remote";
  const faq = { question: "Why?", answer: "So." };

  it("are also counted if their headers are faulty", async () => {
    const zipped = () =>
      service.request("POST", faqs, {
        headers: { ...cast.key, ...json, "content-encoding": "gzip" },
        body: "x",
      });
    expect(await repeat(4, zipped)).toEqual([415, 415, 415, 429]);
  });

  it("are also counted if their scope is missing", async () => {
    const token = await service.makeToken(cast.owner, "maintainer", { scopes: ["feedback:read"] });
    const write = () =>
      service.request("POST", `/api/v1/console/feedback/${unknownId}/messages`, {
        headers: bearer(token),
        body: { body: "Hello." },
      });
    expect(await repeat(4, write)).toEqual([403, 403, 403, 429]);
  });

  it("do not affect the same credential in another network, or another credential", async () => {
    const broken = () => service.request("POST", faqs, { headers: { ...cast.key, ...json }, body: "{" });
    await repeat(4, broken);
    const elsewhere = { ...cast.key, "x-forwarded-for": "203.0.113.9" };
    expect((await service.request("POST", faqs, { headers: elsewhere, body: faq })).status).toBe(201);
    expect((await service.request("GET", "/api/v1/console/me", { headers: cast.person })).status).toBe(200);
  });

  it("do not affect another device at the same address, whose small and correct requests are answered", async () => {
    const broken = () => service.request("POST", faqs, { headers: { ...cast.key, ...json }, body: "{" });
    await repeat(5, broken);
    expect((await service.request("POST", faqs, { headers: cast.key, body: faq })).status).toBe(201);
    const large = { question: "Why?", answer: "So.", unknown: "x".repeat(40_000) };
    expect((await service.request("POST", faqs, { headers: cast.key, body: large })).status).toBe(429);
    expect((await broken()).status).toBe(429);
  });

  it("are counted for one minute", async () => {
    const broken = () => service.request("POST", faqs, { headers: { ...cast.key, ...json }, body: "{" });
    expect(await repeat(4, broken)).toEqual([400, 400, 400, 429]);
    await service.clock.pass(60_000);
    expect((await service.request("POST", faqs, { headers: cast.key, body: faq })).status).toBe(201);
  });

  it("are the only requests that are counted", async () => {
    const taken = () => service.request("POST", faqs, { headers: cast.key, body: faq });
    expect(await repeat(8, taken)).toEqual(Array.from({ length: 8 }, () => 201));
  });
});
