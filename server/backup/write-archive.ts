import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { hashOfStream } from "../files/hash.ts";
import { blockSize, paddingOf, tarHeader } from "../files/tar.ts";
import { encryptStream, type Recipient } from "../secrets/age.ts";

export const manifestName = "manifest.sha256";

/**
 * Writes an archive: a tar file whose last entry lists the SHA-256 of all other entries in the format of `sha256sum -c`.
 */
export interface ArchiveWriter {
  /**
   * Adds a file of exactly `size` bytes and returns its SHA-256. If the SHA-256 is not the wanted one, or the file has another
   * size, adds nothing and gives undefined. If it rejects, nothing was added either.
   */
  add(name: string, bytes: SizedStream, wanted?: string): Promise<string | undefined>;
  addText(name: string, text: string): Promise<void>;
  /** Makes the archive complete and durable. */
  finish(): Promise<void>;
  /** Deletes the archive. */
  abandon(): Promise<void>;
}

interface SizedStream {
  readonly size: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Begins an archive. Overwrites the unfinished archive of a killed backup, so only one process may write it at a time. */
export async function createArchive(draft: string): Promise<ArchiveWriter> {
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  const lines: string[] = [];
  let end = 0;

  async function add(
    name: string,
    { size, chunks }: SizedStream,
    wanted?: string,
  ): Promise<string | undefined> {
    const body = end + blockSize;
    await writeAt(handle, body - blockSize, tarHeader(name, size));
    const sha256 = await writeExactly(handle, body, { size, chunks });
    if (wanted !== undefined && wanted !== sha256) return undefined;
    await writeAt(handle, body + size, Buffer.alloc(paddingOf(size)));
    end = body + size + paddingOf(size);
    lines.push(`${sha256}  ${name}\n`);
    return sha256;
  }

  async function addText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    await add(name, { size: bytes.length, chunks: inOneChunk(bytes) });
  }

  return {
    add,
    addText,
    async finish() {
      await addText(manifestName, lines.join(""));
      await writeAt(handle, end, Buffer.alloc(2 * blockSize));
      await handle.truncate(end + 2 * blockSize);
      await handle.sync();
      await handle.close();
    },
    async abandon() {
      await handle.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

async function writeExactly(
  handle: FileHandle,
  from: number,
  { size, chunks }: SizedStream,
): Promise<string> {
  const hash = createHash("sha256");
  let written = 0;
  for await (const chunk of chunks) {
    await writeAt(handle, from + written, chunk);
    hash.update(chunk);
    written += chunk.length;
  }
  // This text differs from every wanted SHA-256.
  return written === size ? hash.digest("hex") : `${written} bytes instead of ${size}`;
}

async function writeAt(handle: FileHandle, position: number, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The name of a file until it is complete. */
export const draftOf = (file: string): string => `${file}.partial`;

/** Renames a complete draft to its name, durably. */
export async function publishDraft(file: string): Promise<void> {
  await rename(draftOf(file), file);
  if (process.platform === "win32") return;
  const folder = await open(dirname(resolve(file)), "r");
  await folder.sync().finally(() => folder.close());
}

/**
 * Encrypts a file into the draft of another one, and reads the draft again. Throws an Error if it does not hold what was
 * written.
 */
export async function encryptInto(
  file: string,
  plain: string,
  recipients: readonly Recipient[],
): Promise<void> {
  const draft = draftOf(file);
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  const hash = createHash("sha256");
  try {
    for await (const chunk of encryptStream(createReadStream(plain), recipients)) {
      await handle.writeFile(chunk);
      hash.update(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if ((await hashOfStream(createReadStream(draft))) === hash.digest("hex")) return;
  throw new Error(`${draft} does not hold what was written into it.`);
}
