import { exifPrefix, orientationOnly } from "./exif.ts";
import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";

/**
 * Keeps of the JPEG from `start` what is needed to draw it: its size, tables and data, JFIF, the colour profile, the colours
 * of Adobe, and from EXIF the orientation. Overwrites all else up to `end`, also what stands behind the picture: cameras put
 * further pictures and films there, each with its place. Gives whether the picture has a complete header.
 */
export function keepDrawnJpeg(bytes: FileBytes, start = 0, end = bytes.size): boolean {
  let hasFrame = false;
  let isWhole = false;
  const stop = (from: number) => {
    bytes.erase(from, end - from);
    return isWhole;
  };
  let segments = 0;
  for (let at = start + 2; at < end; segments++) {
    if (segments === mostSegments) return stop(at);
    const [mark, marker = 0, high = 0, low = 0] = bytes.read(at, 4);
    if (marker === 0xd9 && mark === 0xff) return stop(at + 2);
    const length = high * 256 + low;
    if (mark !== 0xff || marker === 0) at = skipped(bytes, at, end);
    else if (marker === 0xff) at += 1;
    else if (marker === 1 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (length < 2 || at + 2 + length > end) return stop(at);
    else {
      if (isFrame(marker)) hasFrame = hasSize(bytes.read(at + 5, 4));
      if (marker === 0xda && !hasFrame) return stop(at);
      if (!isNeeded(marker)) keepDrawn(bytes, { marker, at: at + 4, length: length - 2 });
      at += 2 + length;
      if (marker !== 0xda) continue;
      isWhole = true;
      at = endOfScan(bytes, at, end);
    }
  }
  return isWhole;
}

/** Overwrites what stands between two segments, where readers of pictures ignore it. Gives where it ends. */
function skipped(bytes: FileBytes, at: number, end: number): number {
  const next = bytes.find(Buffer.of(0xff), at + 1, end);
  const to = next === -1 ? end : next;
  bytes.erase(at, to - at);
  return to;
}

// A picture has less than a hundred. A file with very many was made to keep the server busy.
const mostSegments = 20_000;

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const hasSize = (size: Buffer): boolean =>
  size.length === 4 && isPictureSize(size.readUInt16BE(2), size.readUInt16BE(0));

/** Frames, tables and scans. All other segments describe the picture. */
const isNeeded = (marker: number): boolean => marker >= 0xc0 && marker <= 0xdf;

interface Segment {
  readonly marker: number;
  readonly at: number;
  readonly length: number;
}

function keepDrawn(bytes: FileBytes, { marker, at, length }: Segment): void {
  const name = bytes.read(at, Math.min(length, 12)).toString("latin1");
  if (marker === 0xe1 && name.startsWith(exifPrefix.toString("latin1")))
    bytes.write(at, orientationOnly(Buffer.from(bytes.read(at, length))));
  else if (marker === 0xe0 && name.startsWith("JFIF\0") && length >= jfifLength) {
    // The size of the small picture, which may follow, is zero.
    bytes.erase(at + jfifLength - 2, length - jfifLength + 2);
  } else if (marker === 0xee && name.startsWith("Adobe")) bytes.erase(at + 12, length - 12);
  else if (marker !== 0xe2 || name !== "ICC_PROFILE\0") bytes.erase(at, length);
}

const jfifLength = 14;

/** Where the data of a scan end: at the next marker that is neither a restart nor a data byte 0xff. */
function endOfScan(bytes: FileBytes, from: number, end: number): number {
  for (let at = from; at + 1 < end; ) {
    const held = bytes.readAhead(at, 2);
    let found = held.indexOf(0xff);
    while (found !== -1 && found + 1 < held.length) {
      const next = held[found + 1] ?? 0;
      if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at + found;
      found = held.indexOf(0xff, found + 2);
    }
    at += found === -1 ? held.length : found;
  }
  return end;
}
