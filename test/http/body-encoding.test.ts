import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

const feedback = "/api/v1/feedback/remote";
const report = { type: "bug", message: "It crashes." };

describe("the body of a request", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const send = (path: string, headers: Record<string, string>, body: string | Buffer) =>
    service.request("POST", path, {
      headers: { ...cast.key, "content-type": "application/json", origin: service.baseUrl, ...headers },
      body,
    });

  it.each([
    ["a report", feedback, "application/json"],
    ["an FAQ entry", "/api/v1/faqs/remote", "application/json"],
    ["a sign-in", "/api/v1/console/session", "application/json"],
    ["a form", "/console/sign-in", "application/x-www-form-urlencoded"],
  ])("is refused with 415 and the reason if it is compressed: %s", async (_, path, type) => {
    const headers = { "content-encoding": "gzip", "content-type": type };
    const answer = await send(path, headers, gzipSync(JSON.stringify(report)));
    expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
    expect(answer.field("error")).toContain("without Content-Encoding");
  });

  it("is accepted if a header says that it is not compressed", async () => {
    const answer = await send(feedback, { "content-encoding": "identity" }, JSON.stringify(report));
    expect(answer.status).toBe(201);
  });

  it.each([0, 80_000])("can begin with a byte order mark, followed by %d bytes", async (padding) => {
    const body = `\ufeff${" ".repeat(padding)}${JSON.stringify(report)}`;
    expect((await send(feedback, {}, body)).status).toBe(201);
    expect((await send("/api/v1/faqs/remote", {}, `\ufeff{"question":"How?","answer":"So."}`)).status).toBe(
      201,
    );
  });
});

describe("an answer 401", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each([
    ["/api/v1/agent/runs/00000000-0000-4000-8000-000000000000", 'Bearer realm="innkeep"'],
    ["/api/v1/testing/me/tasks", 'Bearer realm="innkeep"'],
    ["/api/v1/console/apps", 'Bearer realm="innkeep"'],
    ["/api/v1/faqs/remote", 'ApiKey realm="innkeep", header="x-api-key"'],
  ])("says for %s how to send a credential: %s", async (path, challenge) => {
    const answer = await service.request("GET", path);
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, challenge]);
  });
});

it("writes to the FAQ that end with 400 or 404 are counted in the limit", async () => {
  const service = await startService({ environment: { INNKEEP_RATE_LIMITS: "faqWrites=4/60" } });
  const { key } = await makeAppWithAgent(service);
  const path = "/api/v1/faqs/remote";
  const nothing = `${path}/00000000-0000-4000-8000-000000000000`;
  const entry = { question: "How?", answer: "So." };
  const statuses = [
    await service.request("POST", path, { headers: key, body: {} }),
    await service.request("PATCH", nothing, { headers: key, body: entry }),
    await service.request("DELETE", nothing, { headers: key }),
    await service.request("POST", path, { headers: key, body: entry }),
    await service.request("POST", path, { headers: key, body: {} }),
    await service.request("DELETE", nothing, { headers: key }),
  ].map(({ status }) => status);
  expect(statuses).toEqual([400, 404, 404, 201, 429, 429]);
  await service.stop();
});
