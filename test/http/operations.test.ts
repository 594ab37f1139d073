import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../server/settings/read-settings.ts";
import { createOpenApi } from "../../src/openapi/document.ts";
import { databases } from "../support/database/databases.ts";
import { metricsHeaders, type Service, startService } from "../support/service/service.ts";

describe.each(databases)("the endpoints for operators on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("include GET /healthz, which says that the server is alive", async () => {
    expect(await service.request("GET", "/healthz")).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  it("include GET /readyz, which says that the database answers and the disk has space", async () => {
    expect(await service.request("GET", "/readyz")).toMatchObject({ status: 200, body: { status: "ready" } });
  });

  it("include GET /api/v1/openapi.json, which describes this server", async () => {
    const { body } = await service.request("GET", "/api/v1/openapi.json");
    expect(body).toEqual(JSON.parse(JSON.stringify(await createOpenApi(service.baseUrl))));
  });

  it("include GET /metrics, which counts answers by route and not by address", async () => {
    await service.request("GET", "/api/v1/agent/runs/00000000-0000-4000-8000-000000000000");
    const { text } = await service.request("GET", "/metrics", { headers: metricsHeaders });
    expect(text).toContain('route="/api/v1/agent/runs/:runId",status="401"');
    expect(text).not.toContain("00000000-0000-4000-8000-000000000000");
  });
});

describe("GET /metrics", () => {
  const token = "only the operator knows this";
  const loopback = {};
  const proxied = { "x-forwarded-for": "203.0.113.9" };
  const bearer = (shown: string) => ({ authorization: `Bearer ${shown}` });

  it.each([
    ["is refused even on loopback if no token is set", {}, loopback, 404],
    ["is refused through a proxy if no token is set", {}, proxied, 404],
    ["is refused with an empty token if no token is set", {}, bearer(""), 404],
    ["is allowed with the token", { INNKEEP_METRICS_TOKEN: token }, bearer(token), 200],
    [
      "is allowed with the token through a proxy",
      { INNKEEP_METRICS_TOKEN: token },
      { ...proxied, ...bearer(token) },
      200,
    ],
    ["is open with the token under its older name", { INNKEEP_OPERATOR_TOKEN: token }, bearer(token), 200],
    ["is closed with another token", { INNKEEP_METRICS_TOKEN: token }, bearer("something else"), 404],
    ["is closed without the token", { INNKEEP_METRICS_TOKEN: token }, loopback, 404],
  ])("%s", async (_, environment, headers, status) => {
    const { metricsToken } = readSettings({}, environment);
    const service = await startService({ settings: { metricsToken } });
    expect((await service.request("GET", "/metrics", { headers })).status).toBe(status);
    await service.stop();
  });
});
