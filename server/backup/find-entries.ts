import { blockSize, paddingOf, readTarHeader } from "../files/tar.ts";
import { AgeFault } from "../secrets/age-fault.ts";
import { chunkLength } from "../secrets/chunk-cipher.ts";
import type { ArchiveFile } from "./archive-file.ts";

export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  /** Where the bytes of the entry begin. */
  readonly at: number;
}

/** Hears what is wrong with an archive. If it returns, the reader goes on with what it can still read. */
export type OnFault = (fault: string) => void;

/** The entries of an archive in their order. After a fault it looks for the next block that begins an entry. */
export async function findEntries(file: ArchiveFile, onFault: OnFault): Promise<ArchiveEntry[]> {
  const { size } = await file.stat();
  const entries: ArchiveEntry[] = [];
  for (let at = 0; at < size; ) {
    const block = readBlock(await bytesAt(file, at, blockSize));
    if (block === "end") {
      if (!isZero(await bytesAt(file, at + blockSize, blockSize), blockSize)) onFault(noBackup("its end"));
      else if (size !== at + 2 * blockSize) onFault("The backup is damaged: its length has changed.");
      return entries;
    }
    if (block === "no entry") {
      onFault(noBackup(`the entry at byte ${at}`));
      at = await nextEntry(file, at + blockSize, size);
      continue;
    }
    const end = at + blockSize + block.size;
    const padding = paddingOf(block.size);
    if (end + padding > size) {
      onFault(`The backup is incomplete: it ends within ${block.name}.`);
      return entries;
    }
    entries.push({ ...block, at: at + blockSize });
    if (!isZero(await bytesAt(file, end, padding), padding)) onFault(noBackup(`the end of ${block.name}`));
    at = end + padding;
  }
  onFault("The backup is incomplete: its end is missing.");
  return entries;
}

const noBackup = (what: string) => `The file is not a backup, or it is damaged: ${what} has changed.`;

type Block = { readonly name: string; readonly size: number } | "end" | "no entry";

/** What a block is: the header of an entry, the end of the archive, or neither. */
function readBlock(bytes: Buffer): Block {
  try {
    return readTarHeader(bytes) ?? "end";
  } catch {
    return "no entry";
  }
}

/** Where the next entry begins; the end of the file if there is none. */
async function nextEntry(file: ArchiveFile, from: number, size: number): Promise<number> {
  for (let at = from; at < size; ) {
    // Up to the end of an encrypted chunk, so that a damaged one hides nothing of the next.
    const length = chunkLength - (at % chunkLength);
    const bytes = await bytesAt(file, at, length);
    for (let begin = 0; begin < bytes.length; begin += blockSize)
      if (typeof readBlock(bytes.subarray(begin, begin + blockSize)) === "object") return at + begin;
    at += length;
  }
  return size;
}

/** The bytes at a place; none if they cannot be decrypted. */
async function bytesAt(file: ArchiveFile, at: number, length: number): Promise<Buffer> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (error instanceof AgeFault) return Buffer.alloc(0);
    throw error;
  }
}

const isZero = (bytes: Buffer, length: number): boolean =>
  bytes.length === length && bytes.every((byte) => byte === 0);
