import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";
import { namesPosition } from "./named.ts";

/** Removes geographic positions from a GIF. Gives whether it has a complete header. */
export function removeFromGif(bytes: FileBytes): boolean {
  const header = bytes.read(6, 7);
  if (header.length < 7 || !isPictureSize(header.readUInt16LE(0), header.readUInt16LE(2))) return false;
  let at = 13 + tableLength(header[4] ?? 0);
  while (at < bytes.size) {
    const [kind, label] = bytes.read(at, 2);
    if (kind === 0x2c) at = endOfBlocks(bytes, at + 11 + tableLength(bytes.read(at + 9, 1)[0] ?? 0));
    else if (kind === 0x21) {
      if (label === 0xff) removeFromApplication(bytes, at + 2);
      at = endOfBlocks(bytes, at + 2);
    } else break;
  }
  return true;
}

/** The length in bytes of the colour table that the flags describe. */
const tableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Where a sequence of blocks ends. Each block begins with its length. */
function endOfBlocks(bytes: FileBytes, from: number): number {
  let at = from;
  for (;;) {
    const [length] = bytes.read(at, 1);
    if (length === undefined) return bytes.size;
    at += 1 + length;
    if (length === 0) return at;
  }
}

function removeFromApplication(bytes: FileBytes, at: number): void {
  if (bytes.read(at, 12).toString("latin1") !== "\u000bXMP DataXMP") return;
  const from = at + 12;
  const length = Math.min(endOfBlocks(bytes, from), bytes.size) - from;
  if (length > 1 && namesPosition(Buffer.from(bytes.read(from, length))))
    bytes.write(from, emptyBlocks(length));
}

/** Blocks of zeros that take `length` bytes in total, with their lengths and the end mark. */
function emptyBlocks(length: number): Buffer {
  const blocks = Buffer.alloc(length);
  for (let at = 0; at < length - 1; ) {
    const left = length - 1 - at;
    const whole = left - 256 === 1 ? 255 : Math.min(256, left);
    blocks[at] = whole - 1;
    at += whole;
  }
  return blocks;
}
