import { type Box, type BoxesIn, contentOf, empty } from "./boxes.ts";
import type { Chunk } from "./chunks.ts";
import type { FileBytes } from "./file-bytes.ts";

/** What a film says about its tracks before its fragments begin. */
export interface Tracks {
  /** The numbers of the tracks that are seen or heard. */
  readonly played: ReadonlySet<number>;
  /** The size of a sample by the number of the track, if the fragment does not tell it. */
  readonly sampleSizes: ReadonlyMap<number, number>;
}

/** The chunks of a fragment. Empties the boxes of tracks that are neither seen nor heard. */
export function* chunksOfFragment(
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
  const told = flags & 0x1 ? fields.next(8) : undefined;
  if (flags & 0x2) fields.next(4);
  if (flags & 0x8) fields.next(4);
  const sampleSize = flags & 0x10 ? fields.next(4) : undefined;
  return { track: content.readUInt32BE(4), base: told ?? (flags & 0x20000 ? moof.from : end), sampleSize };
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

/** Reads numbers one after another; 0 behind the end. */
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
