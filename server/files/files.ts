import type { Readable } from "node:stream";
import type { ReceivedFile } from "../../src/contract/received-file.ts";

/** The bytes from `start` to `end`, both included. */
export interface ByteSpan {
  readonly start: number;
  readonly end: number;
}

/** What a temporary file held when it was closed. */
export type WrittenFile = Pick<ReceivedFile, "path" | "size" | "sha256" | "detectedType">;

/** A file under way. Writes are synchronous: measured twice as fast as queued ones, and nothing piles up in memory. */
export interface TemporaryFile {
  readonly path: string;
  /** Takes the next bytes; what lies beyond the limit and one byte more is counted, not written. */
  write(bytes: Uint8Array): void;
  /**
   * Takes positions out of a picture or film, closes the file and says what it holds: its hash is that of what is kept, and
   * a picture without a whole header is of no type. Call once.
   */
  finish(): Promise<WrittenFile>;
  /** Closes and deletes the file, whatever its state. */
  drop(): void;
}

/**
 * Where uploaded files are kept, each under the SHA-256 of its bytes.
 * Every call may throw FilesUnavailable; nothing half-done stays then.
 */
export interface Files {
  /** Opens a file for bytes that are just arriving, of which `limit` may be kept. */
  createTemporary(limit: number): TemporaryFile;
  /** Deletes temporary files by their paths; those kept or already gone are passed over. */
  dropTemporary(paths: readonly string[]): Promise<void>;
  /** Deletes what a crash left in the temporary folder: whatever nobody wrote to for an hour. */
  sweepTemporary(): Promise<void>;
  /** Makes a received file permanent: it survives power loss once this resolves. Keeping the same content again is fine. */
  keep(received: ReceivedFile): Promise<void>;
  /** The bytes of a kept file, or a span of them. Destroy the stream to close the file. Rejects where there is none. */
  open(sha256: string, span?: ByteSpan): Promise<Readable>;
  /** Bytes of a kept file; undefined where there is none. */
  size(sha256: string): Promise<number | undefined>;
  /** Deletes a kept file; one that does not exist counts as deleted. */
  remove(sha256: string): Promise<void>;
  /** Moves a kept file to the folder `damaged`, where nothing serves it. */
  setAside(sha256: string): Promise<void>;
  /** The kept files that nobody has written for an hour, some at a time. */
  settled(): AsyncGenerator<string[]>;
}

/** The place where files lie is full, or out of reach. Nothing was kept; the same request may succeed later. */
export class FilesUnavailable extends Error {
  constructor(cause: unknown) {
    super("The files cannot be written right now", { cause });
    this.name = "FilesUnavailable";
  }
}
