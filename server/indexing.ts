import type { Deps } from "./deps.ts";
import { indexThreads } from "./store/search.ts";

const pauseMilliseconds = 1_000;

/** Takes new threads into the search every second, so that a search has little to catch up with. Gives what stops it. */
export function startIndexing({ database, log }: Pick<Deps, "database" | "log">): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    try {
      while (!stopped && (await indexThreads(database)));
    } catch (error) {
      log.warn({ err: error }, "indexing stopped short");
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
