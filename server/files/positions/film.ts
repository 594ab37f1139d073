import type { FileBytes } from "./file-bytes.ts";

/**
 * Overwrites what players do not need in an MP4 or QuickTime film, such as the recording place. Keeps the
 * length.
 */
export function keepPlayedFilm(bytes: FileBytes): void {
  const boxesIn = createReader(bytes);

  const data: Span[] = [];
  const fragments: Box[] = [];
  const found: Found = { chunks: [], played: new Set(), sampleSizes: new Map() };
  for (const box of boxesIn({ from: 0, to: bytes.size }, (from) => bytes.erase(from, bytes.size - from))) {
    if (box.type === "mdat") data.push({ from: box.inner, to: box.to });
    else if (box.type === "moov") keepTracks(bytes, boxesIn, { moov: box, found });
    else if (box.type === "moof") fragments.push(box);
    else if (!neededAtTop.includes(box.type)) empty(bytes, box);
  }
  for (const moof of fragments) {
    addChunks(found, chunksOfFragment(bytes, boxesIn, { moof, tracks: found }));
    keepNeeded(bytes, boxesIn, { box: moof, needed: neededIn.moof });
  }
  eraseOthers(bytes, data, found.chunks);
}

interface Found extends Tracks {
  readonly chunks: Chunk[];
  readonly played: Set<number>;
  readonly sampleSizes: Map<number, number>;
}

/** The maximum number of chunks. A film of ten minutes has about 50,000 chunks if each contains one picture. */
const mostChunks = 300_000;

function addChunks({ chunks }: Found, more: Iterable<Chunk>): void {
  for (const chunk of more) {
    if (chunks.length >= mostChunks) return;
    chunks.push(chunk);
  }
}

/** The inner boxes that are kept: completely (`whole`), or with some of their own inner boxes. */
interface Needed {
  readonly [type: string]: Needed | "whole";
}

const whole = (types: string): Needed =>
  Object.fromEntries(types.split(" ").map((type) => [type, "whole" as const]));

const neededAtTop = ["ftyp", "styp", "sidx", "ssix", "mfra"];

const neededIn = {
  moov: { ...whole("mvhd trak"), mvex: whole("mehd trex") },
  trak: {
    ...whole("tkhd edts tref tapt"),
    mdia: {
      ...whole("mdhd hdlr elng"),
      minf: {
        ...whole("vmhd smhd nmhd hdlr dinf"),
        stbl: whole("stsd stts ctts cslg stss stps stsc stsz stz2 stco co64 sdtp sbgp sgpd subs saiz saio"),
      },
    },
  },
  moof: { mfhd: "whole", traf: whole("tfhd tfdt trun sdtp sbgp sgpd subs saiz saio") },
} as const satisfies Record<string, Needed>;

/** The kept tracks: pictures, sound, and additional pictures, such as the transparency of the main picture. */
const playedKinds = ["vide", "soun", "auxv"];

function keepTracks(
  bytes: FileBytes,
  boxesIn: BoxesIn,
  { moov, found }: { readonly moov: Box; readonly found: Found },
): void {
  for (const box of boxesIn({ from: moov.inner, to: moov.to })) {
    if (box.type === "trak") keepTrack(bytes, boxesIn, { trak: box, found });
    if (box.type === "mvex") readDefaults(bytes, boxesIn, { mvex: box, found });
  }
  keepNeeded(bytes, boxesIn, { box: moov, needed: neededIn.moov });
}

function keepTrack(
  bytes: FileBytes,
  boxesIn: BoxesIn,
  { trak, found }: { readonly trak: Box; readonly found: Found },
): void {
  const parts = partsOf(boxesIn, trak);
  const handler = parts.get("hdlr");
  const isPlayed = handler !== undefined && playedKinds.includes(textAt(bytes, handler.inner + 8));
  addChunks(found, chunksOf(bytes, parts, isPlayed));
  if (!isPlayed) {
    empty(bytes, trak);
    return;
  }
  const header = parts.get("tkhd");
  if (header) found.played.add(trackNumber(contentOf(bytes, header)));
  keepNeeded(bytes, boxesIn, { box: trak, needed: neededIn.trak });
}

