import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { faultyPaths } from "../support/service/issues.ts";
import { type Service, startService } from "../support/service/service.ts";

describe("POST /dev/faults", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ settings: { dev: true } });
  });
  afterEach(() => service.request("DELETE", "/dev/faults"));
  afterAll(() => service.stop());

  const fault = (body: object) => service.request("POST", "/dev/faults", { body });
  const get = (path: string) => service.request("GET", path);

  it("makes the next request to the path fail, and no request after it", async () => {
    const made = await fault({ path: "/healthz", status: 503 });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ path: "/healthz", status: 503, code: "busy", times: 1, delayMs: 0 });
    const failed = await get("/healthz");
    expect([failed.status, failed.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(failed.body).toEqual({ error: expect.stringContaining("Send the request again"), code: "busy" });
    expect((await get("/healthz")).status).toBe(200);
  });

  it("makes the given number of requests fail", async () => {
    await fault({ path: "/healthz", status: 500, times: 2 });
    const statuses = [];
    for (let n = 0; n < 3; n += 1) statuses.push((await get("/healthz")).status);
    expect(statuses).toEqual([500, 500, 200]);
  });

  it.each([
    ["/api/v1/faqs", "/api/v1/faqs/remote", 418],
    ["/api/v1/faqs/", "/api/v1/faqs/remote", 418],
    ["/", "/healthz", 418],
    ["/api/v1/faq", "/api/v1/faqs/remote", 401],
    ["/api/v1/faqs/remote/1", "/api/v1/faqs/remote", 401],
  ])("with the path %s affects %s: %d", async (path, asked, status) => {
    await fault({ path, status: 418 });
    expect((await get(asked)).status).toBe(status);
  });

  it.each([
    [400, "bad_request"],
    [401, "invalid_api_key"],
    [403, "forbidden"],
    [404, "not_found"],
    [409, "wrong_state"],
    [413, "payload_too_large"],
    [418, "bad_request"],
    [422, "cycle_not_running"],
    [429, "rate_limited"],
    [500, "internal"],
    [502, "internal"],
    [503, "busy"],
  ])("with the status %d causes an answer with the code %s", async (status, code) => {
    await fault({ path: "/healthz", status });
    const answer = await get("/healthz");
    expect([answer.status, answer.field("code")]).toEqual([status, code]);
  });

  it("with a code causes an answer with the status of the code", async () => {
    await fault({ path: "/healthz", code: "device_taken" });
    const answer = await get("/healthz");
    expect([answer.status, answer.field("code")]).toEqual([409, "device_taken"]);
  });

  it("with only a delay makes the request wait, and the request is then answered as usual", async () => {
    await fault({ path: "/healthz", delayMs: 500 });
    const order: string[] = [];
    const delayed = get("/healthz").then(({ status }) => order.push(`delayed ${status}`));
    await get("/readyz").then(({ status }) => order.push(`direct ${status}`));
    await delayed;
    expect(order).toEqual(["direct 200", "delayed 200"]);
  });

  it.each([
    ["the faults are cleared", "DELETE", "/dev/faults"],
    ["the server is reset", "POST", "/dev/reset"],
  ])("lets a waiting request continue immediately if %s", async (_, method, path) => {
    await fault({ path: "/healthz", status: 500, delayMs: 600_000 });
    const delayed = get("/healthz");
    await expect.poll(async () => (await get("/dev/faults")).body).toEqual({ items: [] });
    await service.request(method, path);
    expect((await delayed).status).toBe(200);
  });

  it("prevents the effect of a failed request, so that the request can be sent again", async () => {
    const { key } = await service.makeApp();
    const send = () =>
      service.request("POST", "/api/v1/faqs/remote", {
        headers: { "x-api-key": key, "idempotency-key": "once" },
        body: { question: "Why?", answer: "So." },
      });
    await fault({ path: "/api/v1/faqs", status: 500 });
    expect((await send()).status).toBe(500);
    const again = await send();
    expect([again.status, again.headers.get("idempotent-replay")]).toEqual([201, null]);
  });

  it("adds a fault to the list, which has the remaining faults in their order", async () => {
    await fault({ path: "/healthz", status: 500, times: 3 });
    await fault({ path: "/readyz", delayMs: 5 });
    await get("/healthz");
    expect((await get("/dev/faults")).body).toEqual({
      items: [
        { path: "/healthz", status: 500, code: "internal", times: 2, delayMs: 0 },
        { path: "/readyz", status: null, code: null, times: 1, delayMs: 5 },
      ],
    });
  });

  it("adds faults that DELETE removes", async () => {
    await fault({ path: "/healthz", status: 500, times: 3 });
    expect((await service.request("DELETE", "/dev/faults")).status).toBe(204);
    expect((await get("/healthz")).status).toBe(200);
  });

  it.each([
    ["a path alone", { path: "/healthz" }, "status"],
    ["no path", { status: 500 }, "path"],
    ["a path of the development server", { path: "/dev/faults", status: 500 }, "path"],
    ["an address in place of a path", { path: "https://inn.example/", status: 500 }, "path"],
    ["a status that is not an error", { path: "/", status: 200 }, "status"],
    ["an unknown code", { path: "/", code: "teapot" }, "code"],
    ["a status that does not belong to the code", { path: "/", status: 400, code: "device_taken" }, "status"],
    ["zero times", { path: "/", status: 500, times: 0 }, "times"],
    ["a negative delay", { path: "/", status: 500, delayMs: -1 }, "delayMs"],
  ])("answers 400 and names the field for %s", async (_, body, field) => {
    const answer = await fault(body);
    expect([answer.status, faultyPaths(answer)]).toEqual([400, [field]]);
  });
});
