import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, type TestEngine } from "../support/database/databases.ts";
import { withStoppedTime } from "../support/database/stopped-time.ts";
import { unknownId } from "../support/service/endpoints.ts";
import { isReplay, keyed } from "../support/service/mutations.ts";
import { faultsOf } from "../support/service/refusals.ts";
import type { Answer } from "../support/service/request.ts";
import { type Service, startService } from "../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

type Use = (service: Service, cast: AppWithAgent, headers?: Record<string, string>) => Promise<Answer>;

const submit: Use = (service, { key }, headers) =>
  service.request("POST", "/api/v1/feedback/remote", {
    headers: { ...key, ...headers },
    body: { type: "bug", message: "x" },
  });
const writeFaq: Use = (service, { key }, headers) =>
  service.request("POST", "/api/v1/faqs/remote", {
    headers: { ...key, ...headers },
    body: { question: "How?", answer: "So." },
  });
const readThread: Use = (service, { agent }) =>
  service.request("GET", `/api/v1/agent/feedback/${unknownId}`, { headers: agent });
const readRun: Use = (service, { agent }) =>
  service.request("GET", `/api/v1/agent/runs/${unknownId}`, { headers: agent });

const minute = 60;
const hour = 3_600;

/** Sends this number of requests, some at the same time. Returns how many the rate limit did not refuse. */
async function send(count: number, use: (at: number) => Promise<Answer>): Promise<number> {
  let taken = 0;
  for (let sent = 0; sent < count; sent += 20) {
    const batch = Array.from({ length: Math.min(20, count - sent) }, (_, at) => use(sent + at));
    taken += (await Promise.all(batch)).filter(({ status }) => status !== 429).length;
  }
  return taken;
}

/** No time passes while requests are sent. */
const startStill = (engine: TestEngine, environment: Record<string, string> = {}): Promise<Service> =>
  startService({ engine: withStoppedTime(engine), still: true, environment });

const waitOf = ({ headers }: Answer): number => Number(headers.get("retry-after"));

/** Small limits: with the same windows, but few allowed requests. */
const few = { feedback: 12, faqWrites: 12, agentReads: 60, proposals: 6 };
const fewOfEach = {
  INNKEEP_RATE_LIMITS: `feedback=${few.feedback}/${minute},faqWrites=${few.faqWrites}/${minute},agentReads=${few.agentReads}/${hour},proposals=${few.proposals}/${hour}`,
};

const threads = new Map<string, Promise<string>>();

/** A proposal on the app's own thread, which the first request creates. */
const propose: Use = async (service, cast, headers) => {
  const thread = threads.get(cast.appId) ?? submitFeedback(service, cast);
  threads.set(cast.appId, thread);
  const body = { summary: "Guard it.", plan: "1. Check." };
  const path = `/api/v1/agent/feedback/${await thread}/proposal`;
  return service.request("POST", path, { headers: { ...cast.agent, ...headers }, body });
};

describe.each(databases)("the default rate limits on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startStill(engine);
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  describe.each([
    ["feedback: 120 per minute per key", submit, 120, minute],
    ["FAQ writes: 120 per minute per key", writeFaq, 120, minute],
    ["agent reads: 600 per hour per token", readThread, 600, hour],
    ["proposals: 60 per hour per token", propose, 60, hour],
  ] as const)("with the limit for %s", (_, use, limit, windowSeconds) => {
    it("accept the allowed number, and answer one more request with 429 rate_limited", async () => {
      expect(await send(limit, () => use(service, cast))).toBe(limit);
      const refused = await use(service, cast);
      expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
      expect(faultsOf(refused)).toEqual([]);
      expect(refused.headers.get("cache-control")).toBe("no-store");
      expect(waitOf(refused)).toBeLessThanOrEqual(windowSeconds);
      expect(waitOf(refused)).toBeGreaterThan(windowSeconds / 2);
    });
  });

  it("are never exceeded by requests that arrive at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => submit(service, cast)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(120);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(80);
  });
});

