import { type Box, contentOf } from "./boxes.ts";
import type { FileBytes } from "./file-bytes.ts";

/** Bytes of a film that belong to one track. */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  /**
   * Whether the chunk may be longer. Some films store sound in packets and tell the size of what a packet gives, or one byte.
   */
  readonly isOpen: boolean;
  /** Whether it belongs to a track that is seen or heard. */
  readonly isPlayed: boolean;
}

/** The tables of a track, by the types of their boxes. */
export type Tables = ReadonlyMap<string, Box>;

/** The chunks of a track, by its tables. None if a table is missing. */
export function* chunksOf(bytes: FileBytes, tables: Tables, isPlayed: boolean): Generator<Chunk> {
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

/** How many samples a chunk has. Call it with rising numbers of chunks. */
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

/** How many entries a table says that it has at `countAt`, and at most how many fit. */
function entries(table: Buffer, countAt: number, from: number, width: number): number {
  if (table.length < from) return 0;
  return Math.min(table.readUInt32BE(countAt), Math.floor((table.length - from) / width));
}
