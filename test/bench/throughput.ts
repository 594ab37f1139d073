import { join } from "node:path";
import { type DemoCycles, sessionsOf, startDemoCycles } from "./demo-cycles.ts";
import { type DemoServer, submit } from "./demo-server.ts";
import { smallReport, startLimitedServer } from "./limited-server.ts";
import { type LoadTarget, load } from "./load.ts";
import { startBare } from "./programs.ts";
import { attempt, type Figure, type Measured, median, p99 } from "./table.ts";
import { isWanted } from "./wanted.ts";

/**
 * Many short measurements: the speed of a shared machine changes every second, and both sides must be affected equally.
 */
const rounds = 15;
const milliseconds = 400;
/** The hourly limit of a test key's sessions, which also applies here. One session is reserved for the sample. */
const sessionsOfKey = 59;
const synchronous = process.versions.sqlite !== undefined;

export interface Path {
  readonly name: string;
  readonly goal: number;
  /** The goal of requests per second on two processors, nearly all within 100 ms. */
  readonly perSecond?: number;
  readonly target: LoadTarget;
}

/** Each frequent request and a bare Koa that answers the same bytes, measured alternately. */
export async function measureThroughput(demo: DemoServer): Promise<Measured[]> {
  const ofApps = await compareAll(pathsOf(demo));
  if (isWanted(firstRead)) ofApps.push(...(await attempt(firstRead, () => measureFirstReads(demo))));
  const ofTests = async () => compareAll(pathsOfTests(demo, await startDemoCycles(demo)));
  if (!namesOfTests.some(isWanted)) return ofApps;
  return [...ofApps, ...(await attempt("closed tests", ofTests))];
}

/** Small reports, with limits that no key reaches. */
export async function measureReports(folder: string): Promise<Measured[]> {
  if (!reports.some(isWanted)) return [];
  const server = await startLimitedServer(join(folder, "limited"), "on");
  const [plain = "", keyed = ""] = reports;
  const paths = [
    { name: plain, goal: synchronous ? 0.3 : 0.26, perSecond: 300, target: server.report },
    { name: keyed, goal: synchronous ? 0.2 : 0.16, target: { ...server.report, freshKeys: true } },
  ];
  return compareAll(paths).finally(server.stop);
}

const reports = ["small feedback POST, durable", "small feedback POST with an Idempotency-Key"];

/** The frequent writes on PostgreSQL. */
export async function measureWritesOnPostgres(demo: DemoServer): Promise<Measured[]> {
  const report = smallReport(demo.port);
  const target = { ...report, headers: { ...report.headers, "x-api-key": demo.apiKey } };
  const feedback = { name: feedbackOnPostgres, goal: 0.05, perSecond: 300, target };
  const measured = await compareAll([feedback]);
  if (!isWanted(sessionsOnPostgres)) return measured;
  const sessions = async () => {
    const path = sessionsPath(demo, await startDemoCycles(demo));
    return compareAll([{ ...path, name: sessionsOnPostgres, goal: 0.1 }]);
  };
  return [...measured, ...(await attempt(sessionsOnPostgres, sessions))];
}

const feedbackOnPostgres = "small feedback POST on PostgreSQL, durable";
const sessionsOnPostgres = "session report on PostgreSQL, durable";
export const writesOnPostgres = [feedbackOnPostgres, sessionsOnPostgres];

const firstRead = "first read of a thread";
/** More threads than fit into the cache of the server: each read is of a thread that is not cached. */
const manyThreads = 12_000;

async function measureFirstReads({ port, apiKey, agentToken }: DemoServer): Promise<Figure[]> {
  const paths: string[] = [];
  const origin = `http://127.0.0.1:${port}`;
  while (paths.length < manyThreads) {
    const ids = await Promise.all(Array.from({ length: 60 }, () => submit(origin, apiKey)));
    paths.push(...ids.map((id) => `/api/v1/agent/feedback/${id}`));
  }
  let read = 0;
  const nextPath = () => paths[read++ % paths.length] ?? "";
  const headers = { authorization: `Bearer ${agentToken}` };
  const target = { port, method: "GET", path: nextPath(), nextPath, headers };
  return compare({ name: firstRead, goal: synchronous ? 0.24 : 0.16, target });
}

