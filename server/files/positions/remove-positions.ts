import { crc32, deflateSync } from "node:zlib";
import { type FileBytes, openBytes } from "./file-bytes.ts";
import { keepPlayedFilm } from "./film.ts";
import { keepPlayedWebm } from "./webm.ts";

/**
 * Overwrites data that is not needed to show the file. Returns false for a picture without a complete header.
 * Throws an Error for an unknown type. (rule F17)
 */
export function keepShown(descriptor: number, size: number, mediaType: string): boolean {
  const bytes = openBytes(descriptor, size);
  const isWhole = keepShownOf(bytes, mediaType);
  bytes.flush();
  return isWhole;
}

function keepShownOf(bytes: FileBytes, mediaType: string): boolean {
  switch (mediaType) {
    case "image/jpeg":
      return keepDrawnJpeg(bytes);
    case "image/png":
      return keepDrawnPng(bytes);
    case "image/webp":
      return keepDrawnWebp(bytes);
    case "image/gif":
      return keepDrawnGif(bytes);
    case "video/mp4":
    case "video/quicktime":
      keepPlayedFilm(bytes);
      return true;
    case "video/webm":
      keepPlayedWebm(bytes);
      return true;
    case "application/pdf":
      removeFromPdf(bytes);
      return true;
    // The server recognises these types only to name them in an error. Such files are never stored.
    case "image/heic":
    case "image/avif":
      return true;
    default:
      throw new Error(`There is no rule for the data to keep in ${mediaType}`);
  }
}

/** Overwrites the metadata of a PDF and of its JPEG pictures. Moves no bytes. A signed PDF stays unchanged. */
function removeFromPdf(bytes: FileBytes): void {
  if (bytes.find(Buffer.from("/ByteRange"), 0) !== -1) return;
  for (const stream of streamsOf(bytes)) {
    if (isJpeg(bytes, stream)) keepDrawnJpeg(bytes, stream.from, stream.to);
    else if (isMetadata.test(stream.description)) emptyStream(bytes, stream);
  }
}

/** How many times at most the word `stream` is searched in a file. */
const mostStreams = 100_000;

interface Stream {
  /** The text before the content of the stream. It describes the content. */
  readonly description: string;
  readonly from: number;
  readonly to: number;
}

const begin = Buffer.from("stream");

const end = Buffer.from("endstream");

/** How many characters before a stream are read, in order to find the beginning of its description. */
const shortDescription = 200;
const longDescription = 2_000;

function* streamsOf(bytes: FileBytes): Generator<Stream> {
  let found = 0;
  for (let at = bytes.find(begin, 0); at !== -1 && found < mostStreams; found += 1) {
    const after = at + begin.length;
    const [first, second] = bytes.read(after, 2);
    const isStream = (first === 13 || first === 10) && textBefore(bytes, at, 20).trimEnd().endsWith(">>");
    const from = after + (first === 13 && second === 10 ? 2 : 1);
    const to = isStream ? bytes.find(end, from) : after;
    if (to === -1) return;
    if (isStream) {
      yield {
        description: descriptionBefore(bytes, at),
        from,
        to: beforeLineEnd(bytes, from, to),
      };
    }
    at = bytes.find(begin, isStream ? to + end.length : after);
  }
}

function descriptionBefore(bytes: FileBytes, at: number): string {
  const near = textBefore(bytes, at, shortDescription);
  const text = near.includes(" obj") ? near : textBefore(bytes, at, longDescription);
  return text.slice(text.lastIndexOf(" obj") + 1);
}

function textBefore(bytes: FileBytes, at: number, most: number): string {
  const from = Math.max(0, at - most);
  return bytes.read(from, at - from).toString("latin1");
}

function beforeLineEnd(bytes: FileBytes, from: number, to: number): number {
  const last = bytes.read(Math.max(from, to - 2), Math.min(2, to - from)).toString("latin1");
  if (last.endsWith("\r\n")) return to - 2;
  return last.endsWith("\n") || last.endsWith("\r") ? to - 1 : to;
}

const isMetadata = /\/Type\s*\/Metadata\b|\/Subtype\s*\/XML\b/;

const isCompressed = /\/Filter[\s[]*\/(FlateDecode|Fl)\b/;

const isJpeg = (bytes: FileBytes, { from, to }: Stream): boolean =>
  to - from > 3 && bytes.read(from, 3).equals(Buffer.from([0xff, 0xd8, 0xff]));

/**
 * Fills a stream with spaces. If the description says that the stream is compressed, the spaces are compressed, too.
 */
function emptyStream(bytes: FileBytes, { description, from, to }: Stream): void {
  bytes.erase(from, to - from, isCompressed.test(description) ? 0 : 32);
  if (isCompressed.test(description) && to - from >= compressedSpace.length)
    bytes.write(from, compressedSpace);
}

const compressedSpace = deflateSync(" ");

/**
 * Overwrites what is not needed to draw a JPEG, and everything after the picture. Returns whether the header is
 * complete.
 */
function keepDrawnJpeg(bytes: FileBytes, start = 0, end = bytes.size): boolean {
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
      if (!isNeeded(marker)) keepDrawn(bytes, marker, at + 4, length - 2);
      at += 2 + length;
      if (marker !== 0xda) continue;
      isWhole = true;
      at = endOfScan(bytes, at, end);
    }
  }
  return isWhole;
}

