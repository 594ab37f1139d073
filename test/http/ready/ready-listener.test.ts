import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { askRaw } from "../../support/network/ask-raw.ts";
import { headOf } from "../../support/network/raw-connection.ts";
import { type Listener, openListener } from "../../support/service/listeners.ts";
import { type Answer, request } from "../../support/service/request.ts";
import { type Service, type ServiceOptions, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";
import { makeTesterInCycle } from "../../support/worlds/tester-in-running-cycle.ts";

const faqs = "/api/v1/faqs/remote";

describe("a server with ready answers (before the framework Koa)", () => {
  let service: Service;
  let cast: AppWithAgent;
  let listener: Listener;
  const begin = async (options: ServiceOptions = {}) => {
    service = await startService(options);
    cast = await makeAppWithAgent(service);
    listener = await openListener(service);
  };
  beforeEach(() => begin());
  afterEach(async () => {
    await listener.stop();
    await service.stop();
  });
  const beginAgain = async (options: ServiceOptions) => {
    await listener.stop();
    await service.stop();
    await begin(options);
  };

  const get = (path: string, headers: Record<string, string>): Promise<Answer> =>
    request(listener.baseUrl, "GET", path, { headers });
  /** How many of these requests were answered before Koa. */
  const readyOf = async (send: () => Promise<unknown>): Promise<number> => {
    const before = listener.readyAnswers();
    await send();
    return listener.readyAnswers() - before;
  };
  const writeFaq = (key: Record<string, string>, question: string) =>
    service.request("POST", faqs, { headers: key, body: { question, answer: "So." } });

  it("returns a ready answer to the second of two equal requests", async () => {
    expect(await readyOf(() => get(faqs, cast.key))).toBe(0);
    expect(await readyOf(() => get(faqs, cast.key))).toBe(1);
  });

  it("returns no ready answer in the development server", async () => {
    await beginAgain({ settings: { dev: true } });
    for (let time = 0; time < 3; time += 1) await get(faqs, cast.key);
    expect(listener.readyAnswers()).toBe(0);
  });

  it("returns no ready answer while it stops", async () => {
    for (let time = 0; time < 2; time += 1) await get(faqs, cast.key);
    service.beginStop();
    expect(await readyOf(() => get(faqs, cast.key))).toBe(0);
  });

  it("passes requests of pages with other origins to Koa, which checks the origins", async () => {
    const origin = "https://app.example";
    await beginAgain({ settings: { corsOrigins: [origin] } });
    for (let time = 0; time < 3; time += 1) {
      const { headers } = await get(faqs, { ...cast.key, origin });
      expect(headers.get("access-control-allow-origin")).toBe(origin);
    }
    expect(listener.readyAnswers()).toBe(0);
  });

  it("refuses a key immediately after its deletion was answered", async () => {
    const second = { "x-api-key": await service.makeKey(cast.appId) };
    for (let time = 0; time < 2; time += 1) expect((await get(faqs, second)).status).toBe(200);
    const keys = `/api/v1/console/apps/${cast.appId}/keys`;
    const listed = await service.request("GET", keys, { headers: cast.person });
    for (const place of [0, 1])
      await service.request("DELETE", `${keys}/${listed.field(`items.${place}.id`)}`, {
        headers: cast.person,
      });
    expect((await get(faqs, second)).status).toBe(401);
  });

  it("returns to nobody the answer of another credential", async () => {
    const other = await makeAppWithAgent(service);
    await writeFaq(cast.key, "Mine?");
    await writeFaq(other.key, "Theirs?");
    for (let time = 0; time < 3; time += 1) {
      expect((await get(faqs, cast.key)).text).not.toContain("Theirs?");
      expect((await get(faqs, other.key)).text).not.toContain("Mine?");
      expect((await get(faqs, { "x-api-key": "" })).status).toBe(401);
      expect((await get(faqs, { authorization: cast.key["x-api-key"] })).status).toBe(401);
    }
  });

  it("counts each ready answer in the limit of its credential", async () => {
    await beginAgain({ environment: { INNKEEP_RATE_LIMITS: "agentReads=120/3600" } });
    const path = `/api/v1/agent/feedback/${await submitFeedback(service, cast)}`;
    const statuses: number[] = [];
    for (let time = 0; time < 122; time += 1) statuses.push((await get(path, cast.agent)).status);
    expect(statuses).toEqual([...Array.from({ length: 120 }, () => 200), 429, 429]);
    expect(listener.readyAnswers()).toBeGreaterThan(100);
  });

  it("passes the first read of an approval to Koa, which stores it", async () => {
    const threadId = await submitFeedback(service, cast);
    const runId = await propose(service, cast, threadId);
    const path = `/api/v1/agent/runs/${runId}`;
    for (let time = 0; time < 2; time += 1) await get(path, cast.agent);
    await decide(service, cast, runId, { decision: "approve" });
    expect((await get(path, cast.agent)).field("status")).toBe("approved");
    const run = await service.deps.database.get<{ at: string | null }>(
      "SELECT first_read_at AS at FROM runs WHERE id = ?",
      runId,
    );
    expect(run?.at).toEqual(expect.any(String));
  });

  it("lets every request wait that asks to wait for a decision", async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    expect(
      await readyOf(async () => {
        for (let time = 0; time < 2; time += 1) await get(`/api/v1/agent/runs/${runId}?wait=1`, cast.agent);
      }),
    ).toBe(0);
  });

  it("keeps no ready answer to a request with an unknown parameter", async () => {
    expect(
      await readyOf(async () => {
        for (let time = 0; time < 3; time += 1) await get(`${faqs}?x=1`, cast.key);
      }),
    ).toBe(0);
  });

  it("does not accept a second request within the body of a first one, and keeps no answer to a request with a body", async () => {
    await get(faqs, cast.key);
    const inner = headOf("GET", faqs, cast.key);
    const bytes = headOf("GET", faqs, { ...cast.key, "Content-Length": inner.length }) + inner;
    expect(await readyOf(() => askRaw(listener.baseUrl, { bytes, methods: ["GET"] }))).toBe(0);
  });

  it("returns ready answers for closed tests: the status of a slot and the tasks of a tester", async () => {
    const { app, testKey, device } = await makeTesterInCycle(service);
    for (const [path, headers] of [
      [`/api/v1/testing/sdk/session?testKey=${testKey}`, { "x-api-key": app.key }],
      ["/api/v1/testing/me/tasks", device],
    ] as const) {
      await get(path, headers);
      expect(await readyOf(() => get(path, headers))).toBe(1);
    }
  });
});
