import { everyTopic } from "../database/signals.ts";
import type { Deps } from "../deps.ts";

/** A piece of background work. */
export interface Job {
  /** Does what is due. A long work ends early once `stopping` aborts. */
  readonly run: (stopping: AbortSignal) => Promise<void>;
  /** The milliseconds until the next run. */
  readonly pause: (hasFailed: boolean) => number | Promise<number>;
  /** The milliseconds until the first run. The job runs at once without it. */
  readonly firstAfter?: number;
  /** Whether a signal of the database starts a run at once. */
  readonly isWokenBy?: (topic: string) => boolean;
  /** What the log says if a run fails, and how grave that is. */
  readonly failure: string;
  readonly severity: "warn" | "error";
}

type JobDeps = Pick<Deps, "log"> & { readonly database: Pick<Deps["database"], "onSignal"> };

/** How long a job sleeps at most, in milliseconds. */
export const longestSleep = 60_000;
/** How long a job sleeps while the time is in doubt, in milliseconds. */
export const pauseInDoubt = 1_000;

/**
 * Runs a job until it is stopped: one run after the other, with a pause between them. A failure is logged, and the job
 * goes on. Returns the function that stops the job and waits for the run that is under way.
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

/** Work that becomes due at a time, or when a topic is signalled. */
export interface DueWork {
  readonly topic: string;
  /** Does a part of what is due. Returns how much that was; 0 if nothing is left. */
  readonly doDue: () => Promise<number>;
  /** The milliseconds until something can become due by itself. */
  readonly pause: () => Promise<number>;
  /** What the log says if `doDue` fails. */
  readonly failure: string;
}

/** Starts a job that does work as it becomes due. Returns the function that stops it. */
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
