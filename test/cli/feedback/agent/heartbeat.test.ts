import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withHeartbeats } from "../../../../src/cli/agent/work.ts";
import { createClient } from "../../../../src/client/send.ts";
import type { Run } from "../../../../src/contract/runs.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../../../support/worlds/app-with-owner-and-agent.ts";

/** A clock whose pauses end when the test says so. */
function steppedClock() {
  const steps: (() => void)[] = [];
  const pauses: number[] = [];
  let slept = () => {};
  const clock = {
    now: () => new Date(0),
    sleep(milliseconds: number, signal?: AbortSignal) {
      pauses.push(milliseconds);
      slept();
      return new Promise<void>((resolve, reject) => {
        steps.push(resolve);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
    },
  };
  const nextPause = () => new Promise<void>((resolve) => (slept = resolve));
  return { clock, pauses, nextPause, step: () => steps.shift()?.() };
}

describe("a worker whose program runs long", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const claimed = async () => {
    const runId = await propose(service, cast, await submitFeedback(service, cast));
    await decide(service, cast, runId, { decision: "approve" });
    const token = await service.makeToken(cast.owner, "agent", { scopes: ["runs:work"] });
    const client = createClient({ baseUrl: service.baseUrl, credentials: { agentToken: token } });
    const claim = await client.agent.claimRun({ params: { runId }, body: { worker: "w" } });
    const read = (): Promise<Run> => client.agent.readRun({ params: { runId } });
    return { client, claim, read };
  };

  it("reports that the program is still running, before another worker can resume its claim", async () => {
    const { client, claim, read } = await claimed();
    const { clock, pauses, nextPause, step } = steppedClock();
    const result = await withHeartbeats({ client, context: { clock } }, claim, async () => {
      const again = nextPause();
      step();
      await again;
      return "done";
    });
    expect(result).toBe("done");
    expect((await read()).progress).toMatchObject({ count: 1, text: "The command has run for 10 minutes." });
    for (const pause of pauses) expect(pause).toBeLessThan(15 * 60_000);
  });

  it("reports nothing for a program that ends soon", async () => {
    const { client, claim, read } = await claimed();
    await withHeartbeats({ client, context: { clock: steppedClock().clock } }, claim, async () => undefined);
    expect((await read()).progress).toBeNull();
  });

  it("throws the error of the work", async () => {
    const { client, claim } = await claimed();
    const fails = () => Promise.reject(new Error("broken"));
    await expect(
      withHeartbeats({ client, context: { clock: steppedClock().clock } }, claim, fails),
    ).rejects.toThrow("broken");
  });
});
