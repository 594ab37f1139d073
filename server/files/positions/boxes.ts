import type { FileBytes } from "./file-bytes.ts";
import { namesPosition } from "./named.ts";

/** Takes positions out of an MP4 or QuickTime film that begins at `start`. Its frames are left alone. */
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
  /** Where its content begins. */
  readonly inner: number;
  readonly type: string;
}

// A film has some hundred; more are there to keep the reader busy.
const mostBoxes = 20_000;
const deepest = 8;

const containers = ["moov", "trak", "mdia", "udta", "meta", "moof", "traf", "ilst"];
const positions = ["\u00a9xyz", "loci", "GPS ", "gps0"];
const mayNamePosition = ["XMP_", "uuid", "----"];

function createWalk(bytes: FileBytes) {
  let boxes = 0;
  const walk = (level: Level): void => {
    for (let at = level.from; boxes < mostBoxes; boxes++) {
      const box = boxAt(bytes, at, level.to);
      if (!box) return;
      look(box, level);
      at = box.to;
    }
  };
  const look = (box: Box, { depth, named }: Level) => {
    if (named?.has(numberOf(box)) || isPosition(bytes, box)) return blank(bytes, box);
    if (!containers.includes(box.type) || depth === deepest) return;
    const from = box.type === "meta" ? firstOfMeta(bytes, box) : box.inner;
    const names = box.type === "meta" ? namedIn(bytes, { from, to: box.to }) : named;
    walk({ from, to: box.to, depth: depth + 1, ...(names ? { named: names } : {}) });
  };
  return walk;
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

/** A box that nobody reads, as long as it was. */
function blank(bytes: FileBytes, { from, inner, to }: Box): void {
  bytes.write(from + 4, Buffer.from("free"));
  bytes.erase(inner, to - inner);
}

/** In MP4 four bytes of version stand first, in QuickTime none. */
const firstOfMeta = (bytes: FileBytes, { inner }: Box): number =>
  bytes.read(inner + 4, 4).toString("latin1") === "hdlr" ? inner : inner + 4;

const numberOf = ({ type }: Box): number => Buffer.from(type, "latin1").readUInt32BE(0);

/** The numbers of the keys of a `meta` that name a position; their names are overwritten. */
function namedIn(bytes: FileBytes, { from, to }: Span): ReadonlySet<number> {
  const named = new Set<number>();
  for (let at = from, box = boxAt(bytes, at, to); box; at = box.to, box = boxAt(bytes, at, to)) {
    if (box.type !== "keys") continue;
    const keys = entriesOf(bytes, { from: box.inner + 8, to: box.to });
    keys.forEach((key, index) => {
      if (!namesPosition(Buffer.from(bytes.read(key.inner, key.to - key.inner)))) return;
      named.add(index + 1);
      bytes.write(key.inner, Buffer.alloc(key.to - key.inner, "x"));
    });
  }
  return named;
}

function entriesOf(bytes: FileBytes, { from, to }: Span): Box[] {
  const entries: Box[] = [];
  for (let at = from; entries.length < mostBoxes; ) {
    const entry = boxAt(bytes, at, to);
    if (!entry) break;
    entries.push(entry);
    at = entry.to;
  }
  return entries;
}
