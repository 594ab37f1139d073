export interface Piece {
  readonly bytes: Buffer;
  readonly at: number;
  readonly last: boolean;
}

/**
 * The bytes of a stream in pieces of this length; the last one may be shorter, and is empty only for an empty stream. Holds
 * one piece, and the next one's memory is new.
 */
export async function* inPieces(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Piece> {
  let held = Buffer.allocUnsafe(length);
  let used = 0;
  let at = 0;
  for await (const chunk of chunks)
    for (let taken = 0; taken < chunk.length; ) {
      // A full piece waits for another byte, which says that it is not the last.
      if (used === length) {
        yield { bytes: held, at, last: false };
        held = Buffer.allocUnsafe(length);
        used = 0;
        at += 1;
      }
      const part = chunk.subarray(taken, taken + length - used);
      held.set(part, used);
      used += part.length;
      taken += part.length;
    }
  yield { bytes: held.subarray(0, used), at, last: true };
}
