import { crc32, deflateSync } from "node:zlib";

export interface SampleFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

type Build = (size?: number) => SampleFile;

/** The smallest valid files of each kind. With `size`, padded within the format to exactly that many bytes. */
export const png: Build = sample("shot.png", "image/png", (padding) =>
  Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    pngChunk("IHDR", Buffer.from("00000001000000010802000000", "hex")),
    pngChunk("paDd", Buffer.alloc(padding)),
    pngChunk("IDAT", deflateSync(Buffer.from([0, 200, 40, 40]))),
    pngChunk("IEND", Buffer.alloc(0)),
  ]),
);

export const jpeg: Build = sample("shot.jpg", "image/jpeg", (padding) =>
  Buffer.concat([jpegPicture.subarray(0, 2), ...jpegComments(padding), jpegPicture.subarray(2)]),
);

export const gif: Build = sample("shot.gif", "image/gif", (padding) => {
  // A comment is made of blocks of 2 to 256 bytes; a single remaining byte follows the image.
  const over = padding % 256 === 1 ? 1 : 0;
  const blocks = Array.from({ length: Math.ceil((padding - over) / 256) }, (_, at) =>
    Math.min(255, padding - over - at * 256 - 1),
  );
  return Buffer.concat([
    gifPicture.subarray(0, 19),
    Buffer.of(0x21, 0xfe),
    ...blocks.map((length) => Buffer.concat([Buffer.of(length), Buffer.alloc(length, 32)])),
    Buffer.of(0),
    gifPicture.subarray(19),
    Buffer.alloc(over),
  ]);
});

export const webp: Build = sample("shot.webp", "image/webp", (padding) => {
  const chunks = [riffChunk("VP8 ", webpPicture), riffChunk("PAD ", Buffer.alloc(padding - (padding % 2)))];
  // RIFF sizes are even; an odd byte follows the image.
  return Buffer.concat([
    riffChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...chunks])),
    Buffer.alloc(padding % 2),
  ]);
});

export const mp4: Build = sample("clip.mp4", "video/mp4", (padding) => movie("isom", "isommp42", padding));

export const mov: Build = sample("clip.mov", "video/quicktime", (padding) => movie("qt  ", "qt  ", padding));

export const webm: Build = sample("clip.webm", "video/webm", (padding) => {
  const segment = ebml("1549a966", ebml("2ad7b1", Buffer.from("0f4240", "hex")));
  return Buffer.concat([
    ebml("1a45dfa3", Buffer.concat([ebml("4282", Buffer.from("webm")), ebml("4287", Buffer.of(2))])),
    ebml("18538067", Buffer.concat([segment, ebml("ec", Buffer.alloc(padding))])),
  ]);
});

export const pdf: Build = sample("report.pdf", "application/pdf", (padding) => {
  const head = `%PDF-1.4\n%${" ".repeat(padding)}\n`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>",
  ].map((object, at) => `${at + 1} 0 obj${object}endobj\n`);
  const offset = (count: number) => head.length + objects.slice(0, count).join("").length;
  const entry = (at: number) => `${String(at).padStart(10, "0")} 00000 n \n`;
  const xref = `xref\n0 4\n0000000000 65535 f \n${[0, 1, 2].map((at) => entry(offset(at))).join("")}`;
  const trailer = `trailer<</Size 4/Root 1 0 R>>\nstartxref\n${String(offset(3)).padStart(10, "0")}\n%%EOF\n`;
  return Buffer.from(head + objects.join("") + xref + trailer, "latin1");
});

/** The value for a file in the body of a JSON request. */
export const dataUrl = ({ mediaType, bytes }: SampleFile): string =>
  `data:${mediaType};base64,${bytes.toString("base64")}`;

function sample(name: string, mediaType: string, build: (padding: number) => Buffer): Build {
  return (size) => {
    const smallest = build(0);
    const padding = (size ?? smallest.length) - smallest.length;
    if (padding < 0) throw new Error(`A ${mediaType} here has at least ${smallest.length} bytes`);
    return { name, mediaType, bytes: build(padding) };
  };
}

function pngChunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content]);
  return Buffer.concat([uint32(content.length), typed, uint32(crc32(typed))]);
}

// A comment has 4 to 65,537 bytes; one empty comment always exists, so that any padding is possible.
function jpegComments(padding: number): Buffer[] {
  const comments: Buffer[] = [];
  for (let left = padding + 4; left > 0; ) {
    const length = left - 65_537 > 0 && left - 65_537 < 4 ? 65_533 : Math.min(left, 65_537);
    const content = Buffer.alloc(length - 4);
    comments.push(Buffer.concat([Buffer.from([0xff, 0xfe, (length - 2) >> 8, (length - 2) & 255]), content]));
    left -= length;
  }
  return comments;
}

const riffChunk = (type: string, content: Buffer): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(type), size, content]);
};

const box = (type: string, ...content: Buffer[]): Buffer => {
  const whole = Buffer.concat(content);
  return Buffer.concat([uint32(whole.length + 8), Buffer.from(type), whole]);
};

// A video without tracks and without length.
function movie(brand: string, compatible: string, padding: number): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1_000, 12);
  header.writeUInt32BE(0x10000, 20);
  header.writeUInt32BE(1, 96);
  return Buffer.concat([
    box("ftyp", Buffer.from(brand), uint32(512), Buffer.from(compatible)),
    box("moov", box("mvhd", header)),
    box("free", Buffer.alloc(padding)),
  ]);
}

// An element's length, always in 8 bytes.
const ebml = (id: string, content: Buffer): Buffer => {
  const length = Buffer.alloc(8);
  length.writeUInt32BE(0x01000000);
  length.writeUInt32BE(content.length, 4);
  return Buffer.concat([Buffer.from(id, "hex"), length, content]);
};

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

// One pixel each.
const gifPicture = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const webpPicture = Buffer.from("MAEAnQEqAQABAAdAliWkAANwAP7vuQAA", "base64");
const jpegPicture = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAFA3PEY8MlBGQUZaVVBfeMiCeG5uePWvuZHI////////////////////////////////////////////////////2wBDAVVaWnhpeOuCguv/////////////////////////////////////////////////////////////////////////wAARCAABAAEDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAAAAAAAAD/2gAMAwEAAhEDEQA/AIgAf//Z",
  "base64",
);
