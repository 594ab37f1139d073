import { setTimeout as sleep } from "node:timers/promises";
import {
  addStatistics,
  cancelMaking,
  type Making,
  makingOf,
  tablesWithoutStatistics,
} from "../database/statistics.ts";
import type { Deps } from "../deps.ts";

const pauseMilliseconds = 10_000;
/** A cancellation that arrives between two statements ends neither, so it is repeated. */
const cancelAgainMilliseconds = 50;

type Needed = Pick<Deps, "database" | "log">;

/**
 * On PostgreSQL, makes the statistics of large tables that have none, at the start and every ten seconds: after an import, a
 * restore or a new index. Gives the function that stops it: it does not wait for statistics that are just made, but cancels them.
 */
export function startStatistics({ database, log }: Needed): () => Promise<void> {
  // A table may stay without statistics, for example if all its rows were deleted. It is not read again and again.
  const work: Work = { done: new Set(), stopped: false, making: undefined };
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    try {
      while (!work.stopped && (await makeNext(database, work)));
    } catch (error) {
      if (!work.stopped) log.warn({ err: error }, "statistics of the database could not be made");
    }
    if (!work.stopped) timer = setTimeout(begin, pauseMilliseconds).unref();
  };
  const begin = () => {
    running = run();
  };
  if (database.engine === "postgres") begin();
  return async () => {
    work.stopped = true;
    clearTimeout(timer);
    let ended = false;
    const end = running.then(() => {
      ended = true;
    });
    while (!ended) await Promise.race([end, cancel(database, work)]);
  };
}

interface Work {
  /** The tables that were read. */
  readonly done: Set<string>;
  stopped: boolean;
  /** The transaction that makes statistics just now. */
  making: Making | undefined;
}

async function cancel(database: Deps["database"], { making }: Work): Promise<void> {
  // If it fails, the database ends the transaction itself, or the process ends after its time.
  if (making) await cancelMaking(database, making).catch(() => undefined);
  await sleep(cancelAgainMilliseconds, undefined, { ref: false });
}

/** Makes the statistics of the next table. Gives whether there was one. */
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
