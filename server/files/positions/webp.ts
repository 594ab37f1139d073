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
  keepChunks(bytes, { from: 12, to: end, left: mostChunks, isFrame: false });
  bytes.erase(end, bytes.size - end);
  return true;
}

const needed = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ICCP"];
/** A frame of an animation: this many bytes, and then chunks of its own, none of which is a frame. */
const frame = { type: "ANMF", head: 16 };

// An animation has some thousand frames of up to three chunks. A file with very many was made to keep the server busy.
const mostChunks = 50_000;

interface Span {
  readonly from: number;
  readonly to: number;
  /** How many more chunks are read. */
  readonly left: number;
  /** Whether it is the content of a frame. */
  readonly isFrame: boolean;
}

/** Overwrites what is not needed, also what is no whole chunk at the end. Gives how many more chunks may be read. */
function keepChunks(bytes: FileBytes, { from, to, left, isFrame }: Span): number {
  let at = from;
  let unread = left;
  for (; at + 8 <= to && unread > 0; unread -= 1) {
    const head = bytes.read(at, 8);
    const type = head.toString("latin1", 0, 4);
    const length = Math.min(head.readUInt32LE(4), to - at - 8);
    const content = at + 8;
    if (type === frame.type && !isFrame)
      unread = keepChunks(bytes, {
        from: content + frame.head,
        to: content + length,
        left: unread,
        isFrame: true,
      });
    else if (type === "EXIF") bytes.write(content, orientationOnly(Buffer.from(bytes.read(content, length))));
    else if (!needed.includes(type)) bytes.erase(content, length);
    at = content + length + (length % 2);
  }
  bytes.erase(at, to - at);
  return unread;
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
