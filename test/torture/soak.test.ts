import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { type LoadTarget, load } from "../bench/load.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeepServe } from "../support/programs/built-program.ts";
import { rounds } from "../support/torture.ts";

/** Half an hour in the long form, or as long as INNKEEP_SOAK_MINUTES says: eight hours are 480. */
const minutes = Number(process.env.INNKEEP_SOAK_MINUTES ?? rounds(0.1, 30));
const sliceMilliseconds = 500;

const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

interface Ready {
  readonly baseUrl: string;
  readonly demo: { readonly apiKey: string; readonly agentToken: string; readonly threadId: string };
}

function mixOf({ baseUrl, demo }: Ready): LoadTarget[] {
  const port = Number(new URL(baseUrl).port);
  const app = { "x-api-key": demo.apiKey };
  const agent = { authorization: `Bearer ${demo.agentToken}` };
  const report = (more: object) => ({
    ...{ port, method: "POST", path: "/api/v1/feedback/remote" },
    headers: { ...app, "Content-Type": "application/json" },
    body: JSON.stringify({ type: "bug", message: "The list is empty after syncing.", ...more }),
  });
  const get = (path: string, headers: Record<string, string>) => ({ port, method: "GET", path, headers });
  return [
    get("/api/v1/faqs/remote", app),
    get("/api/v1/changelog/remote?since=1.0.0", app),
    get(`/api/v1/agent/feedback/${demo.threadId}`, agent),
    get("/api/v1/testing/sdk/session?testKey=stk_unknown", app),
    { ...report({}), most: 200 },
    { ...report({ dedupeKey: "soak" }), most: 50 },
  ];
}

const timeout = (minutes + 3) * 60_000;

it("a long mixed load causes no failed request, and memory and descriptors do not increase", {
  timeout,
}, async () => {
  const { ready, child } = await innkeepServe(["--demo", "--port", "0", "--data", await temporaryFolder()], {
    INNKEEP_RATE_LIMITS: "off",
    INNKEEP_LOG_LEVEL: "warn",
  });
  const pid = child.pid ?? expect.fail("no process");
  const mix = mixOf(ready);
  const held: number[] = [];
  const openBefore = descriptors(pid);
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until) {
    for (const target of mix) {
      const { failures, failure } = await load(target, sliceMilliseconds);
      expect({ path: target.path, failures, failure }).toMatchObject({ failures: 0 });
    }
    held.push(megabytes(pid));
  }
  await expect.poll(() => descriptors(pid)).toBeLessThanOrEqual(openBefore + 2);
  const third = Math.ceil(held.length / 3);
  // The first third is the warm-up.
  const growth = median(held.slice(-third)) - median(held.slice(third, 2 * third));
  const growthPerHour = (growth * 60) / (minutes / 3);
  process.stdout.write(
    `${held.length} rounds; memory ${held.at(-1)?.toFixed(0)} MB, ${growthPerHour.toFixed(1)} MB more an hour\n`,
  );
  // Garbage collection works in steps: only a run of hours separates a trend from one step.
  if (held.length >= 30) expect(growth).toBeLessThan(24);
  if (minutes >= 480) expect(growthPerHour).toBeLessThan(1);
});