/** Returns, by type, the boxes of a track that describe its kind and the positions of its data. */
function partsOf(boxesIn: BoxesIn, trak: Box): Map<string, Box> {
  const parts = new Map<string, Box>();
  let level: Box | undefined = trak;
  for (const { types, next } of levels) {
    let inner: Box | undefined;
    for (const box of level ? boxesIn({ from: level.inner, to: level.to }) : []) {
      if (types.includes(box.type)) parts.set(box.type, box);
      if (box.type === next) inner = box;
    }
    level = inner;
  }
  return parts;
}

const levels = [
  { types: ["tkhd"], next: "mdia" },
  { types: ["hdlr"], next: "minf" },
  { types: [], next: "stbl" },
  { types: ["stsc", "stsz", "stz2", "stco", "co64"], next: "" },
];

const textAt = (bytes: FileBytes, at: number): string => bytes.read(at, 4).toString("latin1");

function trackNumber(header: Buffer): number {
  const at = header[0] === 1 ? 20 : 12;
  return header.length >= at + 4 ? header.readUInt32BE(at) : 0;
}

function readDefaults(
  bytes: FileBytes,
  boxesIn: BoxesIn,
  { mvex, found }: { readonly mvex: Box; readonly found: Found },
): void {
  for (const box of boxesIn({ from: mvex.inner, to: mvex.to })) {
    const content = box.type === "trex" ? contentOf(bytes, box) : Buffer.alloc(0);
    if (content.length >= 20) found.sampleSizes.set(content.readUInt32BE(4), content.readUInt32BE(16));
  }
}

function keepNeeded(
  bytes: FileBytes,
  boxesIn: BoxesIn,
  { box, needed }: { readonly box: Box; readonly needed: Needed },
): void {
  const rest = (from: number) => bytes.erase(from, box.to - from);
  for (const part of boxesIn({ from: box.inner, to: box.to }, rest)) {
    const inner = Object.hasOwn(needed, part.type) ? needed[part.type] : undefined;
    if (inner === undefined) empty(bytes, part);
    else if (inner !== "whole") keepNeeded(bytes, boxesIn, { box: part, needed: inner });
    // The box contains the kind of the track, then a name that may be any text. The name is erased.
    else if (part.type === "hdlr") bytes.erase(part.inner + 24, part.to - part.inner - 24);
  }
}

/** Overwrites all data except the data of tracks that are seen or heard. */
function eraseOthers(bytes: FileBytes, data: readonly Span[], chunks: readonly Chunk[]): void {
  const kept = keptSpans(chunks);
  let next = 0;
  for (const { from, to } of data) {
    let at = from;
    for (; next < kept.length; next++) {
      const span = kept[next];
      if (!span || span.from >= to) break;
      bytes.erase(at, span.from - at);
      at = Math.max(at, span.to);
      if (span.to > to) break;
    }
    bytes.erase(at, to - at);
  }
}

/** Returns the spans of played chunks, in order. A chunk with `isOpen` reaches at least the next chunk. */
function keptSpans(chunks: readonly Chunk[]): Span[] {
  const sorted = [...chunks].sort((left, right) => left.from - right.from);
  let following = Number.MAX_SAFE_INTEGER;
  const spans: Span[] = [];
  for (let at = sorted.length - 1; at >= 0; at--) {
    const chunk = sorted[at];
    if (!chunk) continue;
    const to = chunk.isOpen ? Math.max(chunk.to, following) : chunk.to;
    if (chunk.isPlayed && to > chunk.from) spans.push({ from: chunk.from, to });
    if (sorted[at - 1]?.from !== chunk.from) following = chunk.from;
  }
  return spans.reverse();
}

/** Data about the tracks. It is in the file before the first fragment. */
interface Tracks {
  /** The numbers of the tracks that are seen or heard. */
  readonly played: ReadonlySet<number>;
  /** The size of a sample in bytes, by track number, for fragments that do not contain this size. */
  readonly sampleSizes: ReadonlyMap<number, number>;
}

