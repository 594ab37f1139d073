import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { median } from "../table.ts";
import { type FilledServer, metricsToken } from "./filled-server.ts";
import type { Caller, Measured, ServerValues } from "./requests/measured.ts";

/** How long a request takes on a server. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
  /** The longest time in which the server did nothing else, in milliseconds. Other programs make it longer. */
  readonly stall: number;
  /**
   * The most processor time that the main thread of the server took for one request, in milliseconds. It can do nothing else for at most
   * so long, whatever other programs do. NaN if the system does not say it.
   */
  readonly busy: number;
  /** How long the answer is, in characters: a page that is fuller costs more, however many threads there are. */
  readonly length: number;
}

const calls = 100;
/** A slow request is called less often. */
const mostMilliseconds = 2_500;
const leastCalls = 5;
/** A server that just started runs code that is not compiled yet: that is no growth. */
const warmUp = 20;
const leastWarmUp = 3;
const kept = new Agent({ keepAlive: true });

/** Measures a request on several servers in turns, because a machine shared with others changes its speed from second to second. */
export async function measure(servers: readonly FilledServer[], asked: Measured): Promise<Timing[]> {
  const targets = await Promise.all(servers.map((server) => targetOf(server, asked)));
  const lengths = await warmedUp(targets, asked.most === undefined ? warmUp : leastWarmUp);
  await Promise.all(servers.map(longestStall));
  const times: number[][] = targets.map(() => []);
  const busy = targets.map(() => 0);
  const until = performance.now() + mostMilliseconds;
  for (
    let call = 0;
    call < (asked.most ?? calls) && (call < leastCalls || performance.now() < until);
    call += 1
  )
    for (const [at, target] of targets.entries()) {
      const before = await mainThreadTime(target.pid);
      times[at]?.push((await timed(target)).milliseconds);
      busy[at] = Math.max(busy[at] ?? 0, (await mainThreadTime(target.pid)) - before);
    }
  const stalls = await Promise.all(servers.map(longestStall));
  return times.map((taken, at) => ({
    p50: median(taken),
    p99: p99Of(taken),
    stall: stalls[at] ?? Number.NaN,
    busy: busy[at] ?? Number.NaN,
    length: lengths[at] ?? Number.NaN,
  }));
}

/** Calls each target some times, but a slow one less often. Gives the lengths of the last answers. */
async function warmedUp(targets: readonly Target[], most: number): Promise<number[]> {
  const lengths = targets.map(() => 0);
  const until = performance.now() + mostMilliseconds / 2;
  for (let call = 0; call < most && (call < leastWarmUp || performance.now() < until); call += 1)
    for (const [at, target] of targets.entries()) lengths[at] = (await timed(target)).length;
  return lengths;
}

/** The processor time of a program's main thread until now, in milliseconds. Linux tells it; else NaN. */
async function mainThreadTime(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8").catch(() => "");
  const [nanoseconds = ""] = text.split(" ");
  return nanoseconds === "" ? Number.NaN : Number(nanoseconds) / 1e6;
}

const p99Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

interface Target extends Pick<Measured, "body"> {
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly values: ServerValues;
}

async function targetOf(server: FilledServer, asked: Measured): Promise<Target> {
  const { port, pid } = server.program;
  const { values } = server;
  const { method = "GET", body } = asked;
  const path = withValues(asked.path, values);
  const target = { port, pid, path, method, body, values, headers: headersOf(server)[asked.by] };
  if (!asked.second) return target;
  const first = JSON.parse(await answerOf(target));
  return { ...target, path: `${path}&cursor=${first.nextCursor}` };
}

const headersOf = ({
  agentToken,
  cookie,
  program,
  values,
}: FilledServer): Record<Caller, Target["headers"]> => ({
  agent: { authorization: `Bearer ${agentToken}` },
  person: { cookie, origin: `http://127.0.0.1:${program.port}` },
  app: { "x-api-key": values.appKey },
  device: { authorization: `Bearer ${values.deviceToken}` },
  nobody: {},
});

const withValues = (text: string, values: ServerValues): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => new Map(Object.entries(values)).get(name) ?? whole);

let called = Date.now();

async function timed(target: Target): Promise<{ milliseconds: number; length: number }> {
  called += 1;
  const body = target.body && withValues(JSON.stringify(target.body(called)), target.values);
  const started = performance.now();
  const { length } = await answerOf(target, body);
  return { milliseconds: performance.now() - started, length };
}

type Asking = Pick<Target, "port" | "path" | "method" | "headers">;

function answerOf({ port, path, method, headers }: Asking, body?: string): Promise<string> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  const options = { host: "127.0.0.1", agent: kept, port, path, method, headers: { ...headers, ...type } };
  return new Promise((resolve, reject) => {
    const sent = request(options, async (answer) => {
      let text = "";
      for await (const chunk of answer.setEncoding("utf8")) text += chunk;
      if (answer.statusCode && answer.statusCode < 300) resolve(text);
      else reject(new Error(`${method} ${path} answered ${answer.statusCode}: ${text.slice(0, 300)}`));
    });
    sent.on("error", reject).end(body);
  });
}

/** The longest stall of the event loop since the last call, in milliseconds, as Node measured it. */
async function longestStall({ program: { port } }: FilledServer): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const text = await answerOf({ port, path: "/metrics", method: "GET", headers });
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
}
