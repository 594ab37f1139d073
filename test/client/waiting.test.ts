import { describe, expect, it } from "vitest";
import { ConnectionError, ServerError } from "../../src/client/errors.ts";
import { waitForDecision } from "../../src/client/wait.ts";
import type { Run } from "../../src/contract/runs.ts";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";

const open: Run = {
  id: "1",
  status: "awaiting_approval",
  decisionNote: null,
  decidedAt: null,
  replacedBy: null,
  decision: null,
  feedbackId: "2",
  consoleUrl: "http://127.0.0.1:9/feedback/3/2",
  summary: "Guard it.",
  plan: "1. Check.",
  planSha256: "",
  ...{ expiresAt: null, claim: null, progress: null, outcome: null },
};
const approved: Run = { ...open, status: "approved" };

/** A server and a clock: each request gets the next prepared answer, after the time for which the server delays it. */
function scene(look: (wait: number, at: number) => Run | Error, holds: boolean) {
  let now = 0;
  const looks: { at: number; wait: number }[] = [];
  const pauses: number[] = [];
  const { client } = clientWithCredentials("http://127.0.0.1:9");
  const readRun: typeof client.agent.readRun = async ({ query }) => {
    const wait = Number(query?.wait ?? 0);
    looks.push({ at: now / 1_000, wait });
    const answer = look(wait, now / 1_000);
    if (answer instanceof Error) throw answer;
    if (holds && answer.status === "awaiting_approval") now += wait * 1_000;
    return answer;
  };
  const wait = (seconds: number) =>
    waitForDecision({ agent: { ...client.agent, readRun } }, "1", {
      seconds,
      clock: {
        now: () => new Date(now),
        async sleep(milliseconds) {
          pauses.push(milliseconds);
          now += milliseconds;
        },
      },
    });
  return { wait, looks, pauses, passed: () => now / 1_000 };
}

describe("the function that waits for a decision", () => {
  it("sends one request if it has no time to wait", async () => {
    const { wait, looks } = scene(() => open, true);
    expect(await wait(0)).toEqual(open);
    expect(looks).toEqual([{ at: 0, wait: 0 }]);
  });

  it("lets the server delay the answer for at most 55 seconds at a time", async () => {
    const { wait, looks, pauses } = scene((_, at) => (at < 110 ? open : approved), true);
    expect(await wait(600)).toEqual(approved);
    expect(looks).toEqual([
      { at: 0, wait: 55 },
      { at: 55, wait: 55 },
      { at: 110, wait: 55 },
    ]);
    expect(pauses).toEqual([]);
  });

  it("asks with increasing pauses if the server does not delay the answer", async () => {
    const { wait, pauses } = scene((_, at) => (at < 100 ? open : approved), false);
    expect(await wait(600)).toEqual(approved);
    expect(pauses).toEqual([2_000, 3_000, 4_500, 6_750, 10_125, 15_187.5, 22_781.25, 30_000, 30_000]);
  });

  it.each([true, false])(
    "returns the open proposal when the time is over (the server delays: %s)",
    async (holds) => {
      const { wait, passed } = scene(() => open, holds);
      expect(await wait(100)).toEqual(open);
      expect(passed()).toBeCloseTo(100, 2);
    },
  );

  it.each([
    new ConnectionError("ECONNRESET", "cut"),
    new ServerError({ status: 503, code: "busy", message: "" }),
  ])("continues after an outage of the server (%s)", async (error) => {
    const { wait } = scene((_, at) => (at < 20 ? error : approved), true);
    expect(await wait(600)).toEqual(approved);
  });

  it("throws the last error if the server stays unavailable", async () => {
    const away = new ConnectionError("ECONNRESET", "cut");
    await expect(scene(() => away, true).wait(60)).rejects.toBe(away);
  });

  it("throws an error immediately if waiting is useless", async () => {
    const { wait, looks } = scene(
      () => new ServerError({ status: 404, code: "not_found", message: "" }),
      true,
    );
    await expect(wait(600)).rejects.toMatchObject({ status: 404 });
    expect(looks).toHaveLength(1);
  });
});
