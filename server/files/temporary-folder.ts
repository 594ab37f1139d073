import { mkdirSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ReceivedFile } from "../../src/contract/received-file.ts";
import { systemClock } from "../clock.ts";
import type { Files } from "./files.ts";
import { createTemporaryFile } from "./temporary-files.ts";

export const privateFolder = { recursive: true, mode: 0o700 } as const;

/** A folder of temporary files. */
export interface TemporaryFolder {
  readonly files: Pick<Files, "createTemporary" | "dropTemporary" | "sweepTemporary">;
  /**
   * Whether the file must still be kept. Gives false if that was done before, which `keptSize` shows. Throws if the file is
   * not in this folder, or not complete.
   */
  isNew(received: ReceivedFile, keptSize: () => Promise<number | undefined>): Promise<boolean>;
}

/** Creates the folder unless it exists. Only its owner can read it. */
export function createTemporaryFolder(folder: string): TemporaryFolder {
  mkdirSync(folder, privateFolder);
  return {
    files: {
      createTemporary: (limit) => createTemporaryFile(folder, limit),
      dropTemporary: (paths) => dropAll(paths.filter((path) => dirname(path) === folder)),
      sweepTemporary: () => sweep(folder),
    },
    async isNew(received, keptSize) {
      if (dirname(received.path) !== folder) throw new Error("Not a temporary file of this folder");
      const size = await sizeOf(received.path);
      if (size === undefined && (await keptSize()) === received.size) return false;
      if (size !== received.size) throw new Error("The temporary file is gone or incomplete");
      return true;
    },
  };
}

async function sweep(folder: string): Promise<void> {
  const names = await readdir(folder);
  await dropAll(await oldOf(names.map((name) => join(folder, name))));
}

async function dropAll(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
}

/** The files that were not written within the last hour. */
export async function oldOf(paths: readonly string[]): Promise<string[]> {
  const changes = await Promise.all(paths.map((path) => changedAt(path)));
  const before = settledBefore();
  return paths.filter((_, at) => (changes[at] ?? before) < before);
}

const abandonedAfterMs = 3_600_000;

/**
 * Files that were last written before this time belong to no request any more. File systems and stores use the real time, so
 * the movable clock of a development server is not used here.
 */
export const settledBefore = (): number => systemClock.now().getTime() - abandonedAfterMs;

/** The size of a file in bytes; undefined if it does not exist. */
export async function sizeOf(path: string): Promise<number | undefined> {
  return (await statOf(path))?.size;
}

async function changedAt(path: string): Promise<number | undefined> {
  return (await statOf(path))?.mtimeMs;
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
