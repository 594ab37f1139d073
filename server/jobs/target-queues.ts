import { setMaxListeners } from "node:events";
import { everyTopic } from "../database/signals.ts";
import type { Deps } from "../deps.ts";
import { startJob } from "./runner.ts";

/** Work for several targets, such as receivers on the network. Each target has its own queue. */
export interface TargetWork {
  /** The topic that signals new work. */
  readonly topic: string;
  /** Returns targets with due work that are not in `busy`, at most `most`. */
  readonly dueTargets: (busy: readonly string[], most: number) => Promise<readonly string[]>;
  /** Does a part of the due work for one target. It must end early when `stopping` aborts. */
  readonly serve: (target: string, stopping: AbortSignal) => Promise<void>;
  /** Returns the milliseconds until work of a target that is not in `busy` can become due. */
  readonly pause: (busy: readonly string[]) => Promise<number>;
  /** The message in the log if something fails. */
  readonly failure: string;
}

type QueueDeps = Pick<Deps, "log"> & { readonly database: Pick<Deps["database"], "onSignal"> };

/** How many targets are served at the same time. */
const mostTargets = 256;

/**
 * Starts a job that does work when it becomes due. It serves many targets at the same time, so a target that does not
 * answer delays no other one. Returns the function that stops it, and waits for running work. (rule O27)
 */
export function startTargetQueues({ database, log }: QueueDeps, work: TargetWork): () => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  // The number of listeners has no limit, because each running post adds one.
  setMaxListeners(0, stopping.signal);
  let wake = () => {};
  // The job checks for due work again when a target is free.
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
