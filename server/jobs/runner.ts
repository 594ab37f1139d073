import { everyTopic } from "../database/signals.ts";
import type { Deps } from "../deps.ts";

/** A piece of background work. */
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

/**
 * Runs a job repeatedly, with a pause between two runs, until it is stopped. A failure is logged, and the job
 * continues. Returns the function that stops the job and waits for the end of the present run.
 */
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

/** Work that becomes due at a certain time, or after a signal of the database with a topic. */
export interface DueWork {
  readonly topic: string;
  /** Does a part of the due work. Returns the number of its items; 0 if nothing is left. */
  readonly doDue: () => Promise<number>;
  /** Returns the milliseconds until the next item can become due. */
  readonly pause: () => Promise<number>;
  /** The message in the log if `doDue` fails. */
  readonly failure: string;
}

/** Starts a job that does work when it becomes due. Returns the function that stops it. */
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
