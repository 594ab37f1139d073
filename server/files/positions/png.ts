import { crc32 } from "node:zlib";
import { exifWithoutPosition } from "./exif.ts";
import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";
import { namesPosition } from "./named.ts";

/** Removes geographic positions from a PNG. Gives whether it has a complete header. */
export function removeFromPng(bytes: FileBytes): boolean {
  const header = bytes.read(8, 25);
  if (header.length < 25 || header.readUInt32BE(0) !== 13 || header.toString("latin1", 4, 8) !== "IHDR")
    return false;
  if (!isPictureSize(header.readUInt32BE(8), header.readUInt32BE(12))) return false;
  for (let at = 33; at + 12 <= bytes.size; ) {
    const head = bytes.read(at, 8);
    const chunk = { at, length: head.readUInt32BE(0), type: head.toString("latin1", 4, 8) };
    if (chunk.type === "IEND" || at + 12 + chunk.length > bytes.size) break;
    removeFromChunk(bytes, chunk);
    at += 12 + chunk.length;
  }
  return true;
}

interface Chunk {
  readonly at: number;
  readonly length: number;
  readonly type: string;
}

function removeFromChunk(bytes: FileBytes, chunk: Chunk): void {
  const isText = ["tEXt", "zTXt", "iTXt"].includes(chunk.type);
  if (!isText && !["eXIf", "zxIf"].includes(chunk.type)) return;
  const block = Buffer.from(bytes.read(chunk.at + 8, chunk.length));
  if (!isText) {
    const clean = exifWithoutPosition(block);
    if (clean) writeChunk(bytes, chunk.at, { type: chunk.type, content: clean });
  } else if (mayHoldPosition(chunk.type, block))
    writeChunk(bytes, chunk.at, { type: "tEXt", content: emptyText(chunk.length) });
}

/** Whether a text chunk may hold a position. Text that is compressed or written in digits is judged by its name. */
function mayHoldPosition(type: string, block: Buffer): boolean {
  const name = block.toString("latin1", 0, Math.max(0, block.indexOf(0)));
  const isHidden = type === "zTXt" || (type === "iTXt" && block[name.length + 1] === 1);
  return (
    namesPosition(block) ||
    /raw profile/i.test(name) ||
    (isHidden && /xmp|exif|iptc|app1|comment/i.test(name))
  );
}

/** A text chunk without content: a name of one letter, and blanks. */
function emptyText(length: number): Buffer {
  const text = Buffer.alloc(length, " ");
  text.write("c\0".slice(0, length), "latin1");
  return text;
}

function writeChunk(
  bytes: FileBytes,
  at: number,
  { type, content }: { readonly type: string; readonly content: Buffer },
): void {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(typed));
  bytes.write(at + 4, Buffer.concat([typed, sum]));
}
