import { randomBytes } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { detectMediaType, signatureBytes } from "../../src/contract/files.ts";
import { FilesUnavailable, type TemporaryFile, type WrittenFile } from "./files.ts";
import { hashFile } from "./hash.ts";
import { keepShown } from "./positions/remove-positions.ts";

/** Opens a new file with an unguessable name in `folder`, readable by its owner only. */
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
      // A file over the limit is refused anyway, and was not written completely.
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

/** Runs a file operation. Throws FilesUnavailable if there is not enough space or there are not enough descriptors. */
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
  return noRoom.has(code) ? new FilesUnavailable(error) : error;
}

const noRoom = new Set<unknown>(["ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE", "EROFS", "EIO"]);

// A disk that becomes full accepts some of the bytes and refuses the others at the next call.
function writeAll(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length)
    written += orUnavailable(() => writeSync(descriptor, bytes, written, bytes.length - written));
}
