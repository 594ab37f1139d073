import type { Readable } from "node:stream";
import type { ReceivedFile } from "../../src/contract/files.ts";

/** The bytes from `start` to `end`, both inclusive. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** A temporary file after it was closed. */
export type WrittenFile = Pick<ReceivedFile, "path" | "size" | "sha256" | "detectedType">;

/**
 * A file that is being written. Writes are synchronous, because they are twice as fast as queued writes and do not
 * fill the memory.
 */
export interface TemporaryFile {
  readonly path: string;
  /** Writes the next bytes. Writes at most one byte beyond the limit, but counts all bytes. */
  write(bytes: Uint8Array): void;
  /**
   * Removes the place of recording and all other data that is not needed to show a picture or film, closes the file
   * and describes it. The hash is that of the changed file. A picture without a complete header gets no type. Call it
   * once.
   */
  finish(): Promise<WrittenFile>;
  /** Like `finish`, but does not change the content. For copies of files that a server has stored before. */
  finishUnchanged(): Promise<WrittenFile>;
  /** Closes and deletes the file, in any state. */
  drop(): void;
}

/**
 * The storage of uploaded files, each under the SHA-256 of its bytes.
 * Every call may throw FilesUnavailable, and then has changed nothing.
 */
export interface Files {
  /** Opens a file for arriving bytes. At most `limit` bytes may be kept. */
  createTemporary(limit: number): TemporaryFile;
  /** Deletes temporary files by their paths. Ignores files that were kept or are already gone. */
  dropTemporary(paths: readonly string[]): Promise<void>;
  /** Deletes temporary files that a crash left: those that were not written within the last hour. */
  sweepTemporary(): Promise<void>;
  /**
   * Makes a received file permanent. After this resolves, the file survives a power loss. The same content may be
   * stored several times.
   */
  keep(received: ReceivedFile): Promise<void>;
  /**
   * Opens a stored file, or a span of its bytes. Destroy the stream to close the file. Rejects if there is no such
   * file.
   */
  open(sha256: string, span?: ByteSpan): Promise<Readable>;
  /** The size of a kept file in bytes; undefined if there is no such file. */
  size(sha256: string): Promise<number | undefined>;
  /** Deletes a kept file. Does nothing if it does not exist. */
  remove(sha256: string): Promise<void>;
  /** Moves a stored file to the folder `damaged`. Files in it are never served. */
  setAside(sha256: string): Promise<void>;
  /** Yields the names of stored files that were not written within the last hour, in batches. */
  settled(): AsyncGenerator<string[]>;
}

/** The storage of files is full or not reachable. Nothing was stored. The same request may succeed later. */
export class FilesUnavailable extends Error {
  /** Whether the storage did not answer. Then it may still carry out the request later. */
  readonly isSilence: boolean;

  constructor(cause: unknown, { isSilence = false }: { readonly isSilence?: boolean } = {}) {
    super("The files cannot be written right now", { cause });
    this.name = "FilesUnavailable";
    this.isSilence = isSilence;
  }
}

/** Whether a name is that of a stored file: a SHA-256 in hex. */
export const isName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/** Throws an Error if a name is not that of a stored file. */
export function assertName(sha256: string): void {
  if (!isName(sha256)) throw new Error("Not a SHA-256 in hex");
}

/** The mark of a storage. It contains the id of the deployment to which the files belong. */
export interface PlaceMark {
  /** Returns the id of the deployment; undefined if the storage has no mark. */
  read(): Promise<string | undefined>;
  write(id: string): Promise<void>;
  /** Whether the storage has any file. */
  holdsFiles(): Promise<boolean>;
  /** Whether each start of a server writes the mark again, to check the permission to write. */
  readonly isTried: boolean;
}
