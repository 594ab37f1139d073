import type { FileBytes } from "./file-bytes.ts";

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Box extends Span {
  /** Where the content of the box begins. */
  readonly inner: number;
  readonly type: string;
}

/** The boxes of a span in order. Calls `atRest` with where they end before the span does. */
export type BoxesIn = (span: Span, atRest?: (from: number) => void) => Generator<Box>;

// A film has some thousand boxes. A file with many more was made to keep the server busy.
const mostBoxes = 100_000;

/** Creates the function that reads the boxes of a film. It stops after too many boxes. */
export function createReader(bytes: FileBytes): BoxesIn {
  let boxes = 0;
  return function* ({ from, to }, atRest) {
    let at = from;
    while (at < to) {
      boxes += 1;
      const box = boxes <= mostBoxes ? boxAt(bytes, at, to) : undefined;
      if (!box) return atRest?.(at);
      yield box;
      at = box.to;
    }
  };
}

function boxAt(bytes: FileBytes, from: number, end: number): Box | undefined {
  if (from + 8 > end) return undefined;
  const head = bytes.read(from, 16);
  const short = head.readUInt32BE(0);
  const isLong = short === 1 && head.length === 16;
  const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - from : short;
  if (size < (isLong ? 16 : 8)) return undefined;
  const to = Math.min(from + size, end);
  return { from, to, inner: Math.min(from + (isLong ? 16 : 8), to), type: head.toString("latin1", 4, 8) };
}

/** Turns a box into an unused one of the same length. */
export function empty(bytes: FileBytes, { from, inner, to }: Box): void {
  bytes.write(from + 4, Buffer.from("free"));
  bytes.erase(inner, to - inner);
}

/** A copy of the content of a box. */
export const contentOf = (bytes: FileBytes, { inner, to }: Box): Buffer =>
  Buffer.from(bytes.read(inner, to - inner));
