import { finished, type Readable } from "node:stream";
import { UploadFailure } from "./upload-failure.ts";

/**
 * Hands each chunk of a request body to `take`, which must be done with it when it returns. Resolves at the end;
 * rejects with `aborted` when the sender goes away, with `too_large` beyond `maxBytes`, or with what `take` threw.
 * After a refusal the rest is read and dropped, so that the sender gets to read the answer.
 */
export function consume(body: Readable, maxBytes: number, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    const onChunk = (chunk: Buffer) => {
      size += chunk.length;
      try {
        if (size > maxBytes) throw tooLarge(maxBytes);
        take(chunk);
      } catch (error) {
        body.off("data", onChunk);
        body.resume();
        reject(error);
      }
    };
    body.on("data", onChunk);
    finished(body, { writable: false }, (cause) => {
      if (cause) reject(new UploadFailure("aborted", "The body ended early.", { cause }));
      else resolve();
    });
  });
}

const tooLarge = (maxBytes: number) =>
  new UploadFailure("too_large", `The body must be at most ${maxBytes} bytes.`);
