import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";
import { indexNext } from "../feedback/search/store/search.ts";

const pauseMilliseconds = 1_000;
/** The pause after a batch, as a multiple of the time that the batch took: requests have priority. */
const restShare = 9;

/**
 * Adds new threads to the search index every second, so that a search has little left to index. Gives the function that
 * stops it.
 */
export function startIndexing({ database, log }: Pick<Deps, "database" | "log">): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    try {
      while (!stopped && (await indexBatch(database)));
    } catch (error) {
      log.warn({ err: error }, "indexing failed");
    }
    if (!stopped) timer = setTimeout(begin, pauseMilliseconds).unref();
  };
  const begin = () => {
    running = run();
  };
  if (database.engine === "sqlite") begin();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}

async function indexBatch(database: Deps["database"]): Promise<boolean> {
  const began = performance.now();
  const more = await indexNext(database);
  if (more) await sleep(restShare * (performance.now() - began));
  return more;
}
