import type { Readable } from "node:stream";
import type { ReceivedFile } from "../../src/contract/files.ts";

/** The bytes from `start` to `end`, both inclusive. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** The description of a temporary file that was written completely and closed. */
export type WrittenFile = Pick<ReceivedFile, "path" | "size" | "sha256" | "detectedType">;

/** A file that is being written. Synchronous writes are twice as fast and leave no bytes in memory. */
export interface TemporaryFile {
  readonly path: string;
  /** Adds bytes to the file. Stores at most one byte more than the limit, but counts all bytes. */
  write(bytes: Uint8Array): void;
  /**
   * Overwrites unneeded data, closes the file and returns its hash. A picture with a broken header gets no
   * media type.
   */
  finish(): Promise<WrittenFile>;
  /** Like `finish`, but changes no bytes. Use this for copies of files that a server has stored. */
  finishUnchanged(): Promise<WrittenFile>;
  /** Closes and deletes the file. This can be called at any time. */
  drop(): void;
}

/** Stores uploaded files under the SHA-256 of their bytes. A call that throws FilesUnavailable has changed nothing. */
export interface Files {
  /** Creates a temporary file for an upload. The file may have at most `limit` bytes. */
  createTemporary(limit: number): TemporaryFile;
  /** Deletes temporary files by their paths. Ignores files that were made permanent or do not exist. */
  dropTemporary(paths: readonly string[]): Promise<void>;
  /** Deletes temporary files that were not changed within the last hour, because only a crash leaves such files. */
  sweepTemporary(): Promise<void>;
  /**
   * Makes a received file permanent. No power failure can destroy a permanent file. A call may be repeated with
   * the same content.
   */
  keep(received: ReceivedFile): Promise<void>;
  /**
   * Opens a stored file or a span of its bytes. Destroying the stream closes the file. Rejects for unknown
   * files.
   */
  open(sha256: string, span?: ByteSpan): Promise<Readable>;
  /** Returns the size of a stored file in bytes; undefined if there is no such file. */
  size(sha256: string): Promise<number | undefined>;
  /** Deletes a stored file. Does nothing if the file does not exist. */
  remove(sha256: string): Promise<void>;
  /** Moves a stored file to the folder `damaged`. The server never sends a file from this folder to a client. */
  setAside(sha256: string): Promise<void>;
  /**
   * Yields names of stored files in batches. Omits files of the last hour, because a request may use these
   * files.
   */
  settled(): AsyncGenerator<string[]>;
}

/** Thrown if the storage is full or cannot be reached. Nothing was stored. The same request may succeed later. */
export class FilesUnavailable extends Error {
  /** Whether the storage did not answer. A silent storage may still execute the request later. */
  readonly isSilence: boolean;

  constructor(cause: unknown, { isSilence = false }: { readonly isSilence?: boolean } = {}) {
    super("The files cannot be written at the moment", { cause });
    this.name = "FilesUnavailable";
    this.isSilence = isSilence;
  }
}

/** Whether a text has the form of a stored file's name: a SHA-256 in hex. */
export const isName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

/** Throws an Error if a text does not have the form of a stored file's name. */
export function assertName(sha256: string): void {
  if (!isName(sha256)) throw new Error("Not a SHA-256 in hex");
}

/** A small file or object in the storage. It contains the id of the deployment that owns the files. */
export interface PlaceMark {
  /** Returns the id of the deployment; undefined if the storage has no mark. */
  read(): Promise<string | undefined>;
  write(id: string): Promise<void>;
  /** Returns whether the storage contains at least one file. */
  holdsFiles(): Promise<boolean>;
  /** Whether the server writes the mark at each start, to test whether the server may write to the storage. */
  readonly isTried: boolean;
}
