import { Agent, request } from "node:http";
import { median } from "../table.ts";
import { type FilledServer, metricsToken } from "./filled-server.ts";
import type { Read } from "./requests.ts";

/** How long a read takes on a server. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
  /** The longest time in which the server did nothing else, in milliseconds. */
  readonly stall: number;
}

const calls = 100;
/** A slow read is called less often. */
const mostMilliseconds = 2_500;
const leastCalls = 5;
const warmUp = 3;
const kept = new Agent({ keepAlive: true });

/** Measures a read on several servers in turns, because a machine shared with others changes its speed from second to second. */
export async function measure(servers: readonly FilledServer[], read: Read): Promise<Timing[]> {
  const targets = await Promise.all(servers.map((server) => targetOf(server, read)));
  for (let call = 0; call < warmUp; call += 1) for (const target of targets) await timed(target);
  await Promise.all(servers.map(longestStall));
  const times: number[][] = targets.map(() => []);
  const until = performance.now() + mostMilliseconds;
  for (let call = 0; call < calls && (call < leastCalls || performance.now() < until); call += 1)
    for (const [at, target] of targets.entries()) times[at]?.push(await timed(target));
  const stalls = await Promise.all(servers.map(longestStall));
  return times.map((taken, at) => ({
    p50: median(taken),
    p99: p99Of(taken),
    stall: stalls[at] ?? Number.NaN,
  }));
}

const p99Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

interface Target {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function targetOf({ program: { port }, ...server }: FilledServer, read: Read): Promise<Target> {
  const headers: Record<string, string> =
    read.by === "agent" ? { authorization: `Bearer ${server.agentToken}` } : { cookie: server.cookie };
  if (!read.second) return { port, path: read.path, headers };
  const first = JSON.parse(await bodyOf({ port, path: read.path, headers }));
  return { port, path: `${read.path}&cursor=${first.nextCursor}`, headers };
}

async function timed(target: Target): Promise<number> {
  const started = performance.now();
  await bodyOf(target);
  return performance.now() - started;
}

function bodyOf(target: Target): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", agent: kept, ...target }, async (answer) => {
      let body = "";
      for await (const chunk of answer.setEncoding("utf8")) body += chunk;
      if (answer.statusCode === 200) resolve(body);
      else reject(new Error(`GET ${target.path} answered ${answer.statusCode}: ${body.slice(0, 300)}`));
    });
    sent.on("error", reject).end();
  });
}

/** The longest stall of the event loop since the last call, in milliseconds, as Node measured it. */
async function longestStall({ program: { port } }: FilledServer): Promise<number> {
  const text = await bodyOf({ port, path: "/metrics", headers: { authorization: `Bearer ${metricsToken}` } });
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
}
