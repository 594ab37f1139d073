import { crc32 } from "node:zlib";
import { orientationOnly } from "./exif.ts";
import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";

/**
 * Keeps of a PNG the chunks that are needed to draw it, and from EXIF the orientation. Turns all others into chunks of zeros,
 * and overwrites what stands behind the end. Gives whether the picture has a complete header.
 */
export function keepDrawnPng(bytes: FileBytes): boolean {
  const header = bytes.read(8, 25);
  if (header.length < 25 || header.readUInt32BE(0) !== 13 || header.toString("latin1", 4, 8) !== "IHDR")
    return false;
  if (!isPictureSize(header.readUInt32BE(8), header.readUInt32BE(12))) return false;
  let chunks = 0;
  for (let at = 33; at < bytes.size; chunks++) {
    const head = bytes.read(at, 8);
    const type = head.toString("latin1", 4, 8);
    if (head.length < 8 || chunks === mostChunks) {
      bytes.erase(at, bytes.size - at);
      break;
    }
    const length = head.readUInt32BE(0);
    const isWhole = at + 12 + length <= bytes.size;
    if (type === "IEND") bytes.erase(at + 12, bytes.size - at - 12);
    if (type === "IEND" || (!isWhole && needed.has(type))) break;
    if (!isWhole) bytes.erase(at, bytes.size - at);
    else if (type === "eXIf") keepOrientation(bytes, at, length);
    else if (!needed.has(type)) empty(bytes, at, length);
    at += 12 + length;
  }
  return true;
}

// A picture has some hundred. A file with very many was made to keep the server busy.
const mostChunks = 50_000;

/** Size, colours, transparency, animation and data. */
const needed = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);

/** A type that no program knows. Its letters tell programs that they may ignore it. */
const unused = "paDd";

function empty(bytes: FileBytes, at: number, length: number): void {
  bytes.write(at + 4, Buffer.from(unused));
  bytes.erase(at + 8, length);
  let sum = crc32(unused);
  for (let left = length; left > 0; left -= zeros.length) sum = crc32(zeros.subarray(0, left), sum);
  writeSum(bytes, at + 8 + length, sum);
}

const zeros = Buffer.alloc(65_536);

function keepOrientation(bytes: FileBytes, at: number, length: number): void {
  const clean = orientationOnly(Buffer.from(bytes.read(at + 8, length)));
  bytes.write(at + 8, clean);
  writeSum(bytes, at + 8 + length, crc32(clean, crc32("eXIf")));
}

function writeSum(bytes: FileBytes, at: number, sum: number): void {
  const written = Buffer.alloc(4);
  written.writeUInt32BE(sum);
  bytes.write(at, written);
}
