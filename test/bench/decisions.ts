import { type DemoServer, post, propose } from "./demo-server.ts";
import { type Figure, median } from "./table.ts";

const rounds = 60;

/** The time from a person's decision on one server to the waiting agent's answer from another server, or the same. */
export async function measureDecisions(
  name: string,
  goal: number,
  demo: DemoServer,
  waitingPort: number,
): Promise<Figure> {
  const decidingAt = `http://127.0.0.1:${demo.port}`;
  const waitingAt = `http://127.0.0.1:${waitingPort}`;
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const runId = await propose(decidingAt, demo.agentToken, demo.threadId);
    const waiting = fetch(`${waitingAt}/api/v1/agent/runs/${runId}?wait=20`, {
      headers: { authorization: `Bearer ${demo.agentToken}` },
    });
    // Time for the request to start waiting in its server.
    await new Promise((resolve) => setTimeout(resolve, 25 + Math.random() * 20));
    const started = performance.now();
    const deciding = post(
      `${decidingAt}/api/v1/console/runs/${runId}/decision`,
      { decision: "approve" },
      demo.person,
    );
    const run: Record<string, unknown> = JSON.parse(await (await waiting).text());
    times.push(performance.now() - started);
    await deciding;
    if (run.status !== "approved") throw new Error(`The waiting agent got ${String(run.status)}`);
  }
  const sorted = times.sort((a, b) => a - b);
  const detail = `p99 ${sorted.at(-1)?.toFixed(1)} ms of ${rounds} decisions`;
  return { name, value: median(times), unit: "ms p50", goal: ["<=", goal], detail };
}
