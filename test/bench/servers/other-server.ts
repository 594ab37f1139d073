import type { DemoServer } from "../demo-server.ts";
import { type KeptConnection, keepConnection } from "../kept-connection.ts";
import { type Figure, median, p99 } from "../table.ts";

const rounds = 500;
/** The first changes run code that has just been loaded. */
const unmeasured = 20;
const mostMilliseconds = 10_000;

/**
 * The time from the answer to a change until another server, which has the thread in its cache, shows the change. The
 * test reads until then, so the time includes at least one read.
 */
export async function measureOtherServer(name: string, demo: DemoServer, otherPort: number): Promise<Figure> {
  const person = await keepConnection(demo.port);
  const agent = await keepConnection(otherPort);
  const times: number[] = [];
  let old = 0;
  for (let round = -unmeasured; round < rounds; round += 1) {
    const { milliseconds, reads } = await timeOfChange(demo, { person, agent }, `Page ${round}.`);
    if (round < 0) continue;
    times.push(milliseconds);
    if (reads > 1) old += 1;
  }
  for (const connection of [person, agent]) connection.close();
  const detail = `median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms of ${rounds} changes; after ${old} a first read was still old`;
  return { name, value: p99(times), unit: "ms p99", goal: ["<=", 50], detail };
}

async function timeOfChange(
  { person: headers, agentToken, threadId }: DemoServer,
  { person, agent }: { readonly person: KeptConnection; readonly agent: KeptConnection },
  subject: string,
): Promise<{ milliseconds: number; reads: number }> {
  const change = { method: "PATCH", path: `/api/v1/console/feedback/${threadId}` };
  const read = { method: "GET", path: `/api/v1/agent/feedback/${threadId}` };
  const asAgent = { ...read, headers: { authorization: `Bearer ${agentToken}` } };
  // The other server has the old thread in its cache.
  await agent.send(asAgent);
  await person.send({
    ...change,
    headers: { ...headers, "Content-Type": "application/json" },
    body: JSON.stringify({ subject }),
  });
  const started = performance.now();
  let reads = 1;
  for (; !(await agent.send(asAgent)).includes(`"${subject}"`); reads += 1)
    if (performance.now() - started > mostMilliseconds) throw new Error("The other server never showed it.");
  return { milliseconds: performance.now() - started, reads };
}
