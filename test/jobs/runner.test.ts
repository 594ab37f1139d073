import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type Job, startJob } from "../../server/jobs/runner.ts";
import { createLog } from "../../server/log.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Starts a job with a pause of a minute. Returns how to stop it and to signal, and what it has logged. */
function start(job: Partial<Job> & Pick<Job, "run">) {
  const logged: string[] = [];
  const listeners = new Set<(topic: string) => void>();
  const stop = startJob(
    {
      database: {
        onSignal(listener) {
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
      },
      log: createLog("info", { write: (line: string) => logged.push(JSON.parse(line).msg) }),
    },
    { pause: () => 60_000, failure: "the job failed", severity: "warn", ...job },
  );
  onTestFinished(stop);
  const signal = (topic: string) => {
    for (const listener of listeners) listener(topic);
  };
  return { stop, signal, logged, listeners };
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

it("a job runs immediately, and again after each pause", async () => {
  const run = vi.fn(async () => {});
  start({ run });
  await pass(0);
  expect(run).toHaveBeenCalledTimes(1);
  await pass(120_000);
  expect(run).toHaveBeenCalledTimes(3);
});

it("a job with a first pause runs only after this pause", async () => {
  const run = vi.fn(async () => {});
  start({ run, firstAfter: 10_000 });
  await pass(9_999);
  expect(run).not.toHaveBeenCalled();
  await pass(1);
  expect(run).toHaveBeenCalledTimes(1);
});

it("a run that fails is logged, and the next run begins after the pause for a failure", async () => {
  const run = vi.fn(() => Promise.reject(new Error("disk")));
  const { logged } = start({ run, pause: (hasFailed) => (hasFailed ? 5_000 : 60_000) });
  await pass(5_000);
  expect(run).toHaveBeenCalledTimes(2);
  expect(logged).toEqual(["the job failed", "the job failed"]);
});

it("a pause lasts one minute if the function that computes it fails", async () => {
  const run = vi.fn(async () => {});
  start({ run, pause: () => Promise.reject(new Error("no database")) });
  await pass(60_000);
  expect(run).toHaveBeenCalledTimes(2);
});

it("a signal starts a run immediately, and the pause begins again", async () => {
  const run = vi.fn(async () => {});
  const { signal } = start({ run, isWokenBy: (topic) => topic === "mail" });
  await pass(30_000);
  signal("other");
  await pass(0);
  expect(run).toHaveBeenCalledTimes(1);
  signal("mail");
  await pass(59_999);
  expect(run).toHaveBeenCalledTimes(2);
  await pass(1);
  expect(run).toHaveBeenCalledTimes(3);
});

it("a stop ends the present run and waits for it, and no run begins afterwards", async () => {
  let begun = 0;
  const run = async (stopping: AbortSignal) => {
    begun += 1;
    await new Promise((resolve) => stopping.addEventListener("abort", resolve, { once: true }));
    throw new Error("stopped");
  };
  const { stop, signal, logged, listeners } = start({ run, isWokenBy: () => true });
  await pass(0);
  await stop();
  signal("any");
  await pass(120_000);
  expect({ begun, logged, listeners: listeners.size }).toEqual({ begun: 1, logged: [], listeners: 0 });
});
