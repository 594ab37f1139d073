import { rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { systemReason } from "../../src/words/system-reason.ts";
import { serve } from "../main.ts";
import type { Environment } from "../settings/settings.ts";
import { dataOf, makeFolder, removeOldFolders } from "./folder.ts";
import { endTree } from "./process-tree.ts";

interface ThrowawayOptions {
  /** A file that the server is filled from, or its content. */
  readonly seed?: string | object;
  /** Keeps the folder. */
  readonly keep?: boolean;
}

export interface ThrowawayWorld {
  readonly environment: Environment;
  /**
   * Ends when the program that started this one is gone. The first line holds the options as JSON, later lines name
   * processes to end then.
   */
  readonly input: Readable;
  readonly out: (line: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Serves in a folder of its own until the program that started this process is gone. Then ends the processes that it
 * must guard, and removes the folder. Writes one line with the addresses, or with the reason why it failed.
 */
export async function serveThrowaway({ environment, input, out, err }: ThrowawayWorld): Promise<number> {
  const lines = createInterface(input)[Symbol.asyncIterator]();
  const first = await lines.next();
  if (first.done) return 0;
  const { seed, keep = false }: ThrowawayOptions = JSON.parse(first.value);
  const folder = await makeFolder(keep).catch((error) => {
    out(JSON.stringify({ failed: noFolder(error), name: "SettingError" }));
  });
  if (folder === undefined) return 1;
  const stop = new AbortController();
  const ready = (line: string) => {
    out(JSON.stringify({ ...JSON.parse(line), folder }));
    void removeOldFolders();
  };
  const flags = { dev: true, demo: true, local: true, json: true, port: 0, data: dataOf(folder) };
  const serving = seedFile(folder, seed).then((file) =>
    serve({ ...flags, seed: file }, { environment, out: ready, err, stop: stop.signal }),
  );
  const failed = serving.then(
    () => false,
    ({ message, name }: Error) => {
      out(JSON.stringify({ failed: message, name }));
      return true;
    },
  );
  const guarded = await Promise.race([untilAlone(lines), failed]);
  if (typeof guarded === "object") for (const processId of guarded) await endTree(processId);
  stop.abort();
  if (keep) await failed;
  else removeFolder(folder);
  return guarded === true ? 1 : 0;
}

/**
 * Removes a folder while this thread does nothing else. A thread of the database may still write a file into it: then it
 * is tried again. Not every Node.js does what `maxRetries` asks for.
 */
function removeFolder(folder: string): void {
  for (let tries = 1; ; tries++) {
    try {
      rmSync(folder, { recursive: true, force: true });
      return;
    } catch (error) {
      if (tries === 50) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

const noFolder = (cause: unknown): string =>
  `No folder can be made in ${tmpdir()} (${systemReason(cause)}). Set TMPDIR to a folder that can be written.`;

/** The file of a seed. A content is written into one. */
async function seedFile(folder: string, seed: string | object | undefined): Promise<string | undefined> {
  if (typeof seed !== "object") return seed;
  const file = join(folder, "seed.json");
  await writeFile(file, JSON.stringify(seed), { mode: 0o600 });
  return file;
}

/** Resolves when there are no more lines, with the ids of the processes that they have named. */
async function untilAlone(lines: AsyncIterator<string, undefined>): Promise<number[]> {
  const guarded: number[] = [];
  try {
    for (let line = await lines.next(); !line.done; line = await lines.next())
      guarded.push(Number(JSON.parse(line.value).guard));
  } catch {
    // A pipe that breaks has ended, too.
  }
  return guarded;
}
