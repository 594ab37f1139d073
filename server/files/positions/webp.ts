import { exifWithoutPosition } from "./exif.ts";
import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";
import { namesPosition } from "./named.ts";

/** Removes geographic positions from a WebP. Gives whether it has a complete header. */
export function removeFromWebp(bytes: FileBytes): boolean {
  if (!hasHeader(Buffer.from(bytes.read(12, 18)))) return false;
  for (let at = 12; at + 8 <= bytes.size; ) {
    const head = bytes.read(at, 8);
    const type = head.toString("latin1", 0, 4);
    const length = head.readUInt32LE(4);
    if (type === "EXIF" || type === "XMP ") removeFromChunk(bytes, type, { at: at + 8, length });
    at += 8 + length + (length % 2);
  }
  return true;
}

function removeFromChunk(
  bytes: FileBytes,
  type: "EXIF" | "XMP ",
  { at, length }: { readonly at: number; readonly length: number },
): void {
  const block = Buffer.from(bytes.read(at, Math.min(length, bytes.size - at)));
  const clean = type === "EXIF" ? exifWithoutPosition(block) : undefined;
  if (clean) bytes.write(at, clean);
  else if (type === "XMP " && namesPosition(block)) bytes.write(at, Buffer.alloc(block.length, " "));
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