async function compareAll(paths: readonly Path[]): Promise<Measured[]> {
  const figures: Measured[] = [];
  for (const path of paths.filter(({ name }) => isWanted(name)))
    figures.push(...(await attempt(path.name, () => compare(path))));
  return figures;
}

async function compare({ name, goal, perSecond, target }: Path): Promise<Figure[]> {
  const koa = await startBare("bare-koa", { BODY: await sampleOf(target) });
  const pairs: { ours: number; bare: number }[] = [];
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const bare = await load({ ...target, port: koa.port }, milliseconds);
    const ours = await load(target, milliseconds);
    if (ours.failures > 0)
      throw new Error(`${name}: ${ours.failures} answers failed, such as ${ours.failure}`);
    times.push(...ours.milliseconds);
    pairs.push({ ours: ours.perSecond, bare: bare.perSecond });
  }
  await koa.stop();
  const detail = `${median(pairs.map(({ ours }) => ours)).toFixed(0)}/s of ${median(pairs.map(({ bare }) => bare)).toFixed(0)}/s`;
  const ratio = median(pairs.map(({ ours, bare }) => ours / bare));
  const figure: Figure = { name, value: ratio, unit: "x Koa", goal: [">=", goal], detail };
  if (perSecond === undefined) return [figure];
  const held = median(pairs.map(({ ours }) => ours));
  return [
    figure,
    { name: `${name}: held`, value: held, unit: "/s", goal: [">=", perSecond], detail: "32 connections" },
    { name: `${name}: p99`, value: p99(times), unit: "ms", goal: ["<=", 100], detail: "32 connections" },
  ];
}

export function pathsOf({ port, apiKey, agentToken, threadId, runId }: DemoServer): Path[] {
  const get = { port, method: "GET" };
  const app = { "x-api-key": apiKey };
  const agent = { authorization: `Bearer ${agentToken}` };
  return [
    { name: "FAQ list of 50", goal: 1, target: { ...get, path: "/api/v1/faqs/remote", headers: app } },
    {
      name: "changelog list",
      goal: 0.95,
      target: { ...get, path: "/api/v1/changelog/remote", headers: app },
    },
    {
      name: "thread read",
      goal: 0.85,
      target: { ...get, path: `/api/v1/agent/feedback/${threadId}`, headers: agent },
    },
    {
      name: "agent run poll",
      goal: 0.8,
      target: { ...get, path: `/api/v1/agent/runs/${runId}`, headers: agent },
    },
  ];
}

/** The measurements of `pathsOfTests`. To create their cycles takes long. */
const namesOfTests = ["session report, durable", "session status", "tasks of three slots"];

export function pathsOfTests(demo: DemoServer, tests: DemoCycles): Path[] {
  const { port, apiKey } = demo;
  return [
    sessionsPath(demo, tests),
    {
      name: "session status",
      goal: 0.8,
      perSecond: 1_500,
      target: {
        port,
        method: "GET",
        path: `${pathOfSessions}?testKey=${tests.testKeys[0]}`,
        headers: { "x-api-key": apiKey },
      },
    },
    {
      name: "tasks of three slots",
      goal: 0.8,
      target: { port, method: "GET", path: "/api/v1/testing/me/tasks", headers: tests.device },
    },
  ];
}

const pathOfSessions = "/api/v1/testing/sdk/session";

function sessionsPath({ port, apiKey }: DemoServer, tests: DemoCycles): Path {
  return {
    name: "session report, durable",
    goal: synchronous ? 0.3 : 0.24,
    target: {
      port,
      method: "POST",
      path: pathOfSessions,
      headers: { "x-api-key": apiKey, "Content-Type": "application/json" },
      bodies: sessionsOf(tests),
      most: Math.floor(sessionsOfKey / rounds) * tests.testKeys.length,
    },
  };
}

async function sampleOf({ port, method, path, bodies, variants, ...target }: LoadTarget): Promise<string> {
  const body = bodies?.[0] ?? target.body;
  const headers = { ...target.headers, ...variants?.[0] };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers,
    ...(body ? { body } : {}),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`);
  const text = await answer.text();
  // A bare Koa is five times slower with other text, which would improve the ratio.
  if (/[^\0-\x7f]/.test(text)) throw new Error(`${method} ${path} answered text that is not ASCII`);
  return text;
}
