import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectRaw } from "../support/network/raw-connection.ts";
import { endpoints } from "../support/service/endpoints.ts";
import { faultsOf } from "../support/service/refusals.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

const paths = [...new Set(endpoints.map(([, { path }]) => path))].map(
  (path) =>
    [
      path,
      [
        ...new Set(
          endpoints.filter(([, endpoint]) => endpoint.path === path).map(([, { method }]) => `${method}`),
        ),
      ],
    ] as const,
);
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];

describe("a known address", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(["/api/v1/faqs/remot%65", "/%61pi/v%31/faqs/remote"])(
    "can have encoded letters and digits: %s",
    async (path) => {
      const { key } = await makeAppWithAgent(service);
      expect(await service.request("GET", path, { headers: key })).toMatchObject({ status: 200, body: [] });
    },
  );

  it.each(["POST", "PUT", "PATCH", "DELETE"])("of a file refuses the method %s", async (method) => {
    const answer = await service.request(method, "/uploads/nothing.png");
    expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed" } });
    expect(answer.headers.get("allow")).toBe("GET, HEAD");
  });
});

describe("an unknown address", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each([
    "/api",
    "/api/v1",
    "/api/v1/",
    "/api/v2/faqs/remote",
    "/faqs/remote",
    "/api/v1/faqs",
    "/api/v1/faqs/remote/1/2",
    "/api/v1/faqs/remote%2f1",
    "/api/v1/agent",
    "/api/v1/%",
    "/api/v1/%zz",
    "/api/v1/%00",
    "/api//v1/faqs/remote",
    `/api/v1/${"x".repeat(5_000)}`,
    "/api/v1/constructor",
    "/API/v1/faqs/remote",
    "/METRICS",
    "/api/v1/feedback/remote/__proto__",
  ])("is answered for every method with 404 not_found as JSON with error and code: %s", async (path) => {
    const { key } = await makeAppWithAgent(service);
    for (const method of methods.filter((name) => name !== "HEAD")) {
      const answer = await service.request(method, path, { headers: key });
      expect(answer).toMatchObject({ status: 404, body: { code: "not_found" } });
      expect(faultsOf(answer)).toEqual([]);
    }
  });

  it.each(["/api/v1/%zz%", "/api/v1/faqs/remote/%zz", "//", "/\\..\\", "http://elsewhere.example/x"])(
    "of the form %s is answered with JSON with error and code",
    async (target) => {
      const connection = await connectRaw(service.baseUrl);
      connection.write(`PATCH ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(await connection.read()).toMatch(
        /^HTTP\/1.1 40[0145] .*X-Request-Id: .*{"error":"[^"]+","code":"\w+"/s,
      );
    },
  );

  it("is answered for HEAD with 404 and no body", async () => {
    const answer = await service.request("HEAD", "/api/v1/nothing");
    expect(answer).toMatchObject({ status: 404, text: "" });
  });
});

describe("a method that an address does not support,", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(paths)("%s, is answered with 405 method_not_allowed and Allow: %s", async (path, taken) => {
    const allowed = taken.includes("GET") ? [...taken, "HEAD"] : taken;
    for (const method of methods.filter((name) => !allowed.includes(name))) {
      const answer = await service.request(method, path.replace(/:\w+/g, "1"));
      expect(answer.headers.get("allow")?.split(", ").sort()).toEqual([...allowed].sort());
      expect(answer.status).toBe(405);
      if (method !== "HEAD") expect(answer.body).toMatchObject({ code: "method_not_allowed" });
      if (method !== "HEAD") expect(faultsOf(answer)).toEqual([]);
    }
  });
});
