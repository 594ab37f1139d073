import type { FileBytes } from "./file-bytes.ts";
import { namesPosition } from "./named.ts";

/** Removes geographic positions from an MP4 or QuickTime film that begins at `start`. Does not change its frames. */
export function removeFromBoxes(bytes: FileBytes, start = 0): void {
  const walk = createWalk(bytes);
  walk({ from: start, to: bytes.size, depth: 0 });
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Level extends Span {
  readonly depth: number;
  /** Which entries of a list hold positions, by their numbers. */
  readonly named?: ReadonlySet<number>;
}

interface Box extends Span {
  /** Where the content of the box begins. */
  readonly inner: number;
  readonly type: string;
}

// A film has some hundred boxes. A file with many more was made to keep the server busy.
const mostBoxes = 20_000;
const deepest = 8;

const containers = ["moov", "trak", "mdia", "udta", "meta", "moof", "traf", "ilst"];
const positions = ["\u00a9xyz", "loci", "GPS ", "gps0"];
const mayNamePosition = ["XMP_", "uuid", "----"];

function createWalk(bytes: FileBytes) {
  const next = createReader(bytes);
  const walk = (level: Level): void => {
    for (const box of boxesIn(next, level)) look(box, level);
  };
  const look = (box: Box, { depth, named }: Level) => {
    if (named?.has(numberOf(box)) || isPosition(bytes, box)) return blank(bytes, box);
    if (!containers.includes(box.type) || depth === deepest) return;
    const from = box.type === "meta" ? firstOfMeta(bytes, box) : box.inner;
    const names = box.type === "meta" ? namedIn(bytes, next, { from, to: box.to }) : named;
    walk({ from, to: box.to, depth: depth + 1, ...(names ? { named: names } : {}) });
  };
  return walk;
}

type NextBox = (span: Span) => Box | undefined;

/**
 * Creates the function that reads the first box of a span. It gives undefined at the end of the span and after too many
 * boxes.
 */
function createReader(bytes: FileBytes): NextBox {
  let boxes = 0;
  return ({ from, to }) => {
    boxes += 1;
    return boxes <= mostBoxes ? boxAt(bytes, from, to) : undefined;
  };
}

function* boxesIn(next: NextBox, { from, to }: Span): Generator<Box> {
  for (let box = next({ from, to }); box; box = next({ from: box.to, to })) yield box;
}

function boxAt(bytes: FileBytes, from: number, end: number): Box | undefined {
  if (from + 8 > end) return undefined;
  const head = bytes.read(from, 16);
  const short = head.readUInt32BE(0);
  const isLong = short === 1 && head.length === 16;
  const size = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - from : short;
  if (size < (isLong ? 16 : 8)) return undefined;
  const to = Math.min(from + size, end);
  return { from, to, inner: from + (isLong ? 16 : 8), type: head.toString("latin1", 4, 8) };
}

function isPosition(bytes: FileBytes, { type, inner, to }: Box): boolean {
  if (positions.includes(type)) return true;
  return mayNamePosition.includes(type) && namesPosition(Buffer.from(bytes.read(inner, to - inner)));
}

/** Turns a box into an unused one of the same length. */
function blank(bytes: FileBytes, { from, inner, to }: Box): void {
  bytes.write(from + 4, Buffer.from("free"));
  bytes.erase(inner, to - inner);
}

/** Where the first box inside a `meta` box begins. In MP4 four bytes with the version come first, in QuickTime none. */
const firstOfMeta = (bytes: FileBytes, { inner }: Box): number =>
  bytes.read(inner + 4, 4).toString("latin1") === "hdlr" ? inner : inner + 4;

const numberOf = ({ type }: Box): number => Buffer.from(type, "latin1").readUInt32BE(0);

/** Finds the keys of a `meta` box that name a position, and overwrites their names. Gives their numbers. */
function namedIn(bytes: FileBytes, next: NextBox, span: Span): ReadonlySet<number> {
  const named = new Set<number>();
  for (const { type, inner, to } of boxesIn(next, span)) {
    if (type !== "keys") continue;
    let number = 0;
    for (const key of boxesIn(next, { from: inner + 8, to })) {
      number += 1;
      if (!namesPosition(bytes.read(key.inner, key.to - key.inner))) continue;
      named.add(number);
      bytes.write(key.inner, Buffer.alloc(key.to - key.inner, "x"));
    }
  }
  return named;
}
