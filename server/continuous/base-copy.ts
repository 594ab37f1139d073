import { type FileHandle, open } from "node:fs/promises";
import type { LogMark } from "../store/engine/write-log.ts";
import type { Chain } from "./chain.ts";

const partBytes = 4_194_304;
/** Where the header of a SQLite file has the size of a page; 1 stands for 65,536. */
const pageSizeAt = 16;

/** The file of a database, opened once. */
export interface BaseFile {
  open(): Promise<FileHandle>;
  /** Call it when SQLite has closed the file: by the rules of POSIX, closing it earlier would release the locks of SQLite. */
  close(): Promise<void>;
}

export function createBaseFile(path: string): BaseFile {
  let opened: Promise<FileHandle> | undefined;
  return {
    open: () => (opened ??= open(path)),
    close: async () => (await opened)?.close(),
  };
}

interface BaseCopy {
  readonly chain: Chain;
  readonly mark: LogMark;
  /** The folder of the copies of files. */
  readonly files: string;
  /** Stores a link, as often as it takes. Rejects if the copy has become useless. */
  readonly store: (chain: Chain) => Promise<void>;
}

/** Copies the file of the database, which nobody changes meanwhile, as the first links of a chain. Gives the size of a page. */
export async function copyBase(base: BaseFile, { chain, mark, files, store }: BaseCopy): Promise<void> {
  const handle = await base.open();
  const { size } = await handle.stat();
  const pageSize = await pageSizeOf(handle);
  for (let from = 0; from < size; ) {
    const bytes = await readAt(handle, from, Math.min(partBytes, size - from));
    const to = from + bytes.length;
    const content = {
      ...{ kind: "base" as const, at: to === size ? mark.at.toISOString() : null, pageSize, files },
      ...{ run: "", from, to, sums: [0, 0] satisfies [number, number], databasePages: size / pageSize },
    };
    await chain.prepare(content, bytes);
    await store(chain);
    from = to;
  }
}

async function pageSizeOf(handle: FileHandle): Promise<number> {
  const size = (await readAt(handle, pageSizeAt, 2)).readUInt16BE(0);
  return size === 1 ? 65_536 : size;
}

async function readAt(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await handle.read(bytes, done, length - done, from + done);
    if (bytesRead === 0) throw new Error("The file of the database is shorter than it was.");
    done += bytesRead;
  }
  return bytes;
}
