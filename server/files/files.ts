import type { Readable } from "node:stream";
import type { ReceivedFile } from "../../src/contract/files.ts";

/** The bytes from `start` to `end`, both inclusive. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** The description of a temporary file after it was closed. */
export type WrittenFile = Pick<ReceivedFile, "path" | "size" | "sha256" | "detectedType">;

/** A file that is being written. Writes are synchronous: they are twice as fast as queued writes and fill no memory. */
export interface TemporaryFile {
  readonly path: string;
  /** Writes the next bytes. Counts, but does not write, bytes after the first byte beyond the limit. */
  write(bytes: Uint8Array): void;
  /**
   * Removes the place of recording and all else that is not needed to show a picture or film, closes the file and describes
   * it. The hash is that of the changed file. A picture without a complete header gets no type. Call it once.
   */
  finish(): Promise<WrittenFile>;
  /** As `finish`, but changes nothing: for copies of files that a server has kept before. */
  finishUnchanged(): Promise<WrittenFile>;
  /** Closes and deletes the file in any state. */
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
  /** Makes a received file permanent. It survives a power loss after this resolves. The same content may be kept again. */
  keep(received: ReceivedFile): Promise<void>;
  /**
   * The bytes of a kept file, or a span of them. Destroy the stream to close the file. Rejects if there is no such file.
   */
  open(sha256: string, span?: ByteSpan): Promise<Readable>;
  /** The size of a kept file in bytes; undefined if there is no such file. */
  size(sha256: string): Promise<number | undefined>;
  /** Deletes a kept file. Does nothing if it does not exist. */
  remove(sha256: string): Promise<void>;
  /** Moves a kept file to the folder `damaged`, from which no file is served. */
  setAside(sha256: string): Promise<void>;
  /** The kept files that were not written within the last hour, in batches. */
  settled(): AsyncGenerator<string[]>;
}

/** The storage of files is full or not reachable. Nothing was kept. The same request may succeed later. */
export class FilesUnavailable extends Error {
  /** Whether the storage did not answer. Then it may still do later what it was asked to do. */
  readonly isSilence: boolean;

  constructor(cause: unknown, { isSilence = false }: { readonly isSilence?: boolean } = {}) {
    super("The files cannot be written right now", { cause });
    this.name = "FilesUnavailable";
    this.isSilence = isSilence;
  }
}

/** Whether this is a name of kept files: a SHA-256 in hex. */
export const isName = (name: string): boolean => /^[0-9a-f]{64}$/.test(name);

export function assertName(sha256: string): void {
  if (!isName(sha256)) throw new Error("Not a SHA-256 in hex");
}

/** The mark of a place of files: it names the deployment to which the files belong. */
export interface PlaceMark {
  /** The id of the deployment; undefined if the place has none. */
  read(): Promise<string | undefined>;
  write(id: string): Promise<void>;
  holdsFiles(): Promise<boolean>;
  /** Whether each start writes the id again, to find out whether it may write there. */
  readonly isTried: boolean;
}
