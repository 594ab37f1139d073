import { finished, type Readable } from "node:stream";
import type { ReceivedFile } from "../../../src/contract/files.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import { UploadFailure } from "../errors.ts";
import type { IncomingBody } from "./incoming-body.ts";

/** A request body that has arrived completely. Its files are on disk. */
export interface Upload {
  /** The body. Each file in it is a ReceivedFile. */
  readonly value: unknown;
  readonly files: readonly ReceivedFile[];
  /** Deletes the temporary files that did not become permanent. Call it after every request. */
  discard(): Promise<void>;
}

/** The files of one body while it arrives. */
export interface Intake {
  /**
   * Opens a file of at most `limit` bytes. Throws `too_many_files` if the body has too many files.
   */
  open(limit: number): TemporaryFile;
  /** Adds a file that has arrived. The promise resolves when the hash of the file is known. */
  add(file: Promise<ReceivedFile>): Promise<ReceivedFile>;
}

/** Runs `read`. If `read` throws, closes and deletes all files that it opened. */
export async function receive(files: Files, read: (intake: Intake) => Promise<unknown>): Promise<Upload> {
  const opened: TemporaryFile[] = [];
  const received: Promise<ReceivedFile>[] = [];
  const intake: Intake = {
    open(limit) {
      refuseMore(opened.length);
      const file = files.createTemporary(limit);
      opened.push(file);
      return file;
    },
    add(file) {
      received.push(file);
      // The code that awaits the file handles the error. Without this line, a refused body would also cause an
      // unhandled rejection.
      file.catch(() => {});
      return file;
    },
  };
  try {
    const value = await read(intake);
    const discard = () => files.dropTemporary(opened.map(({ path }) => path));
    return { value, files: await Promise.all(received), discard };
  } catch (error) {
    for (const file of opened) file.drop();
    await Promise.allSettled(received);
    throw error;
  }
}

/** Throws `too_many_files` if the body already has the maximum number of files. */
export function refuseMore(had: number): void {
  if (had === limits.bodyFiles)
    throw new UploadFailure("too_many_files", `The body must have at most ${limits.bodyFiles} files.`);
}

/** The limits of one body. */
export interface Most {
  readonly bytes: number;
  /** Set if the server may stop reading the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

/**
 * Passes each chunk of a request body to `take`, which must not keep the chunk. Resolves at the end of the
 * body. Rejects with `aborted` if the sender disconnects, with `too_large` over the limit, with the reason why
 * the server stops reading the body, or with the error of `take`. After a rejection, the remaining bytes are
 * read and dropped, so that the sender can read the answer.
 */
export function consume(body: Readable, most: Most, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let inTurn = 0;
    let next: NodeJS.Immediate | undefined;
    const refuse = (error: unknown) => {
      body.off("data", onChunk);
      body.resume();
      reject(error);
    };
    const onChunk = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > most.bytes) throw tooLarge(most.bytes);
        take(chunk);
      } catch (error) {
        return refuse(error);
      }
      inTurn += chunk.length;
      if (inTurn < turnBytes || next) return;
      body.pause();
      next = setImmediate(() => {
        next = undefined;
        inTurn = 0;
        body.resume();
      });
    };
    body.on("data", onChunk);
    most.arrival?.onCut(refuse);
    finished(body, { writable: false }, (cause) => {
      if (cause) reject(new UploadFailure("aborted", "The body ended early.", { cause }));
      else resolve();
    });
  });
}

/**
 * After the server has read this number of bytes of a body, the event loop runs other work. Otherwise one fast sender
 * could use all of the server's time.
 */
const turnBytes = 131_072;

const tooLarge = (maxBytes: number) =>
  new UploadFailure("too_large", `The body must be at most ${maxBytes} bytes.`);

export const malformedJson = (why: string) => new UploadFailure("malformed_json", `The body ${why}.`);
