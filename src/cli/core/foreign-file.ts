// Synchronous on purpose: the file of a project is tiny, and the asynchronous half of node:fs is slow to load.
import { closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { systemReason } from "../../words/system-reason.ts";
import { usageError } from "./cli-error.ts";

/** The bytes of a file, or in words why it was not read. */
export type ForeignFile = { readonly bytes: Buffer } | { readonly fault: string; readonly code?: string };

/**
 * Reads a file of a folder that a stranger may have filled. Such a file may be a pipe that never has a writer, a link to a
 * device without an end, or huge: only an ordinary file is read, and only `most` bytes of it. Undefined without the file.
 */
export function readForeign(path: string, most: number): ForeignFile | undefined {
  try {
    const found = statSync(path);
    if (!found.isFile()) return { fault: "is no file" };
    return found.size > most ? tooLarge(most) : readAll(path, most);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "EIO";
    return code === "ENOENT" || code === "ENOTDIR"
      ? undefined
      : { fault: `cannot be read (${systemReason(error)})`, code };
  }
}

/** Its text; undefined without the file. Throws a usage error, in which the file is called `shown`, if it is not read. */
export function readForeignText(path: string, shown: string, most: number): string | undefined {
  const read = readForeign(path, most);
  if (read && "fault" in read) throw usageError(`${shown} ${read.fault}.`);
  return read?.bytes.toString("utf8");
}

/** A file of /proc has no size, and another one may have grown or become a pipe. */
function readAll(path: string, most: number): ForeignFile {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const pieces: Buffer[] = [];
    for (let size = 0; size <= most; ) {
      const piece = Buffer.allocUnsafe(Math.min(65_536, most + 1 - size));
      const length = readSync(file, piece, 0, piece.length, null);
      if (length === 0) return { bytes: Buffer.concat(pieces) };
      pieces.push(piece.subarray(0, length));
      size += length;
    }
    return tooLarge(most);
  } finally {
    closeSync(file);
  }
}

const tooLarge = (most: number): ForeignFile => ({
  fault: `is larger than ${most >= 1_048_576 ? `${most / 1_048_576} MiB` : `${most / 1_024} KiB`}`,
});
