import { randomBytes } from "node:crypto";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { detectMediaType, type ReceivedFile, signatureBytes } from "../../src/contract/files.ts";
import { systemClock } from "../clock.ts";
import { type Files, FilesUnavailable, type TemporaryFile, type WrittenFile } from "./files.ts";
import { hashFile } from "./hash.ts";
import { keepShown } from "./positions/remove-positions.ts";

/** The options of `mkdir` for a folder that only its owner can read. */
export const privateFolder = { recursive: true, mode: 0o700 } as const;

/** The operations on a folder of temporary files. */
export interface TemporaryFolder {
  readonly files: Pick<Files, "createTemporary" | "dropTemporary" | "sweepTemporary">;
  /**
   * Whether the file must still be stored. `keptSize` returns the stored size. Throws an Error for a missing or
   * incomplete file, or a file of another folder.
   */
  isNew(received: ReceivedFile, keptSize: () => Promise<number | undefined>): Promise<boolean>;
}

/** Creates the private folder if it does not exist. Returns the operations on its files. */
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
      if (size !== received.size) throw new Error("The temporary file is missing or incomplete");
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

/** Returns the given files that were not written within the last hour. */
export async function oldOf(paths: readonly string[]): Promise<string[]> {
  const changes = await Promise.all(paths.map((path) => changedAt(path)));
  const before = settledBefore();
  return paths.filter((_, at) => (changes[at] ?? before) < before);
}

const abandonedAfterMs = 3_600_000;

/** Returns the real time minus one hour, in epoch milliseconds. No running request uses older files. */
export const settledBefore = (): number => systemClock.now().getTime() - abandonedAfterMs;

/** Returns the size of a file in bytes; undefined if the file does not exist. */
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

/**
 * Opens a new private file. Counts bytes after `limit` + 1, but does not write them. Throws FilesUnavailable.
 */
export function createTemporaryFile(folder: string, limit: number): TemporaryFile {
  const path = join(folder, randomBytes(24).toString("hex"));
  const descriptor = orUnavailable(() => openSync(path, "wx+", 0o600));
  const head = Buffer.alloc(signatureBytes);
  let size = 0;
  let open = true;

  const close = () => {
    if (!open) return;
    open = false;
    closeSync(descriptor);
  };

  const describe = async (detectedType: string | null): Promise<WrittenFile> => {
    orUnavailable(close);
    return { path, size, sha256: await orUnavailableLater(hashFile(path, size)), detectedType };
  };

  return {
    path,
    write(bytes) {
      if (!open) throw new Error("The temporary file is closed");
      if (size < signatureBytes) head.set(bytes.subarray(0, signatureBytes - size), size);
      if (size <= limit) writeAll(descriptor, bytes.subarray(0, limit + 1 - size));
      size += bytes.length;
    },
    async finish() {
      const shown = detectMediaType(head.subarray(0, size));
      // A file over the limit was not written completely. Other code refuses it later.
      const isWhole =
        shown === null || size > limit || orUnavailable(() => keepShown(descriptor, size, shown));
      return describe(isWhole ? shown : null);
    },
    finishUnchanged: () => describe(detectMediaType(head.subarray(0, size))),
    drop() {
      close();
      rmSync(path, { force: true });
    },
  };
}

/** Runs a file operation. Throws FilesUnavailable for a full, read-only or broken disk, or for too many open files. */
export function orUnavailable<Result>(operation: () => Result): Result {
  try {
    return operation();
  } catch (error) {
    throw unavailableOr(error);
  }
}

/** Waits for a file operation. Rejects with FilesUnavailable in the same cases as `orUnavailable`. */
export async function orUnavailableLater<Result>(operation: Promise<Result>): Promise<Result> {
  try {
    return await operation;
  } catch (error) {
    throw unavailableOr(error);
  }
}

function unavailableOr(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return unavailableCodes.has(code) ? new FilesUnavailable(error) : error;
}

const unavailableCodes = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE", "EROFS", "EIO"]);

// On a full disk, one write may store only a part of the bytes. The next write then throws.
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length)
    written += orUnavailable(() => writeSync(descriptor, bytes, written, bytes.length - written));
}
