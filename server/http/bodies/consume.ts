import { finished, type Readable } from "node:stream";
import { UploadFailure } from "../uploads/upload-failure.ts";
import type { IncomingBody } from "./arrivals.ts";

/**
 * Passes each chunk of a request body to `take`, which must not keep the chunk. Resolves at the end. Rejects with
 * `aborted` when the sender disconnects, with `too_large` over the limit, with the reason for a cut, or with what `take`
 * threw. After a refusal the rest is read and dropped, so that the sender can read the answer.
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

/** After this many bytes other requests get a turn: one fast sender could otherwise use all of the server's time. */
const turnBytes = 131_072;

/** The limits of one body. */
export interface Most {
  readonly bytes: number;
  /** Lets the server cut the body before its end. */
  readonly arrival?: IncomingBody | undefined;
}

const tooLarge = (maxBytes: number) =>
  new UploadFailure("too_large", `The body must be at most ${maxBytes} bytes.`);
