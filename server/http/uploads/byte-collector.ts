/** Joins the pieces of a body. */
export interface ByteCollector {
  /** Takes a piece, which must not change afterwards. Gives by how many bytes the memory has grown. */
  add(piece: Buffer): number;
  readonly size: number;
  bytes(): Buffer;
}

const nothing = Buffer.alloc(0);
const leastCapacity = 4_096;

/** Uses one buffer that doubles: a list of pieces of one byte would cost a hundred times their size. */
export function createByteCollector(): ByteCollector {
  let buffer: Buffer = nothing;
  let size = 0;
  return {
    add(piece) {
      if (size === 0) {
        // Most bodies come in one piece.
        buffer = piece;
        size = piece.length;
        return size;
      }
      const before = buffer.length;
      const needed = size + piece.length;
      if (needed > before) {
        const larger = Buffer.allocUnsafeSlow(Math.max(needed, before * 2, leastCapacity));
        buffer.copy(larger, 0, 0, size);
        buffer = larger;
      }
      piece.copy(buffer, size);
      size = needed;
      return buffer.length - before;
    },
    get size() {
      return size;
    },
    bytes: () => buffer.subarray(0, size),
  };
}
