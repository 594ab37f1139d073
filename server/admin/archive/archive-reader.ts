import { open } from "node:fs/promises";
import { blockSize, paddingOf, readTarHeader } from "../../files/tar-header.ts";
import { SettingError } from "../../settings/setting-error.ts";
import { manifestName } from "./archive-writer.ts";
import { hashOfStream } from "./hash-of-stream.ts";

const chunkSize = 262_144;

export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  /** Where the bytes of the entry begin. */
  readonly at: number;
}

export interface Archive {
  readonly entries: readonly ArchiveEntry[];
  read(entry: ArchiveEntry): AsyncIterable<Buffer>;
  readText(entry: ArchiveEntry): Promise<string>;
  close(): Promise<void>;
}

/** The file of an archive, such as a FileHandle. */
export interface ArchiveFile {
  read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly buffer: Buffer; readonly bytesRead: number }>;
  stat(): Promise<{ readonly size: number }>;
  close(): Promise<void>;
}

/** Opens an archive that `createArchive` wrote. Throws an Error with a message if it is not an archive or is incomplete. */
export async function openArchive(path: string): Promise<Archive> {
  const handle = await open(path).catch((cause) => {
    throw new SettingError(`${path} cannot be read (${cause.code}).`);
  });
  return archiveIn(handle);
}

/** The archive in an open file, which is closed with the archive, or if it is none. Throws like `openArchive`. */
export async function archiveIn(file: ArchiveFile): Promise<Archive> {
  const read = (entry: ArchiveEntry) => readEntry(file, entry);
  try {
    return {
      entries: await entriesIn(file),
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

async function entriesIn(file: ArchiveFile): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockSize), 0, blockSize, at);
    const header = readTarHeader(buffer.subarray(0, bytesRead));
    if (!header) {
      await assertZeros(file, at + blockSize, blockSize);
      if ((await file.stat()).size === at + 2 * blockSize) return entries;
      throw new Error("The backup is damaged: its length has changed.");
    }
    entries.push({ ...header, at: at + blockSize });
    at += blockSize + header.size;
    await assertZeros(file, at, paddingOf(header.size));
    at += paddingOf(header.size);
  }
}

async function assertZeros(file: ArchiveFile, at: number, length: number): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  if (bytesRead < length || buffer.some((byte) => byte !== 0))
    throw new Error("The file is not a backup, or it is damaged.");
}

/** Compares the whole archive with its manifest. Throws an Error whose message names the first entry that differs. */
export async function verifyArchive(archive: Archive): Promise<void> {
  const last = archive.entries.at(-1);
  if (last?.name !== manifestName) throw new Error("The backup is incomplete: its manifest is missing.");
  const lines = (await archive.readText(last)).split("\n").reverse();
  for (const entry of archive.entries.slice(0, -1)) {
    const sha256 = await hashOfStream(archive.read(entry));
    const named = /^files\/(.+)$/.exec(entry.name)?.[1] ?? sha256;
    if (lines.pop() !== `${sha256}  ${entry.name}` || named !== sha256) throw damaged(entry.name);
  }
  // The last line ends with a line feed, and nothing follows it.
  if (lines.length !== 1 || lines[0] !== "") throw damaged(manifestName);
}

const damaged = (name: string) => new Error(`The backup is damaged: ${name} has changed.`);
