import { type FileHandle, open } from "node:fs/promises";
import type { Content } from "./call.ts";

/** A file on disk that is sent. */
export interface SentFile {
  readonly path: string;
  /** The file name that the reader sees. */
  readonly name: string;
  readonly mediaType: string;
  /** Exact size. Sending fails if the file has another size by then. */
  readonly bytes: number;
  /** What is sent in place of the file's own bytes. */
  readonly content?: Buffer;
}

/** A body with files in it, which are read while they are sent. */
export interface FileContent extends Content {
  /** The files in the order in which they are sent; `endsAt` is the position in the body at which a file ends. */
  readonly files: readonly (SentFile & { readonly endsAt: number })[];
  read(): AsyncIterable<Buffer>;
}

/** The bytes of a file, in blocks that share one buffer: a block is valid until the next is read. */
export async function* blocksOf(
  { path, name, bytes, content }: SentFile,
  blockBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  if (content) {
    for (let at = 0; at < bytes; at += blockBytes) yield content.subarray(at, at + blockBytes);
    return;
  }
  const handle = await open(path);
  try {
    if ((await handle.stat()).size !== bytes) throw changed(name);
    const block = Buffer.allocUnsafe(Math.min(bytes, blockBytes));
    for (let left = bytes; left > 0; left -= blockBytes) {
      const wanted = block.subarray(0, Math.min(left, blockBytes));
      if (!(await fill(handle, wanted))) throw changed(name);
      yield wanted;
    }
  } finally {
    await handle.close();
  }
}

/** Reads until the buffer is full. Gives false if the file ends before. */
async function fill(handle: FileHandle, buffer: Buffer): Promise<boolean> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

const changed = (name: string) => new Error(`The file ${name} changed while it was sent.`);
