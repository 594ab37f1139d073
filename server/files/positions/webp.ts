import { orientationOnly } from "./exif.ts";
import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";

/**
 * Keeps of a WebP the chunks that are needed to draw it, and from EXIF the orientation. Overwrites the content of all others,
 * and what stands behind the picture. Gives whether the picture has a complete header.
 */
export function keepDrawnWebp(bytes: FileBytes): boolean {
  if (!hasHeader(Buffer.from(bytes.read(12, 18)))) return false;
  const told = bytes.read(4, 4).readUInt32LE(0);
  const end = Math.min(bytes.size, 8 + told + (told % 2));
  keepChunks(bytes, 12, end);
  bytes.erase(end, bytes.size - end);
  return true;
}

const needed = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ICCP"];
/** A frame of an animation: this many bytes, and then chunks of its own. */
const frame = { type: "ANMF", head: 16 };

function keepChunks(bytes: FileBytes, from: number, end: number): void {
  for (let at = from; at + 8 <= end; ) {
    const head = bytes.read(at, 8);
    const type = head.toString("latin1", 0, 4);
    const length = Math.min(head.readUInt32LE(4), end - at - 8);
    const content = at + 8;
    if (type === frame.type) keepChunks(bytes, content + frame.head, content + length);
    else if (type === "EXIF") bytes.write(content, orientationOnly(Buffer.from(bytes.read(content, length))));
    else if (!needed.includes(type)) bytes.erase(content, length);
    at = content + length + (length % 2);
  }
}

/** Whether the first chunk is complete. Each type of chunk stores the size in its own way. */
function hasHeader(head: Buffer): boolean {
  const type = head.toString("latin1", 0, 4);
  if (type === "VP8L") return head.length >= 13 && head[8] === 0x2f;
  if (head.length < 18) return false;
  if (type === "VP8 ")
    return (
      head.readUIntBE(11, 3) === 0x9d012a &&
      isPictureSize(head.readUInt16LE(14) & 0x3fff, head.readUInt16LE(16) & 0x3fff)
    );
  return type === "VP8X" && isPictureSize(head.readUIntLE(12, 3) + 1, head.readUIntLE(15, 3) + 1);
}
