import { setMaxListeners } from "node:events";
import { everyTopic } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";

/** Work for several targets, such as receivers on the network. Each target has its own queue. */
interface TargetWork {
  /** The topic that signals new work. */
  readonly topic: string;
  /** Returns up to `most` targets that have due work and are not in `busy`. */
  readonly dueTargets: (busy: readonly string[], most: number) => Promise<readonly string[]>;
  /** Does a part of the due work for one target. It must end early when `stopping` aborts. */
  readonly serve: (target: string, stopping: AbortSignal) => Promise<void>;
  /** Returns the milliseconds until a target that is not in `busy` can have due work. */
  readonly pause: (busy: readonly string[]) => Promise<number>;
  /** The log message for a failure of `serve` or of the job. */
  readonly failure: string;
}

type QueueDeps = Pick<Deps, "log"> & { readonly database: Pick<Deps["database"], "onSignal"> };

/** How many targets are served at the same time. */
const mostTargets = 256;

/**
 * Starts a job for due work. A slow target delays no other target. Returns the function that stops the job.
 * (rule O27)
 */
export function startTargetQueues({ database, log }: QueueDeps, work: TargetWork): () => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  // Each running `serve` may add a listener, and Node.js would warn of many listeners.
  setMaxListeners(0, stopping.signal);
  let wake = () => {};
  // When `serve` has ended for a target, `wake` makes the job look for due work again.
  const signals = {
    onSignal(hear: (topic: string) => void) {
      wake = () => hear(work.topic);
      return database.onSignal(hear);
    },
  };
  const busy = () => [...running.keys()];
  const serve = (target: string) => {
    const done = work
      .serve(target, stopping.signal)
      .catch((error) => {
        if (!stopping.signal.aborted) log.error({ err: error }, work.failure);
      })
      .finally(() => {
        running.delete(target);
        wake();
      });
    running.set(target, done);
  };
  const stop = startJob(
    { database: signals, log },
    {
      async run(stopped) {
        const most = mostTargets - running.size;
        if (stopped.aborted || most <= 0) return;
        for (const target of await work.dueTargets(busy(), most)) serve(target);
      },
      pause: () => work.pause(busy()),
      isWokenBy: (topic) => topic === work.topic || topic === everyTopic,
      failure: work.failure,
      severity: "error",
    },
  );
  return async () => {
    const stopped = stop();
    stopping.abort();
    await stopped;
    await Promise.all(running.values());
  };
}

export interface Job {
  /** Does the due work. A long run ends early when `stopping` aborts. */
  readonly run: (stopping: AbortSignal) => Promise<void>;
  /** Returns the milliseconds until the next run. */
  readonly pause: (hasFailed: boolean) => number | Promise<number>;
  /** The milliseconds until the first run; 0 by default. */
  readonly firstAfter?: number;
  /** Returns whether a signal of the database with this topic starts a run immediately. */
  readonly isWokenBy?: (topic: string) => boolean;
  /** The message in the log if a run fails, and its level. */
  readonly failure: string;
  readonly severity: "warn" | "error";
}

type JobDeps = Pick<Deps, "log"> & { readonly database: Pick<Deps["database"], "onSignal"> };

/** The maximum pause of a job, in milliseconds. */
export const longestSleep = 60_000;

/** The pause of a job while the server's clock may be wrong, in milliseconds. */
export const pauseInDoubt = 1_000;

/** Runs a job repeatedly, also after failures. Returns the function that stops the job and waits for it. */
export function startJob({ database, log }: JobDeps, job: Job): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    if (signal.aborted) return;
    clearTimeout(timer);
    let hasFailed = false;
    try {
      await job.run(signal);
    } catch (error) {
      hasFailed = true;
      if (!signal.aborted) log[job.severity]({ err: error }, job.failure);
    }
    const pause = await Promise.resolve(hasFailed)
      .then(job.pause)
      .catch(() => longestSleep);
    if (!signal.aborted) runAfter(pause);
  };
  const wake = () => {
    running = running.then(run);
  };
  const runAfter = (milliseconds: number) => {
    timer = setTimeout(wake, milliseconds).unref();
  };

  const { isWokenBy, firstAfter } = job;
  const unsubscribe = isWokenBy && database.onSignal((topic) => isWokenBy(topic) && wake());
  if (firstAfter === undefined) running = run();
  else runAfter(firstAfter);
  return async () => {
    stopping.abort();
    clearTimeout(timer);
    unsubscribe?.();
    await running;
  };
}

/** Work that becomes due at a certain time, or when the database signals its topic. */
interface DueWork {
  readonly topic: string;
  /** Does a part of the due work. Returns how many items it did; 0 if none is due. */
  readonly doDue: () => Promise<number>;
  /** Returns the milliseconds until the next item can become due. */
  readonly pause: () => Promise<number>;
  /** The message in the log if `doDue` fails. */
  readonly failure: string;
}

/** Starts a job that does work when it becomes due. Returns the function that stops the job. */
export const startDueWork = (
  deps: JobDeps,
  { topic, doDue, pause, failure }: DueWork,
): (() => Promise<void>) =>
  startJob(deps, {
    async run(stopping) {
      while (!stopping.aborted && (await doDue()) > 0);
    },
    pause,
    isWokenBy: (signalled) => signalled === topic || signalled === everyTopic,
    failure,
    severity: "error",
  });