/**
 * Overwrites the bytes between two segments. Programs ignore these bytes. Returns the position at which they end.
 */
function skipped(bytes: FileBytes, at: number, end: number): number {
  const next = bytes.find(Buffer.of(0xff), at + 1, end);
  const to = next === -1 ? end : next;
  bytes.erase(at, to - at);
  return to;
}

// A picture has fewer than a hundred segments. A file with many more is an attack on the server.
const mostSegments = 20_000;

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const hasSize = (size: Buffer): boolean =>
  size.length === 4 && isPictureSize(size.readUInt16BE(2), size.readUInt16BE(0));

/** Whether a segment is a frame, a table or a scan. All other segments contain only data about the picture. */
const isNeeded = (marker: number): boolean => marker >= 0xc0 && marker <= 0xdf;

function keepDrawn(bytes: FileBytes, marker: number, at: number, length: number): void {
  const name = bytes.read(at, Math.min(length, 12)).toString("latin1");
  if (marker === 0xe1 && name.startsWith(exifPrefix.toString("latin1")))
    bytes.write(at, orientationOnly(Buffer.from(bytes.read(at, length))));
  else if (marker === 0xe0 && name.startsWith("JFIF\0") && length >= jfifLength) {
    // The JFIF header ends with a small preview. The next line overwrites the preview and its size.
    bytes.erase(at + jfifLength - 2, length - jfifLength + 2);
  } else if (marker === 0xee && name.startsWith("Adobe")) bytes.erase(at + 12, length - 12);
  else if (marker !== 0xe2 || name !== "ICC_PROFILE\0") bytes.erase(at, length);
}

const jfifLength = 14;

/** Returns the end of a JPEG scan. The bytes 0xff 0x00 and restart markers belong to the scan. */
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

/** Overwrites chunks that are not needed to draw a PNG. Returns whether the picture has a complete header. */
function keepDrawnPng(bytes: FileBytes): boolean {
  const header = bytes.read(8, 25);
  if (header.length < 25 || header.readUInt32BE(0) !== 13 || header.toString("latin1", 4, 8) !== "IHDR")
    return false;
  if (!isPictureSize(header.readUInt32BE(8), header.readUInt32BE(12))) return false;
  let chunks = 0;
  for (let at = 33; at < bytes.size; chunks++) {
    const head = bytes.read(at, 8);
    const type = head.toString("latin1", 4, 8);
    if (head.length < 8 || chunks === mostPngChunks) {
      bytes.erase(at, bytes.size - at);
      break;
    }
    const length = head.readUInt32BE(0);
    const isWhole = at + 12 + length <= bytes.size;
    if (type === "IEND") bytes.erase(at + 12, bytes.size - at - 12);
    if (type === "IEND" || (!isWhole && neededInPng.has(type))) break;
    if (!isWhole) bytes.erase(at, bytes.size - at);
    else if (type === "eXIf") keepOrientation(bytes, at, length);
    else if (!neededInPng.has(type)) empty(bytes, at, length);
    at += 12 + length;
  }
  return true;
}

// A picture has a few hundred chunks. A file with many more is an attack on the server.
const mostPngChunks = 50_000;

/** The PNG chunks for size, colours, transparency, animation and data. */
const neededInPng = new Set(
  "IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB iCCP cICP mDCV cLLI sBIT bKGD pHYs acTL fcTL fdAT".split(" "),
);

/** A chunk type that no program uses. It begins with a small letter, so programs may ignore the chunk. */
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

/** Overwrites chunks that are not needed to draw a WebP. Returns whether the picture has a complete header. */
function keepDrawnWebp(bytes: FileBytes): boolean {
  if (!hasHeader(Buffer.from(bytes.read(12, 18)))) return false;
  const size = bytes.read(4, 4).readUInt32LE(0);
  const end = Math.min(bytes.size, 8 + size + (size % 2));
  keepChunks(bytes, { from: 12, to: end, left: mostWebpChunks, isFrame: false });
  bytes.erase(end, bytes.size - end);
  return true;
}

const neededInWebp = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ICCP"];

/** A frame of an animation has `head` bytes before its inner chunks. A frame contains no other frames. */
const frame = { type: "ANMF", head: 16 };

// An animation has a few thousand frames with up to three chunks. Many more chunks are an attack.
const mostWebpChunks = 50_000;

/**
 * Overwrites unneeded chunks of a WebP, and an incomplete last chunk. Returns how many more chunks may be read.
 */
function keepChunks(
  bytes: FileBytes,
  {
    from,
    to,
    left,
    isFrame,
  }: {
    readonly from: number;
    readonly to: number;
    /** How many more chunks may be read. */
    readonly left: number;
    /** Whether the bytes between `from` and `to` are the content of a frame. */
    readonly isFrame: boolean;
  },
): number {
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
    else if (!neededInWebp.includes(type)) bytes.erase(content, length);
    at = content + length + (length % 2);
  }
  bytes.erase(at, to - at);
  return unread;
}

