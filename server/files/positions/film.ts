import { type Box, type BoxesIn, contentOf, createReader, empty, type Span } from "./boxes.ts";
import { type Chunk, chunksOf } from "./chunks.ts";
import type { FileBytes } from "./file-bytes.ts";
import { chunksOfFragment, type Tracks } from "./fragments.ts";

/**
 * Keeps of an MP4 or QuickTime film what players need to show its pictures and play its sound. All else becomes zeros of the
 * same length: descriptions, tracks of other kinds (places, movements, subtitles), and data that belong to no kept track.
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

/** The most chunks of a film. A film of ten minutes has about 50,000 if each has one picture. */
const mostChunks = 300_000;

function addChunks({ chunks }: Found, more: Iterable<Chunk>): void {
  for (const chunk of more) {
    if (chunks.length >= mostChunks) return;
    chunks.push(chunk);
  }
}

/** Which boxes stay within others: as they are, or with some of their own. */
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

/** Pictures, sound, and a second picture such as the transparency of the first one. */
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

/** The boxes of a track that say what it is and where its data are. */
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
    // The kind of a track is followed by a name that people see.
    else if (part.type === "hdlr") bytes.erase(part.inner + 24, part.to - part.inner - 24);
  }
}

/** Overwrites the data that belong to no played track. */
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

/** What played chunks take, in order. An open chunk goes on to the next one of any track. */
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
