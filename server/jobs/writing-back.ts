import { isTooLong, longLog } from "../database/sqlite/copied-log.ts";
import type { Deps } from "../deps.ts";

const pauseMilliseconds = 200;
/** After a failure, and while another transaction keeps the whole log. */
const heldPauseMilliseconds = 1_000;
/** While Litestream writes the log back. */
const watchMilliseconds = 60_000;

/**
 * Keeps the log of SQLite short beside the writes. Gives the function that stops it. Without this, each time the log had grown to 16 MiB a
 * commit took as long as writing all of it into the file. Where Litestream writes the log back, it only warns of a long log.
 */
export function startWritingBack({ database, log }: Pick<Deps, "database" | "log">): () => Promise<void> {
  const writeLog = database.log;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();

  const run = async () => {
    const state = await writeLog?.keepShort().catch((error: unknown) => {
      log.warn({ err: error }, "the log of the database could not be written back");
      return "held" as const;
    });
    if (state === "left" && isTooLong((await writeLog?.bytes()) ?? 0)) log.warn(longLog);
    if (!stopped) timer = setTimeout(begin, pauses[state ?? "short"]).unref();
  };
  const begin = () => {
    running = run();
  };
  if (writeLog) begin();
  return async () => {
    stopped = true;
    clearTimeout(timer);
    await running;
  };
}

const pauses = {
  short: pauseMilliseconds,
  written: pauseMilliseconds,
  partly: pauseMilliseconds,
  held: heldPauseMilliseconds,
  left: watchMilliseconds,
};
