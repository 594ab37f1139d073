import { type DemoServer, post, propose, submit } from "./demo-server.ts";
import { type LoadTarget, load } from "./load.ts";
import { startBare } from "./programs.ts";
import { type Figure, median } from "./table.ts";

const rounds = 15;
const milliseconds = 400;
const clients = 50;

/** Fifty clients that read a thread with the tool, compared with fifty that call a tool which does nothing. */
export async function measureTools(demo: DemoServer): Promise<Figure> {
  const bare = await startBare("bare-mcp", {});
  const reading = callOf("read_feedback", { feedback: await discussedThread(demo) }, demo);
  const empty = { ...callOf("empty", {}, demo), port: bare.port };
  const size = await sizeOfAnswer(reading);
  await sizeOfAnswer(empty);
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
    detail: `${held}/s of ${median(pairs.map(({ bare: other }) => other)).toFixed(0)}/s, ${(size / 1_000).toFixed(1)} kB each`,
  };
}

const notes = 6;

/** A thread with a report, some notes of the team and a proposal. Its size must not depend on the measurements before. */
async function discussedThread({ port, apiKey, agentToken, person }: DemoServer): Promise<string> {
  const origin = `http://127.0.0.1:${port}`;
  const id = await submit(origin, apiKey);
  for (let note = 1; note <= notes; note += 1) {
    const body = `Seen on device ${note}: the page closes at the second tap, and the log has no entry.`;
    await post(`${origin}/api/v1/console/feedback/${id}/messages`, { direction: "note", body }, person);
  }
  await propose(origin, agentToken, id);
  return id;
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

/** The size of an answer in bytes. Rejects if the call fails: refusals of the protocol have the status 200, too. */
async function sizeOfAnswer({ port, method, path, headers, body }: LoadTarget): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body ? { body } : {}),
  });
  const text = await answer.text();
  if (!answer.ok || /"isError":true|"error":\{/.test(text)) throw new Error(`${path} answered ${text}`);
  return Buffer.byteLength(text);
}