/** Whether the first chunk contains a valid picture size. Each type of chunk stores the size in a different way. */
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

/**
 * Keeps the images of a GIF, their timing and repetitions. Returns whether the picture has a complete header.
 */
function keepDrawnGif(bytes: FileBytes): boolean {
  const header = bytes.read(6, 7);
  if (header.length < 7 || !isPictureSize(header.readUInt16LE(0), header.readUInt16LE(2))) return false;
  let at = 13 + tableLength(header[4] ?? 0);
  for (let parts = 0; at < bytes.size; parts++) {
    const [kind, label = 0] = bytes.read(at, 2);
    if (parts < mostParts && kind === 0x2c)
      at = endOfBlocks(bytes, at + 11 + tableLength(bytes.read(at + 9, 1)[0] ?? 0));
    else if (parts < mostParts && kind === 0x21) {
      const end = endOfBlocks(bytes, at + 2);
      emptyExtension(bytes, label, at + 2, end);
      at = end;
    } else {
      const behind = at + (kind === 0x3b ? 1 : 0);
      bytes.erase(behind, bytes.size - behind);
      break;
    }
  }
  return true;
}

// An animation has a few thousand images and extensions. A file with many more is an attack on the server.
const mostParts = 50_000;

/** Returns the length in bytes of the colour table of a GIF that `flags` describe. */
const tableLength = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** Returns where a sequence of blocks ends. Each block begins with its length. */
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

function emptyExtension(bytes: FileBytes, label: number, from: number, end: number): void {
  const to = Math.min(end, bytes.size);
  if (label === timing && to - from <= 6) return;
  const name = label === ofProgram ? bytes.read(from, 12).toString("latin1") : "";
  if (repeats.includes(name) && to - from <= longestRepeat) return;
  // The first block contains a program's name. Programs expect eleven bytes in this block, so the block keeps
  // its length.
  const hasName = name.startsWith("\u000b") && name.length === 12;
  if (hasName) bytes.erase(from + 1, 11);
  emptyBlocks(bytes, hasName ? from + 12 : from, to);
}

const timing = 0xf9;

const ofProgram = 0xff;

const repeats = ["\u000bNETSCAPE2.0", "\u000bANIMEXTS1.0"];

/**
 * The number of bytes that a GIF extension for repetitions needs for its name, repetitions, buffer size and
 * end byte.
 */
const longestRepeat = 12 + 4 + 6 + 1;

/**
 * Replaces blocks with blocks of spaces. Also overwrites the old lengths, because in some files a length is a
 * letter of a text.
 */
function emptyBlocks(bytes: FileBytes, from: number, to: number): void {
  const last = to - 1;
  for (let at = from; at < last; ) {
    const left = last - at;
    const whole = left - 256 === 1 ? 255 : Math.min(256, left);
    // This read moves the window of `bytes` to the block. Without it, each write would go to the disk separately.
    bytes.read(at, whole);
    bytes.write(at, Buffer.of(whole - 1));
    bytes.erase(at + 1, whole - 1, 32);
    at += whole;
  }
  if (last >= from) bytes.erase(last, 1);
}

/** Returns EXIF data of the same length that contain only the orientation of the picture. */
function orientationOnly(block: Buffer): Buffer {
  const clean = Buffer.alloc(block.length);
  const start = block.subarray(0, exifPrefix.length).equals(exifPrefix) ? exifPrefix.length : 0;
  exifPrefix.copy(clean, 0, 0, start);
  if (block.length - start >= directory.length) {
    directory.copy(clean, start);
    clean.writeUInt16LE(orientationOf(block.subarray(start)), start + orientationAt);
  }
  return clean;
}

const exifPrefix = Buffer.from("Exif\0\0", "latin1");

// A little-endian TIFF. Its one directory, at byte 8, has one entry: the orientation (tag 0x0112, one SHORT).
const directory = Buffer.from("49492a0008000000010012010300010000000100000000000000", "hex");

const orientationAt = 18;

/** Returns the orientation of the picture, 1 to 8. The default is 1. */
function orientationOf(tiff: Buffer): number {
  const little = tiff.toString("latin1", 0, 2) === "II";
  const uint16 = (at: number) =>
    at + 2 > tiff.length ? 0 : little ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const first = uint16(little ? 4 : 6) + uint16(little ? 6 : 4) * 65_536;
  const count = uint16(first);
  for (let at = first + 2; at < first + 2 + count * 12 && at < tiff.length; at += 12) {
    if (uint16(at) !== 0x0112) continue;
    const turned = uint16(at + 8);
    return turned >= 1 && turned <= 8 ? turned : 1;
  }
  return 1;
}

/** The maximum number of pixels. A greater number is an attack on the program that shows the picture. */
const mostPixels = 2 ** 28;

/** Whether a real picture can have this width and height. */
const isPictureSize = (width: number, height: number): boolean =>
  width > 0 && height > 0 && width * height <= mostPixels;
