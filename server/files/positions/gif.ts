import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";

/**
 * Keeps of a GIF its images, their timing and how often they repeat. Overwrites comments, texts, the data of programs, and
 * what stands behind the end. Gives whether the picture has a complete header.
 */
export function keepDrawnGif(bytes: FileBytes): boolean {
  const header = bytes.read(6, 7);
  if (header.length < 7 || !isPictureSize(header.readUInt16LE(0), header.readUInt16LE(2))) return false;
  let at = 13 + tableLength(header[4] ?? 0);
  for (let parts = 0; at < bytes.size; parts++) {
    const [kind, label = 0] = bytes.read(at, 2);
    if (parts < mostParts && kind === 0x2c)
      at = endOfBlocks(bytes, at + 11 + tableLength(bytes.read(at + 9, 1)[0] ?? 0));
    else if (parts < mostParts && kind === 0x21) {
      const end = endOfBlocks(bytes, at + 2);
      emptyExtension(bytes, label, { from: at + 2, end });
      at = end;
    } else {
      const behind = at + (kind === 0x3b ? 1 : 0);
      bytes.erase(behind, bytes.size - behind);
      break;
    }
  }
  return true;
}

// An animation has some thousand images and extensions. A file with very many was made to keep the server busy.
const mostParts = 50_000;

/** The length in bytes of the colour table that the flags describe. */
const tableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Where a sequence of blocks ends. Each block begins with its length. */
function endOfBlocks(bytes: FileBytes, from: number): number {
  for (let at = from; at < bytes.size; ) {
    const held = bytes.readAhead(at, 1);
    let next = 0;
    for (let length = held[0]; length !== undefined; length = held[next]) {
      next += 1 + length;
      if (length === 0) return at + next;
    }
    at += next;
  }
  return bytes.size;
}

interface Blocks {
  readonly from: number;
  readonly end: number;
}

function emptyExtension(bytes: FileBytes, label: number, { from, end }: Blocks): void {
  const to = Math.min(end, bytes.size);
  if (label === timing && to - from <= 6) return;
  const name = label === ofProgram ? bytes.read(from, 12).toString("latin1") : "";
  if (repeats.includes(name) && to - from <= longestRepeat) return;
  // Programs expect that the first block has eleven bytes.
  const hasName = name.startsWith("\u000b") && name.length === 12;
  if (hasName) bytes.erase(from + 1, 11);
  emptyBlocks(bytes, hasName ? from + 12 : from, to);
}

const timing = 0xf9;
const ofProgram = 0xff;
const repeats = ["\u000bNETSCAPE2.0", "\u000bANIMEXTS1.0"];
/** The name, the number of repetitions, the size of the buffer and the end mark. */
const longestRepeat = 12 + 4 + 6 + 1;

/**
 * Blocks of spaces that take the same room, with their lengths and the end mark. What programs store in GIF is not always
 * divided into blocks, so the old lengths may be text.
 */
function emptyBlocks(bytes: FileBytes, from: number, to: number): void {
  const last = to - 1;
  for (let at = from; at < last; ) {
    const left = last - at;
    const whole = left - 256 === 1 ? 255 : Math.min(256, left);
    // Into the window, so that a long extension is not written block by block.
    bytes.read(at, whole);
    bytes.write(at, Buffer.of(whole - 1));
    bytes.erase(at + 1, whole - 1, 32);
    at += whole;
  }
  if (last >= from) bytes.erase(last, 1);
}