/** Yields the chunks of a fragment, a later part of a film. Overwrites the boxes of unplayed tracks. */
function* chunksOfFragment(
  bytes: FileBytes,
  boxesIn: BoxesIn,
  { moof, tracks }: { readonly moof: Box; readonly tracks: Tracks },
): Generator<Chunk> {
  let end = moof.from;
  for (const traf of boxesIn({ from: moof.inner, to: moof.to })) {
    if (traf.type !== "traf") continue;
    const parts = [...boxesIn({ from: traf.inner, to: traf.to })];
    const head = headerOf(bytes, parts, { moof, end });
    if (!head) continue;
    const isPlayed = tracks.played.has(head.track);
    end = head.base;
    const size = head.sampleSize ?? tracks.sampleSizes.get(head.track) ?? 0;
    for (const trun of parts.filter(({ type }) => type === "trun")) {
      const run = runOf(contentOf(bytes, trun), size);
      const from = run.offset === undefined ? end : head.base + run.offset;
      end = from + run.length;
      yield { from, to: end, isOpen: false, isPlayed };
    }
    if (!isPlayed) empty(bytes, traf);
  }
}

function headerOf(
  bytes: FileBytes,
  parts: readonly Box[],
  { moof, end }: { readonly moof: Box; readonly end: number },
) {
  const box = parts.find(({ type }) => type === "tfhd");
  if (!box) return undefined;
  const content = contentOf(bytes, box);
  if (content.length < 8) return undefined;
  const flags = content.readUInt32BE(0) & 0xffffff;
  const fields = fieldsOf(content, 8);
  const baseOffset = flags & 0x1 ? fields.next(8) : undefined;
  if (flags & 0x2) fields.next(4);
  if (flags & 0x8) fields.next(4);
  const sampleSize = flags & 0x10 ? fields.next(4) : undefined;
  return {
    track: content.readUInt32BE(4),
    base: baseOffset ?? (flags & 0x20000 ? moof.from : end),
    sampleSize,
  };
}

function runOf(content: Buffer, sampleSize: number) {
  if (content.length < 8) return { offset: undefined, length: 0 };
  const flags = content.readUInt32BE(0) & 0xffffff;
  const samples = content.readUInt32BE(4);
  const fields = fieldsOf(content, 8);
  const offset = flags & 0x1 ? fields.next(4) | 0 : undefined;
  if (flags & 0x4) fields.next(4);
  if (!(flags & 0x200)) return { offset, length: samples * sampleSize };
  let length = 0;
  for (let sample = 0; sample < samples && !fields.isAtEnd(); sample++) {
    if (flags & 0x100) fields.next(4);
    length += fields.next(4);
    if (flags & 0x400) fields.next(4);
    if (flags & 0x800) fields.next(4);
  }
  return { offset, length };
}

/** Creates a reader of consecutive numbers. After the end, the reader returns 0. */
function fieldsOf(content: Buffer, from: number) {
  let at = from;
  return {
    isAtEnd: () => at >= content.length,
    next(width: 4 | 8): number {
      const start = at;
      at += width;
      if (at > content.length) return 0;
      return width === 4 ? content.readUInt32BE(start) : Number(content.readBigUInt64BE(start));
    },
  };
}

/** Bytes of a film that belong to one track. */
interface Chunk {
  readonly from: number;
  readonly to: number;
  /** Whether the chunk may end after `to`. Some films have wrong sample sizes. */
  readonly isOpen: boolean;
  /** Whether the chunk belongs to a track that is seen or heard. */
  readonly isPlayed: boolean;
}

/** The tables of a track, by the types of their boxes. */
type Tables = ReadonlyMap<string, Box>;

