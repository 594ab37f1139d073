import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { eras } from "../support/clients.ts";
import { startFakeApi } from "../support/fake-api.ts";
import { manualClock } from "../support/manual-clock.ts";
import { openMcpSession } from "../support/mcp-session.ts";
import { readToolResult } from "../support/tool-result.ts";

describe.each(eras)("the cost of a wait for a decision over %s", (era) => {
  const start = async () => {
    const api = await startFakeApi();
    const time = manualClock();
    const { client } = await openMcpSession(era, { baseUrl: api.baseUrl, clock: time.clock });
    const given = { feedback: api.addThread(), summary: "The kettle is null.", plan: "Check the kettle." };
    const run_id = String(readToolResult(await client.callTool("propose_plan", given)).structured.run_id);
    return {
      api,
      time,
      release: () => api.release(run_id),
      wait: async (wait_seconds: number) =>
        readToolResult(await client.callTool("get_decision", { run_id, wait_seconds })),
      polled: (times: number) => eventually(() => expect(api.polls().length).toBeGreaterThanOrEqual(times)),
    };
  };

  it.each([20, 50])(
    "is one read for %i seconds if the server delays its answer until the end",
    async (seconds) => {
      const { api, time, wait, polled, release } = await start();
      const answer = wait(seconds);
      await polled(1);
      await time.advance(seconds - 1);
      release();
      await eventually(() => expect(time.sleeping()).toBeGreaterThanOrEqual(2));
      await time.advance(1);
      expect((await answer).structured).toMatchObject({
        status: "awaiting_approval",
        waited_seconds: seconds,
      });
      expect(api.polls()).toHaveLength(1);
    },
  );

  it("includes a separate read for a shorter wait beside a longer one", async () => {
    const { api, time, wait, polled } = await start();
    const long = wait(50);
    await polled(1);
    const short = wait(5);
    await eventually(() => expect(time.sleeping()).toBeGreaterThanOrEqual(3));
    await time.advance(5);
    expect((await short).structured).toMatchObject({ status: "awaiting_approval", waited_seconds: 5 });
    expect(api.polls().map(({ query }) => query.get("wait"))).toEqual(["49", null]);
    await time.advance(45);
    await long;
  });
});
