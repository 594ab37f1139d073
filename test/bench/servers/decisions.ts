import { type DemoServer, propose } from "../demo-server.ts";
import { type KeptConnection, keepConnection } from "../kept-connection.ts";
import { type Figure, median } from "../table.ts";

const rounds = 100;
/** The first decisions run code that has just been loaded. */
const unmeasured = 20;

/**
 * The time from a person's decision on one server to the waiting agent's answer from another server, or from the same
 * one.
 */
export async function measureDecisions(
  name: string,
  goal: number,
  demo: DemoServer,
  waitingPort: number,
): Promise<Figure> {
  const person = await keepConnection(demo.port);
  const agent = await keepConnection(waitingPort);
  const times: number[] = [];
  for (let round = -unmeasured; round < rounds; round += 1) {
    const time = await timeOfDecision(demo, person, agent);
    if (round >= 0) times.push(time);
  }
  for (const connection of [person, agent]) connection.close();
  const sorted = times.toSorted((a, b) => a - b);
  const detail = `best ${sorted[0]?.toFixed(1)} ms, longest ${sorted.at(-1)?.toFixed(1)} ms of ${rounds} decisions`;
  return { name, value: median(times), unit: "ms p50", goal: ["<=", goal], detail };
}

async function timeOfDecision(
  demo: DemoServer,
  person: KeptConnection,
  agent: KeptConnection,
): Promise<number> {
  const decidingAt = `http://127.0.0.1:${demo.port}`;
  const runId = await propose(decidingAt, demo.agentToken, demo.threadId);
  const path = `/api/v1/agent/runs/${runId}?wait=20`;
  const headers = { authorization: `Bearer ${demo.agentToken}` };
  const waiting = agent.send({ method: "GET", path, headers }).then((body) => {
    const took = performance.now() - started;
    const run: Record<string, unknown> = JSON.parse(body);
    if (run.status !== "approved") throw new Error(`The waiting agent got ${String(run.status)}`);
    return took;
  });
  // A pause, so that the request is waiting in its server.
  await new Promise((resolve) => setTimeout(resolve, 25 + Math.random() * 20));
  const started = performance.now();
  const deciding = person.send({
    method: "POST",
    path: `/api/v1/console/runs/${runId}/decision`,
    headers: { ...demo.person, "Content-Type": "application/json" },
    body: JSON.stringify({ decision: "approve" }),
  });
  const [took] = await Promise.all([waiting, deciding]);
  return took;
}
