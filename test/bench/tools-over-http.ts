import type { DemoServer } from "./demo-server.ts";
import { type LoadTarget, load } from "./load.ts";
import { startBare } from "./programs.ts";
import { type Figure, median } from "./table.ts";

const rounds = 15;
const milliseconds = 400;
const clients = 50;

/** Fifty clients that read a thread by the tool, against as many that call a tool which does nothing. */
export async function measureTools(demo: DemoServer): Promise<Figure> {
  const bare = await startBare("bare-mcp", {});
  const reading = callOf("read_feedback", { feedback: demo.threadId }, demo);
  const empty = { ...callOf("empty", {}, demo), port: bare.port };
  await refuseFailures(reading);
  await refuseFailures(empty);
  const pairs: { ours: number; bare: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ofBare = await load(empty, milliseconds, clients);
    const ofOurs = await load(reading, milliseconds, clients);
    if (ofOurs.failures + ofBare.failures > 0)
      throw new Error(`Calls failed, such as ${ofOurs.failure ?? ofBare.failure}`);
    pairs.push({ ours: ofOurs.perSecond, bare: ofBare.perSecond });
  }
  await bare.stop();
  const held = median(pairs.map(({ ours }) => ours)).toFixed(0);
  return {
    name: "read_feedback over HTTP, 50 clients",
    value: median(pairs.map(({ ours, bare: other }) => ours / other)),
    unit: "x empty tool",
    goal: [">=", 0.6],
    detail: `${held}/s of ${median(pairs.map(({ bare: other }) => other)).toFixed(0)}/s`,
  };
}

const callOf = (name: string, given: object, { port, agentToken }: DemoServer): LoadTarget => ({
  port,
  method: "POST",
  path: "/mcp",
  headers: {
    authorization: `Bearer ${agentToken}`,
    Accept: "application/json, text/event-stream",
    "Content-Type": "application/json",
    "MCP-Protocol-Version": "2025-11-25",
  },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } }),
});

/** A call that is refused by the protocol is answered 200, too. */
async function refuseFailures({ port, method, path, headers, body }: LoadTarget): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body ? { body } : {}),
  });
  const text = await answer.text();
  if (!answer.ok || /"isError":true|"error":\{/.test(text)) throw new Error(`${path} answered ${text}`);
}
