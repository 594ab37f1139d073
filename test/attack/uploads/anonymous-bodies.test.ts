import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { holdConnections, memoryOf } from "../../support/network/hostile-connections.ts";
import { headOf } from "../../support/network/raw-connection.ts";
import { postSlowly } from "../../support/network/slow-sender.ts";
import { innkeepServe } from "../../support/programs/built-program.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";

const exchange = "/api/v1/testing/auth/exchange";

/** A request without a credential that guards no secret, so that `INNKEEP_RATE_LIMITS=off` holds for it. */
const waiting = "/api/v1/testing/auth/await";
const json = { "Content-Type": "application/json" };
const KB = 1_024;

describe("bodies of requests without a credential", () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({
      budgets: { bodyPatienceMilliseconds: 400, bodyBytesPerSecond: 4_096, anonymousBufferedBytes: 128 * KB },
    });
  });
  afterEach(() => service.stop());

  const bodyOf = (bytes: number) => JSON.stringify({ email: "a@example.org", password: "x".repeat(bytes) });

  it.each([
    [exchange, json["Content-Type"]],
    ["/api/v1/testing/auth/register", json["Content-Type"]],
    ["/api/v1/console/session", json["Content-Type"]],
    ["/console/sign-in", "application/x-www-form-urlencoded"],
    ["/tavern/sign-in", "application/x-www-form-urlencoded"],
    ["/tavern/authorize", "application/x-www-form-urlencoded"],
  ])("can have 32 KiB: %s", async (path, type) => {
    const send = (bytes: number) =>
      service.request("POST", path, {
        headers: { "content-type": type, origin: service.baseUrl },
        body: type === json["Content-Type"] ? bodyOf(bytes).slice(0, bytes) : `x=${"y".repeat(bytes - 2)}`,
      });
    expect((await send(32_768)).status).not.toBe(413);
    expect(await send(32_769)).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });

  it("must keep arriving: otherwise they are answered with 503, and their connection is closed", async () => {
    const head = headOf("POST", exchange, { ...json, "Content-Length": 20_000 });
    const held = await holdConnections(service.baseUrl, 5, `${head}{"code":"`);
    await expect.poll(held.open).toBe(0);
    for (const answer of held.received()) {
      expect(answer).toMatch(/^HTTP\/1\.1 503 /);
      expect(answer).toMatch(/\r\nRetry-After: 1\r\n/i);
      expect(answer).toContain("too slowly");
    }
  });

  it("can arrive slowly, at twice the minimum rate", async () => {
    const body = Buffer.from(bodyOf(10_000));
    const status = await postSlowly(service.baseUrl + exchange, {
      headers: json,
      body,
      bytesPerSecond: 8_192,
    });
    expect(status).toBe(400);
  });

  it("share a limit of memory: above it the sender with the most bytes loses its oldest body", async () => {
    const head = headOf("POST", exchange, { ...json, "Content-Length": 30_000 });
    const first = await holdConnections(service.baseUrl, 1, head + "x".repeat(20_000));
    await expect.poll(() => first.received()[0]).toBe("");
    await holdConnections(service.baseUrl, 4, head + "x".repeat(20_000));
    await expect.poll(() => first.received()[0]).toMatch(/^HTTP\/1\.1 503 /);
  });
});

it("2,000 connections with an unfinished body of 32 KiB each use at most 64 MiB, and other requests are served", async () => {
  const argv = ["--data", await temporaryFolder(), "--port", "0"];
  const { ready, child } = await innkeepServe(argv, { INNKEEP_RATE_LIMITS: "off" });
  const pid = child.pid ?? 0;
  // A server that has already served requests: the first requests of any sender grow its heap.
  const ask = () => fetch(ready.baseUrl + waiting, { method: "POST", headers: json, body: "{}" });
  for (let n = 0; n < 60; n += 1) await Promise.all(Array.from({ length: 50 }, ask));
  const idle = await memoryOf(pid);
  const head = headOf("POST", waiting, { ...json, "Content-Length": 32_768 });
  // The second packet splits the body into several pieces.
  const held = await holdConnections(ready.baseUrl, 2_000, `${head}{"code":"`);
  held.send("x".repeat(32_000));
  let most = 0;
  for (let n = 0; n < rounds(30, 100); n += 1) {
    const answer = await ask();
    expect(answer.status).toBe(400);
    most = Math.max(most, await memoryOf(pid));
  }
  expect(most - idle).toBeLessThanOrEqual(64);
});
