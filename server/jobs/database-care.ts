import type { Deps } from "../deps.ts";
import { startIndexing } from "./indexing.ts";
import { startStatistics } from "./statistics.ts";
import { startWritingBack } from "./writing-back.ts";

/** Starts the work that keeps the database fast: the search index, its statistics, its log. Gives the function that stops it. */
export function startDatabaseCare(deps: Pick<Deps, "clock" | "database" | "log">): () => Promise<void> {
  const stops = [startIndexing(deps), startStatistics(deps), startWritingBack(deps)];
  return async () => {
    for (const stop of stops) await stop();
  };
}
