import { type DemoCycles, sessionsOf, startDemoCycles } from "./demo-cycles.ts";
import type { DemoServer } from "./demo-server.ts";
import { type LoadTarget, load } from "./load.ts";
import { startBare } from "./programs.ts";
import { attempt, type Figure, type Measured, median } from "./table.ts";

/** Many short ones: a machine shared with others changes its speed from second to second, and both sides must be affected equally. */
const rounds = 15;
const milliseconds = 400;
/** The hourly limit of a test key's sessions, which also applies here. One session is reserved for the sample. */
const sessionsOfKey = 59;
const synchronous = process.versions.sqlite !== undefined;

interface Path {
  readonly name: string;
  readonly goal: number;
  /** The goal of requests per second on two processors, nearly all within 100 ms. */
  readonly perSecond?: number;
  readonly target: LoadTarget;
}

/** Each hot path and a bare Koa that answers the same bytes, measured in turns. */
export async function measureThroughput(demo: DemoServer): Promise<Measured[]> {
  const ofApps = await compareAll(pathsOf(demo));
  const ofTests = async () => compareAll(pathsOfTests(demo, await startDemoCycles(demo)));
  return [...ofApps, ...(await attempt("closed tests", ofTests))];
}

async function compareAll(paths: readonly Path[]): Promise<Measured[]> {
  const figures: Measured[] = [];
  for (const path of paths) figures.push(...(await attempt(path.name, () => compare(path))));
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

const p99 = (milliseconds: readonly number[]): number =>
  milliseconds.toSorted((a, b) => a - b)[Math.ceil(milliseconds.length * 0.99) - 1] ?? Number.NaN;

function pathsOf({ port, apiKey, agentToken, threadId, runId }: DemoServer): Path[] {
  const get = { port, method: "GET" };
  const app = { "x-api-key": apiKey };
  const agent = { authorization: `Bearer ${agentToken}` };
  const report = { type: "bug", message: "The settings page closes when it is opened twice.", source: "ci" };
  return [
    { name: "FAQ list of 50", goal: 0.65, target: { ...get, path: "/api/v1/faqs/remote", headers: app } },
    {
      name: "changelog list",
      goal: 0.65,
      target: { ...get, path: "/api/v1/changelog/remote", headers: app },
    },
    {
      name: "thread read",
      goal: synchronous ? 0.24 : 0.14,
      target: { ...get, path: `/api/v1/agent/feedback/${threadId}`, headers: agent },
    },
    {
      name: "agent run poll",
      goal: 0.4,
      target: { ...get, path: `/api/v1/agent/runs/${runId}`, headers: agent },
    },
    {
      name: "small feedback POST, durable",
      goal: synchronous ? 0.23 : 0.18,
      perSecond: 300,
      target: {
        port,
        method: "POST",
        path: "/api/v1/feedback/remote",
        headers: { ...app, "Content-Type": "application/json" },
        body: JSON.stringify(report),
      },
    },
  ];
}

function pathsOfTests({ port, apiKey }: DemoServer, tests: DemoCycles): Path[] {
  const app = { "x-api-key": apiKey };
  const path = "/api/v1/testing/sdk/session";
  return [
    {
      name: "session report, durable",
      goal: synchronous ? 0.28 : 0.13,
      target: {
        port,
        method: "POST",
        path,
        headers: { ...app, "Content-Type": "application/json" },
        bodies: sessionsOf(tests),
        most: Math.floor(sessionsOfKey / rounds) * tests.testKeys.length,
      },
    },
    {
      name: "session status",
      goal: 0.25,
      perSecond: 1_500,
      target: { port, method: "GET", path: `${path}?testKey=${tests.testKeys[0]}`, headers: app },
    },
    {
      name: "tasks of three slots",
      goal: 0.15,
      target: { port, method: "GET", path: "/api/v1/testing/me/tasks", headers: tests.device },
    },
  ];
}

async function sampleOf({ port, method, path, headers, bodies, ...target }: LoadTarget): Promise<string> {
  const body = bodies?.[0] ?? target.body;
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
