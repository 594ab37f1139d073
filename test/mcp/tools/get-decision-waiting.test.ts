import { describe, expect, it } from "vitest";
import { nextSteps } from "../../../mcp/tools/get-decision.ts";
import { eventually } from "../../support/eventually.ts";
import type { CallOptions } from "../support/clients.ts";
import { eras } from "../support/clients.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

const texts = { summary: "The kettle is null.", plan: "Check the kettle." };

describe.each(eras)("a wait for a decision over %s", (era) => {
  const start = async ({
    holds = true,
    maxWaitSeconds,
  }: {
    holds?: boolean;
    maxWaitSeconds?: number;
  } = {}) => {
    const api = await startFakeApi({ holds });
    const time = manualClock();
    const session = await openMcpSession(era, { baseUrl: api.baseUrl, clock: time.clock, maxWaitSeconds });
    const { client } = session;
    const proposed = await client.callTool("propose_plan", { feedback: api.addThread(), ...texts });
    const run_id = String(readToolResult(proposed).structured.run_id);
    const wait = async (wait_seconds: number, options?: CallOptions) =>
      readToolResult(await client.callTool("get_decision", { run_id, wait_seconds }, options));
    /** Waits until the server has got at least this many requests. */
    const polled = (times: number) =>
      eventually(() => expect(api.polls().length).toBeGreaterThanOrEqual(times));
    return { api, time, wait, polled, run_id, ...session };
  };

  it("ends immediately after a person decides", async () => {
    const { api, time, wait, polled, run_id } = await start();
    const answer = wait(50);
    await polled(1);
    await time.advance(3);
    api.decide(run_id, "approved", "Go.");
    expect((await answer).structured).toMatchObject({
      status: "approved",
      may_proceed: true,
      decision_note: "Go.",
      waited_seconds: 3,
    });
  });

  it("asks the server to delay its answer", async () => {
    const { api, time, wait, polled, run_id } = await start();
    const answer = wait(50);
    await polled(1);
    await time.advance(3);
    expect(api.polls().map(({ query }) => query.get("wait"))).toEqual(["49"]);
    api.decide(run_id, "rejected");
    await answer;
  });

  it("ends without a decision when the time is over", async () => {
    const { time, wait, polled } = await start();
    const answer = wait(20);
    await polled(1);
    await time.advance(20);
    expect((await answer).structured).toMatchObject({
      status: "awaiting_approval",
      may_proceed: false,
      waited_seconds: 20,
      next_step: nextSteps.awaiting,
    });
  });

  it("leaves no request and no timer after its answer", async () => {
    const { time, wait, polled } = await start();
    const answer = wait(20);
    await polled(1);
    await time.advance(20);
    await answer;
    await eventually(() => expect(time.sleeping()).toBe(0));
  });

  it.each([
    { asked: 600, most: undefined, waits: 50 },
    { asked: 600, most: 120, waits: 120 },
    { asked: 600, most: 9_999, waits: 240 },
  ])(
    "lasts $waits seconds if $asked are requested and $most are allowed, and says so",
    async ({ asked, most, waits }) => {
      const { time, wait, polled } = await start({ maxWaitSeconds: most });
      const answer = wait(asked);
      await polled(1);
      await time.advance(waits);
      expect((await answer).structured).toMatchObject({
        waited_seconds: waits,
        note: `wait_seconds was cut to ${waits}.`,
      });
    },
  );

  it("reports its progress every five seconds, at any interval of requests", async () => {
    const { time, wait, polled } = await start();
    const told: number[] = [];
    const answer = wait(22, { onprogress: ({ progress }) => told.push(progress) });
    await polled(1);
    for (let second = 0; second < 22; second += 1) await time.advance(1);
    await answer;
    expect(told).toEqual([5, 10, 15, 20]);
  });

  it("uses increasing intervals with a server that does not delay its answers", async () => {
    const { api, time, wait, polled } = await start({ holds: false });
    const answer = wait(50);
    await polled(1);
    for (let second = 0; second < 50; second += 1) {
      await time.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await answer;
    expect(api.polls().length).toBeGreaterThanOrEqual(4);
    expect(api.polls().length).toBeLessThanOrEqual(12);
  });

  it("of twenty callers causes one sequence of requests", async () => {
    const { api, time, wait, polled, run_id } = await start();
    const answers = Array.from({ length: 20 }, () => wait(50));
    await polled(1);
    await time.advance(3);
    api.decide(run_id, "approved");
    const statuses = (await Promise.all(answers)).map(({ structured }) => structured.status);
    expect(statuses).toEqual(Array.from({ length: 20 }, () => "approved"));
    expect(api.polls()).toHaveLength(1);
  });

  it("continues for the other callers if one caller leaves", async () => {
    const { api, time, wait, polled, run_id } = await start();
    const leaving = new AbortController();
    const left = wait(50, { signal: leaving.signal });
    const stayed = wait(50);
    await polled(1);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await time.advance(3);
    api.decide(run_id, "approved");
    expect((await stayed).structured.may_proceed).toBe(true);
  });

  it("ends if the client cancels it", async () => {
    const { time, wait, polled } = await start();
    const cancel = new AbortController();
    const answer = wait(50, { signal: cancel.signal });
    await polled(1);
    cancel.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => expect(time.sleeping()).toBe(0));
  });

  it("can be continued after the client's timeout", async () => {
    const { api, wait, run_id } = await start();
    await expect(wait(50, { timeout: 50 })).rejects.toThrow(/timed out/i);
    expect((await wait(0)).structured.status).toBe("awaiting_approval");
    api.decide(run_id, "approved");
    expect((await wait(0)).structured.may_proceed).toBe(true);
  });

  it("respects a rate limit within its own time", async () => {
    const { api, time, wait, polled, run_id } = await start();
    api.fail({ status: 429, headers: { "retry-after": "7" } });
    const answer = wait(50);
    await polled(1);
    await time.advance(6);
    expect(api.polls()).toHaveLength(1);
    await time.advance(2);
    await polled(2);
    api.decide(run_id, "approved");
    await time.advance(3);
    expect((await answer).structured).toMatchObject({ may_proceed: true });
  });

  it("says that a rate limit is longer than the wait", async () => {
    const { api, time, wait, polled } = await start();
    api.fail({ status: 429, headers: { "retry-after": "600" } });
    const answer = wait(10);
    await polled(1);
    await time.advance(10);
    const { isError, text } = await answer;
    expect(isError).toBe(true);
    expect(text).toContain("Wait 600 s");
  });

  it("continues after several answers 5xx, and says when they occurred", async () => {
    const { api, time, wait, polled, run_id } = await start();
    api.fail({ status: 500 }, { status: 502 }, { status: 503 });
    const answer = wait(50);
    for (let times = 1; times <= 3; times += 1) {
      await polled(times);
      await time.advance(9);
    }
    await polled(4);
    api.decide(run_id, "approved");
    await time.advance(9);
    const { structured } = await answer;
    expect(structured.may_proceed).toBe(true);
    expect(structured.last_error_at).toMatch(/^2026-11-21T10:00:/);
  });

  it("continues after a restart of the server", async () => {
    const { api, time, wait, polled, run_id } = await start();
    const answer = wait(50);
    await polled(1);
    await time.advance(3);
    await api.stop();
    await eventually(() => expect(time.sleeping()).toBeGreaterThanOrEqual(3));
    await api.start();
    api.decide(run_id, "approved");
    await time.advance(12);
    expect((await answer).structured.may_proceed).toBe(true);
  });

  it.each([401, 403, 404])(
    "ends immediately after an answer %i, because waiting does not help",
    async (status) => {
      const { api, wait } = await start();
      api.fail({ status });
      expect((await wait(50)).isError).toBe(true);
    },
  );

  it("ends if the program is stopped", async () => {
    const api = await startFakeApi();
    const stop = new AbortController();
    const { exit } = await openMcpSession(era, { baseUrl: api.baseUrl, signal: stop.signal });
    stop.abort();
    expect(await exit).toBe(0);
  });

  it("ends if the client disconnects", async () => {
    const { api, time, wait, polled, io, exit } = await start();
    const answer = wait(50).catch(() => "gone");
    await polled(1);
    io.stdin.end();
    expect(await exit).toBe(0);
    await eventually(() => expect(time.sleeping()).toBe(0));
    io.stdout.end();
    expect(await answer).toBe("gone");
    expect(api.polls().length).toBeLessThanOrEqual(2);
  });
});
