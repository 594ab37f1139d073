import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataUrl, png } from "../support/files/sample-files.ts";
import type { Answer } from "../support/service/request.ts";
import { metricsHeaders, type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

const origin = "https://app.example";

describe("every response", () => {
  let service: Service;
  let cast: AppWithAgent;
  const answers = new Map<string, Answer>();
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
    const faqs = "/api/v1/faqs/remote";
    const ask = async (
      what: string,
      method: string,
      path: string,
      headers: Record<string, string> = {},
      body?: object,
    ) => {
      const answer = await service.request(method, path, { headers: { origin, ...headers }, body });
      answers.set(what, answer);
      return answer;
    };
    const list = await ask("a list", "GET", faqs, cast.key);
    await ask("a 304", "GET", faqs, { ...cast.key, "if-none-match": list.headers.get("etag") ?? "" });
    await ask("HEAD", "HEAD", faqs, cast.key);
    await ask("a 201", "POST", faqs, cast.key, { question: "How?", answer: "So." });
    await ask(
      "a replay",
      "POST",
      faqs,
      { ...cast.key, "idempotency-key": "x" },
      { question: "How?", answer: "So." },
    );
    await ask("a 400", "POST", faqs, cast.key, {});
    await ask("a 401", "GET", faqs);
    await ask("a 404", "GET", "/nothing");
    await ask("a 405", "OPTIONS", faqs, { "access-control-request-method": "GET" });
    await ask("health", "GET", "/healthz");
    await ask("figures", "GET", "/metrics", metricsHeaders);
    await ask("the OpenAPI document", "GET", "/api/v1/openapi.json");
    const feedbackId = await submitFeedback(service, cast, { images: [dataUrl(png())] });
    const thread = await ask("a thread", "GET", `/api/v1/agent/feedback/${feedbackId}`, cast.agent);
    await ask("an uploaded file", "GET", new URL(thread.field("feedback.images.0")).pathname);
    await ask("a 204", "DELETE", `/api/v1/console/apps/${cast.appId}`, cast.person);
  });
  afterAll(() => service.stop());

  it("has a different X-Request-Id", () => {
    const ids = [...answers.values()].map(({ headers }) => headers.get("x-request-id"));
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/);
    expect(new Set(ids).size).toBe(answers.size);
  });

  it("has one line in the log with the same id", () => {
    const lines = service.logged().split("\n");
    for (const [what, { headers }] of answers) {
      const id = `"requestId":"${headers.get("x-request-id")}"`;
      expect([what, lines.filter((line) => line.includes(id) && line.includes("answered")).length]).toEqual([
        what,
        1,
      ]);
    }
  });

  it("forbids the browser to guess its type and to send a referrer", () => {
    for (const [what, { headers }] of answers) {
      expect([what, headers.get("x-content-type-options")]).toEqual([what, "nosniff"]);
      expect([what, headers.get("referrer-policy")]).toEqual([what, "no-referrer"]);
    }
  });

  it("cannot be read by a page of another origin, because CORS is off", () => {
    const names = [...answers].flatMap(([what, { headers }]) =>
      [...headers.keys()].map((name) => `${what}: ${name}`),
    );
    expect(names.filter((name) => name.includes("access-control"))).toEqual([]);
  });
});

describe("CORS with a list of origins", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({
      environment: { INNKEEP_CORS_ORIGINS: `${origin}, https://other.example` },
    });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const ask = (method: string, from: string, headers: Record<string, string> = cast.key) =>
    service.request(method, "/api/v1/faqs/remote", { headers: { ...headers, origin: from } });

  it("allows pages of these origins to read answers and errors", async () => {
    for (const answer of [await ask("GET", origin), await ask("GET", origin, {})]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("vary")).toMatch(/origin/i);
    }
  });

  it("marks the answers to other pages, too, so that no cache returns them to these origins", async () => {
    for (const path of ["/api/v1/faqs/remote", "/uploads/none.png"]) {
      const { headers } = await service.request("GET", path, { headers: cast.key });
      expect([path, headers.get("vary")]).toEqual([path, expect.stringMatching(/origin/i)]);
    }
  });

  it("answers preflight requests of these origins", async () => {
    const preflight = {
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    };
    const { status, headers } = await ask("OPTIONS", "https://other.example", preflight);
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("https://other.example");
    expect(headers.get("access-control-allow-methods")).toContain("POST");
    expect(headers.get("access-control-allow-headers")?.toLowerCase()).toContain("x-api-key");
  });

  it("allows no cookies", async () => {
    expect((await ask("GET", origin)).headers.has("access-control-allow-credentials")).toBe(false);
  });

  it.each(["https://evil.example", "https://app.example.evil.example", "http://app.example", "null"])(
    "does not allow a page of %s to read anything",
    async (stranger) => {
      for (const method of ["GET", "OPTIONS"])
        expect((await ask(method, stranger)).headers.has("access-control-allow-origin")).toBe(false);
    },
  );
});