/** Yields the chunks of a track. Yields none if a table is missing. */
function* chunksOf(bytes: FileBytes, tables: Tables, isPlayed: boolean): Generator<Chunk> {
  const offsets = offsetsIn(bytes, tables);
  const perChunk = samplesPerChunk(bytes, tables.get("stsc"));
  const sizes = sizesIn(bytes, tables);
  if (!offsets || !perChunk || !sizes) return;
  let sample = 0;
  for (let chunk = 0; chunk < offsets.count; chunk++) {
    const samples = perChunk(chunk);
    const from = offsets.at(chunk);
    yield { from, to: from + sizes.sum(sample, samples), isOpen: sizes.isConstant, isPlayed };
    sample += samples;
  }
}

function offsetsIn(bytes: FileBytes, tables: Tables) {
  const long = tables.get("co64");
  const box = long ?? tables.get("stco");
  if (!box) return undefined;
  const width = long ? 8 : 4;
  const table = contentOf(bytes, box);
  return {
    count: entries(table, 4, 8, width),
    at: (chunk: number) =>
      long ? Number(table.readBigUInt64BE(8 + chunk * 8)) : table.readUInt32BE(8 + chunk * 4),
  };
}

/** Returns a function for the number of samples in a chunk. Call it with ascending chunk numbers. */
function samplesPerChunk(bytes: FileBytes, box: Box | undefined): ((chunk: number) => number) | undefined {
  if (!box) return undefined;
  const table = contentOf(bytes, box);
  const count = entries(table, 4, 8, 12);
  let next = 0;
  let samples = 0;
  return (chunk) => {
    for (; next < count && table.readUInt32BE(8 + next * 12) <= chunk + 1; next++)
      samples = table.readUInt32BE(8 + next * 12 + 4);
    return samples;
  };
}

function sizesIn(bytes: FileBytes, tables: Tables) {
  const box = tables.get("stsz") ?? tables.get("stz2");
  if (!box || box.to - box.inner < 12) return undefined;
  const table = contentOf(bytes, box);
  const constant = box.type === "stsz" ? table.readUInt32BE(4) : 0;
  const bits = box.type === "stsz" ? 32 : (table[7] ?? 0);
  if (![4, 8, 16, 32].includes(bits)) return undefined;
  const count = entries(table, 8, 12, bits / 8);
  const sizeOf = (sample: number): number => {
    if (bits === 32) return table.readUInt32BE(12 + sample * 4);
    if (bits === 16) return table.readUInt16BE(12 + sample * 2);
    const byte = table[12 + Math.floor((sample * bits) / 8)] ?? 0;
    return bits === 8 ? byte : sample % 2 === 0 ? byte >> 4 : byte & 15;
  };
  return {
    isConstant: constant > 0,
    sum(first: number, samples: number): number {
      if (constant > 0) return samples * constant;
      let sum = 0;
      for (let sample = first; sample < Math.min(count, first + samples); sample++) sum += sizeOf(sample);
      return sum;
    },
  };
}

/** Returns the number at `countAt`, but at most the number of entries that fit into the table. */
function entries(table: Buffer, countAt: number, from: number, width: number): number {
  if (table.length < from) return 0;
  return Math.min(table.readUInt32BE(countAt), Math.floor((table.length - from) / width));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Box extends Span {
  /** Where the content of the box begins. */
  readonly inner: number;
  readonly type: string;
}

/** Yields the boxes of a span in order. Calls `atRest` with the position at which no further box is found. */
type BoxesIn = (span: Span, atRest?: (from: number) => void) => Generator<Box>;

// The maximum number of boxes. A film has a few thousand. A file with many more is an attack.
const mostBoxes = 100_000;

/** Creates the function that reads the boxes of a film. It stops after `mostBoxes` boxes. */
function createReader(bytes: FileBytes): BoxesIn {
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

/** Replaces a box with an unused box of the same length. */
function empty(bytes: FileBytes, { from, inner, to }: Box): void {
  bytes.write(from + 4, Buffer.from("free"));
  bytes.erase(inner, to - inner);
}

/** Returns a copy of the content of a box. */
const contentOf = (bytes: FileBytes, { inner, to }: Box): Buffer =>
  Buffer.from(bytes.read(inner, to - inner));
