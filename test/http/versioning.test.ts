import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, endpoints } from "../support/service/endpoints.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

describe("the version of the API", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it("is the prefix /api/v1 of each endpoint's path, and no endpoint answers without it", async () => {
    const headers = { ...cast.key, ...cast.agent };
    for (const [name, endpoint] of endpoints) {
      expect.soft(endpoint.path, name).toMatch(/^\/api\/v1\//);
      const address = addressOf(endpoint);
      // Without a prefix, addresses that begin with /console are those of the pages.
      const others = ["/api", "/v1", "/api/v2", "/api/v1.0", ...(address.includes("/console/") ? [] : [""])];
      for (const other of others) {
        const { status } = await service.request(endpoint.method, address.replace("/api/v1", other), {
          headers,
        });
        expect.soft(status, `${name} at ${other}`).toBe(404);
      }
    }
  });

  it("needs no header, and no header changes it", async () => {
    const headers = { ...cast.key, accept: "application/xml", "accept-version": "2", "api-version": "2" };
    const answer = await service.request("GET", "/api/v1/faqs/remote", { headers });
    expect(answer).toMatchObject({ status: 200, body: [] });
  });

  it("is in the OpenAPI document, which contains each endpoint", async () => {
    const { body } = await service.request("GET", "/api/v1/openapi.json");
    for (const [, { method, path }] of endpoints) {
      expect(body).toHaveProperty(["paths", path.replace(/:(\w+)/g, "{$1}"), method.toLowerCase()]);
    }
  });
});
