import { setTimeout as sleep } from "node:timers/promises";
import { isTooLong, longLog } from "../database/sqlite.ts";
import {
  addStatistics,
  cancelMaking,
  type Making,
  makingOf,
  tablesWithoutStatistics,
} from "../database/statistics.ts";
import type { Deps } from "../deps.ts";
import { indexNext } from "../feedback/search/store/indexing.ts";
import { startJob } from "./runner.ts";

/** Starts the jobs that keep the database fast. Returns the function that stops them. */
export function startDatabaseCare(deps: Pick<Deps, "database" | "log" | "settings">): () => Promise<void> {
  const stops = [startIndexing(deps), startStatistics(deps), startWatchingLog(deps)];
  return async () => {
    for (const stop of stops) await stop();
  };
}

const indexingPauseMilliseconds = 1_000;

/** The pause after a batch, as a multiple of the time of the batch. It keeps requests fast. */
const restShare = 9;

/** Indexes new and changed threads every second, so that a search has few threads left to index. */
function startIndexing(deps: Pick<Deps, "database" | "log">): () => Promise<void> {
  return startJob(deps, {
    async run(stopping) {
      while (!stopping.aborted && (await indexBatch(deps, stopping)));
    },
    pause: () => indexingPauseMilliseconds,
    failure: "indexing failed",
    severity: "warn",
  });
}

async function indexBatch(
  { database, log }: Pick<Deps, "database" | "log">,
  stopping: AbortSignal,
): Promise<boolean> {
  const began = performance.now();
  const more = await indexNext(database, log);
  const rest = restShare * (performance.now() - began);
  if (more) await sleep(rest, undefined, { signal: stopping }).catch(() => undefined);
  return more;
}

const statisticsPauseMilliseconds = 10_000;

/**
 * The pause before a cancellation is repeated. The repetition is needed, because a cancellation between two
 * statements has no effect.
 */
const cancelAgainMilliseconds = 50;

/** Creates missing statistics of large tables on PostgreSQL. Returns the function that stops this job. */
export function startStatistics(deps: Pick<Deps, "database" | "log">): () => Promise<void> {
  const { database } = deps;
  if (database.engine !== "postgres") return async () => {};
  // Each table is handled once, because some tables never get statistics, such as empty tables.
  const work: Work = { done: new Set(), stopped: false, making: undefined };
  const stop = startJob(deps, {
    async run() {
      while (!work.stopped && (await makeNext(database, work)));
    },
    pause: () => statisticsPauseMilliseconds,
    failure: "statistics of the database could not be created",
    severity: "warn",
  });
  return async () => {
    work.stopped = true;
    let ended = false;
    const end = stop().then(() => {
      ended = true;
    });
    while (!ended) await Promise.race([end, cancel(database, work)]);
  };
}

interface Work {
  /** The names of the tables that were read for statistics. */
  readonly done: Set<string>;
  stopped: boolean;
  /** The running transaction that creates statistics; undefined if there is none. */
  making: Making | undefined;
}

async function cancel(database: Deps["database"], { making }: Work): Promise<void> {
  // An error is ignored, because the transaction `making` ends by itself, or with the process.
  if (making) await cancelMaking(database, making).catch(() => undefined);
  await sleep(cancelAgainMilliseconds, undefined, { ref: false });
}

/** Creates the statistics of the next table without statistics. Returns false if there is no such table. */
async function makeNext(database: Deps["database"], work: Work): Promise<boolean> {
  const missing = await tablesWithoutStatistics(database);
  if (work.stopped || missing.every((table) => work.done.has(table))) return false;
  try {
    const made = await database.write(async (tx) => {
      work.making = await makingOf(tx);
      return addStatistics(tx, work.done);
    }, "long");
    if (made !== undefined) work.done.add(made);
    return made !== undefined;
  } finally {
    work.making = undefined;
  }
}

const watchMilliseconds = 60_000;

/**
 * With Litestream, logs a warning if SQLite's write-ahead log is too long. Returns a function that stops the
 * watch.
 */
export function startWatchingLog({ database, log, settings }: LogWatchDeps): () => Promise<void> {
  const { logBytes } = database;
  if (!settings.litestream || !logBytes) return async () => {};
  return startJob(
    { database, log },
    {
      async run() {
        if (isTooLong(await logBytes())) log.warn(longLog);
      },
      pause: () => watchMilliseconds,
      firstAfter: watchMilliseconds,
      failure: "the log of SQLite could not be watched",
      severity: "warn",
    },
  );
}

type LogWatchDeps = Pick<Deps, "log"> & {
  readonly database: Pick<Deps["database"], "logBytes" | "onSignal">;
  readonly settings: Pick<Deps["settings"], "litestream">;
};
