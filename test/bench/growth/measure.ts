import { Agent, type RequestOptions, request } from "node:http";
import { openDatabase } from "../../../server/database/open.ts";
import { median } from "../table.ts";
import type { FilledServer } from "./filled-server.ts";
import type { Caller, Measured, ServerValues } from "./requests/measured.ts";

/** How long a request takes on a server. */
export interface Timing {
  readonly p50: number;
  readonly p99: number;
  /**
   * The longest turn of the event loop in each of these requests, in processor time of the main thread: the 99th
   * percentile and the longest, in milliseconds. During this time the server answers no other request. NaN if the
   * system does not provide the time.
   */
  readonly turnP99: number;
  readonly longestTurn: number;
  /** How long the answer is, in characters: a longer page costs more, regardless of the number of threads. */
  readonly length: number;
}

const calls = 100;
/** A slow request is sent less often. */
const mostMilliseconds = 2_500;
const leastCalls = 5;
/** A server that has just started runs code that is not compiled yet. This must not count as growth. */
const warmUp = 20;
const leastWarmUp = 3;
const kept = new Agent({ keepAlive: true });

/** Measures a request on several servers alternately, because the speed of a shared machine changes every second. */
export async function measure(servers: readonly FilledServer[], asked: Measured): Promise<Timing[]> {
  if (asked.work) return measureWork(servers, asked.work);
  const targets = await Promise.all(servers.map((server) => targetOf(server, asked)));
  const lengths = await warmedUp(targets, asked.most === undefined ? warmUp : leastWarmUp);
  const times: number[][] = targets.map(() => []);
  const turns: number[][] = targets.map(() => []);
  const until = performance.now() + mostMilliseconds;
  for (
    let call = 0;
    call < (asked.most ?? calls) && (call < leastCalls || performance.now() < until);
    call += 1
  )
    for (const [at, target] of targets.entries()) {
      await longestTurn(target);
      times[at]?.push((await timed(target)).milliseconds);
      turns[at]?.push(await longestTurn(target));
    }
  return times.map((taken, at) => ({
    p50: median(taken),
    p99: p99Of(taken),
    turnP99: p99Of(turns[at] ?? []),
    longestTurn: Math.max(...(turns[at] ?? [])),
    length: lengths[at] ?? Number.NaN,
  }));
}

/** Measures what a job does, on the databases of the servers alternately. */
async function measureWork(
  servers: readonly FilledServer[],
  work: NonNullable<Measured["work"]>,
): Promise<Timing[]> {
  const databases = await Promise.all(servers.map(({ address }) => openDatabase(address)));
  const times: number[][] = databases.map(() => []);
  const until = performance.now() + mostMilliseconds;
  for (let call = -leastWarmUp; call < calls && (call < leastCalls || performance.now() < until); call += 1)
    for (const [at, database] of databases.entries()) {
      const started = performance.now();
      await work(database);
      if (call >= 0) times[at]?.push(performance.now() - started);
    }
  for (const database of databases) await database.close();
  return times.map((taken) => ({
    ...{ p50: median(taken), p99: p99Of(taken) },
    ...{ turnP99: Number.NaN, longestTurn: 0, length: 1 },
  }));
}

/** Calls each target several times, but a slow one less often. Returns the lengths of the last answers. */
async function warmedUp(targets: readonly Target[], most: number): Promise<number[]> {
  const lengths = targets.map(() => 0);
  const until = performance.now() + mostMilliseconds / 2;
  for (let call = 0; call < most && (call < leastWarmUp || performance.now() < until); call += 1)
    for (const [at, target] of targets.entries()) lengths[at] = (await timed(target)).length;
  return lengths;
}

const p99Of = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? Number.NaN;

interface Asked extends Pick<Measured, "body"> {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly values: ServerValues;
}

interface Target extends Asked {
  readonly turns: string;
  readonly before: Asked | undefined;
  readonly after: Asked | undefined;
}

async function targetOf(server: FilledServer, asked: Measured): Promise<Target> {
  const { before, after } = asked;
  const target = {
    ...requestOf(server, asked),
    turns: server.turns,
    before: before && requestOf(server, before),
    after: after && requestOf(server, after),
  };
  if (!asked.second) return target;
  const first = JSON.parse(await answerOf(target));
  return { ...target, path: `${target.path}&cursor=${first.nextCursor}` };
}

function requestOf(
  server: FilledServer,
  { by, path, method = "GET", body }: Measured["before"] & object,
): Asked {
  const { values, program } = server;
  return {
    ...{ port: program.port, path: withValues(path, values), method, body, values },
    headers: headersOf(server)[by],
  };
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

/** Counts the calls of all servers. The servers are called alternately, so both get a body with the same number. */
let called = 2 * Date.now();

async function timed(target: Target): Promise<{ milliseconds: number; length: number }> {
  called += 1;
  if (target.before) await answerOf(target.before, bodyOf(target.before));
  const body = bodyOf(target);
  const started = performance.now();
  const { length } = await answerOf(target, body);
  const milliseconds = performance.now() - started;
  if (target.after) await answerOf(target.after, bodyOf(target.after));
  return { milliseconds, length };
}

const bodyOf = ({ body, values }: Pick<Asked, "body" | "values">): string | undefined =>
  body && withValues(JSON.stringify(body(Math.floor(called / 2))), values);

type Asking = Pick<Asked, "port" | "path" | "method" | "headers">;

function answerOf({ port, path, method, headers }: Asking, body?: string): Promise<string> {
  const type = body === undefined ? {} : { "content-type": "application/json" };
  return answerTo({ host: "127.0.0.1", port, path, method, headers: { ...headers, ...type } }, body);
}

function answerTo(options: RequestOptions, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: kept, ...options }, async (answer) => {
      let text = "";
      for await (const chunk of answer.setEncoding("utf8")) text += chunk;
      if (answer.statusCode && answer.statusCode < 300) resolve(text);
      else
        reject(
          new Error(`${options.method} ${options.path} answered ${answer.statusCode}: ${text.slice(0, 300)}`),
        );
    });
    sent.on("error", reject).end(body);
  });
}

/** The longest turn of the server's event loop since the last call, in milliseconds of processor time. */
async function longestTurn({ turns }: Pick<Target, "turns">): Promise<number> {
  return Number(await answerTo({ socketPath: turns }));
}
