import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { connectRaw, headOf } from "../support/network/raw-connection.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

const exchange = "/api/v1/testing/auth/exchange";
const json = "application/json";
const form = "application/x-www-form-urlencoded";

/** Sends headers of 15 KB. The body is in the same packet. */
async function ask(service: Service, path: string, type: string, encoding: string): Promise<string> {
  const connection = await connectRaw(service.baseUrl);
  const origin = service.baseUrl;
  const headers = { Origin: origin, "Content-Type": type, "Content-Encoding": encoding, "Content-Length": 2 };
  connection.write(Buffer.from(`${headOf("POST", path, headers)}{}`, "latin1"));
  const answer = await connection.read(/\r\n\r\n/);
  await connection.cut();
  return answer;
}

const statusOf = (answer: string): number => Number(answer.slice(9, 12));

describe("refused bodies of a caller without a credential", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      still: true,
      environment: {
        INNKEEP_RATE_LIMITS: "refusedBodiesByAddress=5/60,clientsByAddress=100/3600",
        INNKEEP_TRUSTED_PROXIES: "127.0.0.0/8",
      },
    });
  });
  beforeEach(() => service.clock.pass(60_000));
  afterAll(() => service.stop());

  const encoding = `${"\u00a0".repeat(15_500)}T`;

  it.each([
    [exchange, json],
    ["/api/v1/testing/auth/token", json],
    ["/api/v1/testing/auth/register", json],
    ["/api/v1/testing/auth/await", json],
    ["/api/v1/console/session", json],
    ["/console/sign-in", form],
    ["/tavern/sign-in", form],
    ["/oauth/token", form],
    ["/oauth/revoke", form],
    ["/oauth/register", json],
  ])("are read only as often as the limit of the network address allows: %s", async (path, type) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(service, path, type, encoding)));
    const statuses = answers.map(statusOf);
    expect(statuses.filter((status) => status !== 429)).toEqual([415, 415, 415, 415, 415]);
    for (const answer of answers.filter((each) => statusOf(each) === 429))
      expect(answer).toMatch(/\r\nRetry-After: 60\r\n/i);
  });

  const send = (body: unknown, headers: Record<string, string> = {}) =>
    service.request("POST", exchange, { headers, body });
  const exhaust = async () => {
    for (let sent = 0; sent < 5; sent += 1)
      expect((await send("{", { "content-type": json })).status).toBe(400);
  };

  it("are counted together for all kinds of faults", async () => {
    const wrong = [
      await send("{", { "content-type": json }),
      await send("{}", { "content-type": "text/plain" }),
      await send(`{"code":"${"x".repeat(33_000)}"}`, { "content-type": json }),
      await send({}, { "idempotency-key": "\u00e9" }),
      await send("x=1", { "content-type": form }),
      await send({}),
    ];
    expect(wrong.map(({ status }) => status)).toEqual([400, 415, 413, 400, 415, 429]);
  });

  it("do not affect a caller at another address", async () => {
    await exhaust();
    expect((await send({})).status).toBe(429);
    expect((await send({}, { "x-forwarded-for": "203.0.113.9" })).status).toBe(400);
  });

  it("are counted for one minute", async () => {
    await exhaust();
    await service.clock.pass(59_000);
    expect(await send({})).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    await service.clock.pass(1_000);
    expect((await send({})).status).toBe(400);
  });

  it("are the only bodies that are counted: valid bodies are not", async () => {
    for (let sent = 0; sent < 12; sent += 1)
      expect(await send({ code: "x" })).toMatchObject({ status: 400, body: { code: "bad_request" } });
    await exhaust();
  });

  it("are not counted for requests with a credential", async () => {
    const { key } = await makeAppWithAgent(service);
    await exhaust();
    const report = await service.request("POST", "/api/v1/feedback/remote", {
      headers: key,
      body: { type: "bug", message: "It crashes." },
    });
    expect(report.status).toBe(201);
  });
});

describe("a report with a refused encoding", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "feedback=3/60" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  it("is counted in the limit of its key", async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 4; sent += 1) {
      const headers = { ...cast.key, "content-encoding": "gzip", "content-type": json };
      statuses.push(
        (await service.request("POST", "/api/v1/feedback/remote", { headers, body: "x" })).status,
      );
    }
    expect(statuses).toEqual([415, 415, 415, 429]);
  });
});
