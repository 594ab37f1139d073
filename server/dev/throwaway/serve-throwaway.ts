import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { serve } from "../../main.ts";
import type { Environment } from "../../settings/settings.ts";
import { dataOf, makeFolder, removeOldFolders } from "./folder.ts";
import { endTree } from "./process-tree.ts";

export interface ThrowawayOptions {
  /** A file that the server is filled from. */
  readonly seed?: string;
  /** Keeps the folder. */
  readonly keep?: boolean;
}

export interface ThrowawayWorld {
  readonly environment: Environment;
  /** Ends when the program that started this one is gone. Its lines name processes to end then. */
  readonly input: Readable;
  readonly out: (line: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Serves in a folder of its own until the program that started this process is gone. Then ends the processes that it
 * was told to guard, and removes the folder. Writes one line with the addresses, or with the reason why it failed.
 */
export async function serveThrowaway(
  { seed, keep = false }: ThrowawayOptions,
  { environment, input, out, err }: ThrowawayWorld,
): Promise<number> {
  const folder = await makeFolder(keep);
  const stop = new AbortController();
  const ready = (line: string) => {
    out(JSON.stringify({ ...JSON.parse(line), folder }));
    void removeOldFolders();
  };
  const flags = { dev: true, demo: true, local: true, json: true, port: 0, data: dataOf(folder), seed };
  const serving = serve(flags, { environment, out: ready, err, stop: stop.signal });
  const failed = serving.then(
    () => false,
    ({ message, name }: Error) => {
      out(JSON.stringify({ failed: message, name }));
      return true;
    },
  );
  const guarded = await Promise.race([untilAlone(input), failed]);
  if (typeof guarded === "object") for (const processId of guarded) await endTree(processId);
  stop.abort();
  if (keep) await failed;
  // Nothing else runs meanwhile, so that nothing new is written.
  else rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return guarded === true ? 1 : 0;
}

/** Resolves when the input ends, with the ids of the processes that its lines have named. */
async function untilAlone(input: Readable): Promise<number[]> {
  const guarded: number[] = [];
  try {
    for await (const line of createInterface(input)) guarded.push(Number(JSON.parse(line).guard));
  } catch {
    // A pipe that breaks has ended, too.
  }
  return guarded;
}
