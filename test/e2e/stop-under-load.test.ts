import { Agent, request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepServe } from "../support/programs/built-program.ts";
import { quietGoal } from "../support/torture.ts";

interface Load {
  /** The ids of the confirmed reports. */
  readonly acknowledged: string[];
  /** Other results of requests that reached the server. */
  readonly failed: string[];
  /** Resolves when no more connections are accepted. */
  readonly over: Promise<unknown>;
}

/** Twenty clients that send reports one after another over open connections. */
function sendReports(baseUrl: string, apiKey: string): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  onTestFinished(() => agent.destroy());
  const acknowledged: string[] = [];
  const failed: string[] = [];

  /** Returns false if the connection was refused: the server never got the request. */
  const send = () =>
    new Promise<boolean>((resolve) => {
      const outgoing = request(`${baseUrl}/api/v1/feedback/remote`, {
        agent,
        method: "POST",
        headers: { "x-api-key": apiKey, "content-type": "application/json" },
      });
      outgoing.on("response", async (answer) => {
        const text = Buffer.concat(await answer.toArray()).toString();
        if (answer.statusCode === 201) acknowledged.push(JSON.parse(text).id);
        else failed.push(`${answer.statusCode} ${text}`);
        resolve(true);
      });
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "ECONNREFUSED") failed.push(`${error.code}`);
        resolve(false);
      });
      outgoing.end(JSON.stringify({ type: "bug", message: "Sent while the server was told to stop." }));
    });
  const client = async () => {
    while (await send());
  };
  return { acknowledged, failed, over: Promise.all(Array.from({ length: 20 }, client)) };
}

describe("a SIGTERM to the server during a load of requests", () => {
  it("causes no failure of a received request, and no loss of a confirmed report", async () => {
    const argv = ["--demo", "--port", "0", "--data", await temporaryFolder()];
    const unlimited = { INNKEEP_RATE_LIMITS: "off" };
    const { ready, child, ended } = await innkeepServe(argv, unlimited);
    const { acknowledged, failed, over } = sendReports(ready.baseUrl, ready.demo.apiKey);
    await expect.poll(() => acknowledged.length).toBeGreaterThan(300);
    const told = performance.now();
    child.kill("SIGTERM");
    await over;
    expect(failed).toEqual([]);
    expect(await ended).toBe(0);
    expect(performance.now() - told).toBeLessThan(quietGoal(10_000));

    const again = await innkeepServe(argv, unlimited);
    const headers = { authorization: `Bearer ${again.ready.demo.maintainerToken}` };
    for (const id of acknowledged) {
      const answer = await fetch(`${again.ready.baseUrl}/api/v1/console/feedback/${id}`, { headers });
      expect(answer.status).toBe(200);
    }
  });
});
