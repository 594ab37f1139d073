import type { Deps } from "../deps.ts";
import { forgetDeletedWords } from "../feedback/search/store/feedback-search-merge.ts";
import { sweepFiles } from "../files/stray-files.ts";
import { deleteExpired } from "./retention.ts";

const dayMilliseconds = 86_400_000;
const pauseMilliseconds = 600_000;

type Needed = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "log" | "newId" | "time">;

/** Cleans up at the start and then once a day. Gives the function that stops it and waits for a running cleanup to end. */
export function startNightly(deps: Needed): () => Promise<void> {
  const stopping = new AbortController();
  let running = Promise.resolve();
  let dueAt = 0;
  const run = () => {
    if (performance.now() < dueAt || deps.time.isDoubtful()) return;
    dueAt = performance.now() + dayMilliseconds;
    running = cleanUp(deps, stopping.signal).catch((error) => {
      if (!stopping.signal.aborted) deps.log.warn({ err: error }, "cleanup failed");
    });
  };
  run();
  const timer = setInterval(run, pauseMilliseconds).unref();
  return async () => {
    clearInterval(timer);
    stopping.abort();
    await running;
  };
}

/**
 * Deletes threads that apps no longer keep, files to which nothing refers, and the words of deleted threads from the search
 * index.
 */
export async function cleanUp(deps: Needed, stopping: AbortSignal): Promise<void> {
  await deleteExpired(deps, stopping);
  const count = await sweepFiles(deps, stopping);
  if (count > 0) deps.log.info({ count }, "deleted files to which nothing refers");
  await forgetDeletedWords(deps.database, stopping);
}