describe.each(databases)("rate limits on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startStill(engine, fewOfEach);
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  describe.each([
    ["feedback", submit, few.feedback, minute],
    ["FAQ writes", writeFaq, few.faqWrites, minute],
    ["agent reads", readThread, few.agentReads, hour],
    ["proposals", propose, few.proposals, hour],
  ] as const)("for %s", (_, use, limit, windowSeconds) => {
    it("say to the second in Retry-After when they accept a request again", async () => {
      await use(service, cast);
      service.clock.advance(20_000);
      await send(limit - 1, () => use(service, cast));
      service.clock.advance(10_000);
      const refused = await use(service, cast);
      expect(refused.headers.get("retry-after")).toBe(String(windowSeconds - 30));
      service.clock.advance((windowSeconds - 30) * 1_000 - 1);
      expect(waitOf(await use(service, cast))).toBe(1);
      service.clock.advance(1);
      expect((await use(service, cast)).status).not.toBe(429);
      expect(waitOf(await use(service, cast))).toBe(20);
    });
  });

  describe.each([
    ["feedback", submit, few.feedback, minute],
    ["proposals", propose, few.proposals, hour],
  ] as const)("for %s", (_, use, limit, windowSeconds) => {
    it("count at any moment the uses within the last window", async () => {
      await send(limit / 2, () => use(service, cast));
      service.clock.advance((windowSeconds * 1_000) / 2);
      await send(limit / 2, () => use(service, cast));
      service.clock.advance((windowSeconds * 1_000) / 2);
      expect(await send(limit, () => use(service, cast))).toBe(limit / 2);
    });

    it("do not count refused requests", async () => {
      await send(limit + 4, () => use(service, cast));
      service.clock.advance(windowSeconds * 1_000);
      expect(await send(limit, () => use(service, cast))).toBe(limit);
    });
  });

  it("apply to each credential, not to an app or an owner", async () => {
    await send(few.feedback + 1, () => submit(service, cast));
    const second = { ...cast, key: { "x-api-key": await service.makeKey(cast.appId) } };
    expect(await submit(service, cast)).toMatchObject({ status: 429 });
    expect(await submit(service, second)).toMatchObject({ status: 201 });
  });

  it("are separate for feedback and for writes to the FAQ", async () => {
    await send(few.feedback + 1, () => submit(service, cast));
    expect(await writeFaq(service, cast)).toMatchObject({ status: 201 });
  });

  it("are shared by all writes to the FAQ, and do not apply to reads of the FAQ", async () => {
    const path = `/api/v1/faqs/remote/${(await writeFaq(service, cast)).field("id")}`;
    const change = () => service.request("PATCH", path, { headers: cast.key, body: { answer: "x" } });
    await send(few.faqWrites / 2, change);
    await send(few.faqWrites / 2 - 1, () => writeFaq(service, cast));
    const refused = [
      await change(),
      await service.request("DELETE", path, { headers: cast.key }),
      await writeFaq(service, cast),
    ];
    expect(refused.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(await service.request("GET", "/api/v1/faqs/remote", { headers: cast.key })).toMatchObject({
      status: 200,
    });
  });

  it("are shared by an agent's reads of threads and proposals, and separate for new proposals", async () => {
    await send(few.agentReads / 2, () => readThread(service, cast));
    await send(few.agentReads / 2, () => readRun(service, cast));
    expect(await readRun(service, cast)).toMatchObject({ status: 429 });
    expect(await readThread(service, cast)).toMatchObject({ status: 429 });
    expect(await propose(service, cast)).toMatchObject({ status: 201 });
  });

  it("do not count stored answers that are returned again", async () => {
    const first = await propose(service, cast, keyed("once"));
    const replays = await Promise.all(
      Array.from({ length: few.proposals + 4 }, () => propose(service, cast, keyed("once"))),
    );
    for (const replay of replays) expect(replay.text).toBe(first.text);
    expect(await send(few.proposals + 4, () => propose(service, cast))).toBe(few.proposals - 1);
    expect(isReplay(await propose(service, cast, keyed("once")))).toBe(true);
  });

  it("are not stored for an Idempotency-Key, so that the repeated request succeeds as soon as the limit allows it", async () => {
    await send(few.feedback, () => submit(service, cast));
    const refused = await submit(service, cast, keyed("late"));
    service.clock.advance(waitOf(refused) * 1_000);
    const repeated = await submit(service, cast, keyed("late"));
    expect([refused.status, repeated.status, isReplay(repeated)]).toEqual([429, 201, false]);
  });

  it("can be changed by a deployment, and all other limits keep their defaults", async () => {
    const strict = await startStill(engine, { INNKEEP_RATE_LIMITS: "feedback=3/60, faqWrites=2/10" });
    const own = await makeAppWithAgent(strict);
    expect(await send(5, () => submit(strict, own))).toBe(3);
    expect(await send(5, () => writeFaq(strict, own))).toBe(2);
    expect(await send(20, () => readRun(strict, own))).toBe(20);
    await strict.stop();
  });

  it("do not exist with INNKEEP_RATE_LIMITS=off", async () => {
    const unlimited = await startStill(engine, { INNKEEP_RATE_LIMITS: "off" });
    const own = await makeAppWithAgent(unlimited);
    expect(await send(121, () => submit(unlimited, own))).toBe(121);
    expect(await send(121, () => writeFaq(unlimited, own))).toBe(121);
    expect(await send(601, () => readRun(unlimited, own))).toBe(601);
    await unlimited.stop();
  });
});
