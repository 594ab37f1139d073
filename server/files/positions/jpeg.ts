import { removeFromBoxes } from "./boxes.ts";
import { exifWithoutPosition } from "./exif.ts";
import type { FileBytes } from "./file-bytes.ts";
import { isPictureSize } from "./header.ts";
import { namesPosition } from "./named.ts";

/** Removes geographic positions from a JPEG and from the data after it. Gives whether it has a complete header. */
export function removeFromJpeg(bytes: FileBytes): boolean {
  const first = removeFromSegments(bytes, 0);
  const end = bytes.find(endOfImage, first.end);
  if (end !== -1) removeFromTrailer(bytes, end + endOfImage.length);
  return first.isWhole;
}

const startOfImage = Buffer.from([0xff, 0xd8, 0xff]);
const endOfImage = Buffer.from([0xff, 0xd9]);
/** The most pictures after the first one. Cameras add a few: the same picture for other screens, or a short film. */
const mostBehind = 100;

function removeFromTrailer(bytes: FileBytes, from: number): void {
  let at = bytes.find(startOfImage, from);
  for (let pictures = 0; at !== -1 && pictures < mostBehind; pictures++)
    at = bytes.find(startOfImage, removeFromSegments(bytes, at).end);
  const film = bytes.find(Buffer.from("ftyp"), from);
  if (film >= from + 4) removeFromBoxes(bytes, film - 4);
}

interface Segments {
  /** Where the data of the picture begin, or where the file stops being a valid JPEG. */
  readonly end: number;
  readonly isWhole: boolean;
}

function removeFromSegments(bytes: FileBytes, start: number): Segments {
  let hasFrame = false;
  for (let at = start + 2; ; ) {
    const [mark, marker = 0, high = 0, low = 0] = bytes.read(at, 4);
    if (mark !== 0xff || marker === 0xd9) return { end: at, isWhole: false };
    const length = high * 256 + low;
    if (marker === 0xff) at += 1;
    else if (marker === 1 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else if (length < 2 || at + 2 + length > bytes.size) return { end: at + 2, isWhole: false };
    else if (marker === 0xda) return { end: at + 2 + length, isWhole: hasFrame };
    else {
      if (isFrame(marker)) hasFrame = hasSize(bytes.read(at + 5, 4));
      if (mayNamePosition(marker)) removeFromSegment(bytes, at + 4, length - 2);
      at += 2 + length;
    }
  }
}

const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const hasSize = (size: Buffer): boolean =>
  size.length === 4 && isPictureSize(size.readUInt16BE(2), size.readUInt16BE(0));

/** Whether a segment may name a position: application segments and comments, except those for JFIF and colours. */
const mayNamePosition = (marker: number): boolean =>
  marker === 0xfe || (marker > 0xe0 && marker <= 0xef && marker !== 0xe2 && marker !== 0xee);

function removeFromSegment(bytes: FileBytes, at: number, length: number): void {
  const block = Buffer.from(bytes.read(at, length));
  if (block.subarray(0, 6).toString("latin1") === "Exif\0\0") {
    const clean = exifWithoutPosition(block);
    if (clean) bytes.write(at, clean);
  } else if (block.includes(moreXmp) || namesPosition(block) || exifWithoutPosition(block))
    bytes.erase(at, length);
}

/** The mark of XMP that continues over several segments. A segment may end within a word, so the search could miss it. */
const moreXmp = Buffer.from("http://ns.adobe.com/xmp/extension/");
