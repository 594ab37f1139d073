import type { Identity } from "../secrets/age.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { type ArchiveEntry, findEntries, type OnFault } from "./find-entries.ts";
import { openArchiveFile } from "./open-archive-file.ts";

const chunkSize = 262_144;

export interface Archive {
  readonly entries: readonly ArchiveEntry[];
  read(entry: ArchiveEntry): AsyncIterable<Buffer>;
  readText(entry: ArchiveEntry): Promise<string>;
  close(): Promise<void>;
}

/** Stops at the first fault. */
function stop(fault: string): never {
  throw new Error(fault);
}

/**
 * Opens an archive that `createArchive` wrote, encrypted or not. Throws an Error with a message if it is not an archive or is
 * incomplete.
 */
export async function openArchive(path: string, options: OpenOptions = {}): Promise<Archive> {
  return archiveIn(await openArchiveFile(path, options.identities), options.onFault);
}

export interface OpenOptions {
  /** The keys that an encrypted archive is read with. */
  readonly identities?: readonly Identity[] | undefined;
  readonly onFault?: OnFault;
}

/** The archive in an open file, which is closed with the archive, or if it is none. Throws like `openArchive`. */
export async function archiveIn(file: ArchiveFile, onFault: OnFault = stop): Promise<Archive> {
  const read = (entry: ArchiveEntry) => readEntry(file, entry);
  try {
    return {
      entries: await findEntries(file, onFault),
      read,
      async readText(entry) {
        const chunks: Buffer[] = [];
        for await (const chunk of read(entry)) chunks.push(chunk);
        return Buffer.concat(chunks).toString();
      },
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* readEntry(file: ArchiveFile, { name, at, size }: ArchiveEntry): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const length = Math.min(chunkSize, size - done);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, at + done);
    if (bytesRead === 0) throw new Error(`The backup is incomplete: it ends within ${name}.`);
    yield buffer.subarray(0, bytesRead);
    done += bytesRead;
  }
}
