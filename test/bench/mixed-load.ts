import type { DemoServer } from "./demo-server.ts";
import { type LoadTarget, loadMixed } from "./load.ts";
import { startBare } from "./programs.ts";
import { type Figure, p99 } from "./table.ts";
import { seconds } from "./wanted.ts";

const connections = 256;
const warmUpMilliseconds = 2_000;
const bareMilliseconds = 5_000;
const mostMilliseconds = process.versions.sqlite === undefined ? 120 : 60;
const mostLag = 20;
/** The interval at which Node measures its event loop. The reported times include this interval. */
const lookMilliseconds = 10;

export const metricsToken = "only this benchmark reads them";

/**
 * Many clients at once, of which one in five reports something: measures the times of answers, and the longest time for
 * which the server is busy.
 */
export async function measureMixedLoad(name: string, demo: DemoServer): Promise<Figure[]> {
  await loadMixed(mixOf(demo), warmUpMilliseconds, connections);
  await lagOf(demo);
  const result = await loadMixed(mixOf(demo), seconds * 1_000, connections);
  if (result.failures > 0) throw new Error(`${result.failures} answers failed, such as ${result.failure}`);
  const lag = await lagOf(demo);
  const bare = await underBareKoa(demo);
  const detail = `${result.perSecond.toFixed(0)}/s for ${seconds} s, ${connections} connections, 80 % reads; bare Koa ${bare}`;
  const time = { unit: "ms p99", value: p99(result.milliseconds) };
  return [
    { name: `${name}: answers`, ...time, goal: ["<=", mostMilliseconds], detail },
    { name: `${name}: event loop lag`, value: lag, unit: "ms p99", goal: ["<=", mostLag], detail },
  ];
}

/** The result of a bare Koa, which stores nothing, under the same load: the limit of the machine. */
async function underBareKoa(demo: DemoServer): Promise<string> {
  const koa = await startBare("bare-koa", {});
  const mix = mixOf({ ...demo, port: koa.port });
  await loadMixed(mix, warmUpMilliseconds, connections);
  const { milliseconds, perSecond } = await loadMixed(mix, bareMilliseconds, connections);
  await koa.stop();
  return `${perSecond.toFixed(0)}/s, ${p99(milliseconds).toFixed(0)} ms p99`;
}

/** Twenty requests: six times the FAQ, four times the release notes, three times a thread and a proposal, four reports. */
function mixOf({ port, apiKey, agentToken, threadId, runId }: DemoServer): LoadTarget[] {
  const app = { "x-api-key": apiKey };
  const agent = { authorization: `Bearer ${agentToken}` };
  const get = (path: string, headers: LoadTarget["headers"]) => ({ port, method: "GET", path, headers });
  const faq = get("/api/v1/faqs/remote", app);
  const notes = get("/api/v1/changelog/remote", app);
  const thread = get(`/api/v1/agent/feedback/${threadId}`, agent);
  const run = get(`/api/v1/agent/runs/${runId}`, agent);
  const report = {
    ...{ port, method: "POST", path: "/api/v1/feedback/remote" },
    headers: { ...app, "Content-Type": "application/json" },
    body: JSON.stringify({ type: "bug", message: "The settings page closes when it is opened twice." }),
  };
  const fifth = [faq, notes, thread, run, report];
  return [...fifth, ...fifth, ...fifth, faq, faq, faq, notes, report];
}

/** The lag of the event loop since the last call, in milliseconds. */
async function lagOf({ port }: DemoServer): Promise<number> {
  const headers = { authorization: `Bearer ${metricsToken}` };
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers });
  const text = await answer.text();
  const reported = Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(text)?.[1]) * 1_000;
  return Math.max(0, reported - lookMilliseconds);
}
