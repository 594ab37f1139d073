import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { keepShown } from "../../server/files/positions/remove-positions.ts";
import { fileCalls } from "../support/files/file-calls.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

async function kept(bytes: Buffer, mediaType: string) {
  const path = join(await temporaryFolder(), "file");
  writeFileSync(path, bytes);
  const descriptor = openSync(path, "r+");
  let isWhole = false;
  const calls = await fileCalls(() => {
    isWhole = keepShown(descriptor, bytes.length, mediaType);
  });
  closeSync(descriptor);
  return { isWhole, bytes: readFileSync(path), calls };
}

const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
const place = "lat=52.5";
const uint32 = (value: number): Buffer => {
  const written = Buffer.alloc(4);
  written.writeUInt32BE(value);
  return written;
};
/** As many parts as fit into a file that may be sent. */
const repeated = (part: Buffer, size = 2_000_000): Buffer => Buffer.alloc(size - (size % part.length), part);

function riff(type: string, content: Buffer, told = content.length): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(told);
  return Buffer.concat([latin1(type), length, content, Buffer.alloc(content.length % 2)]);
}

const extended = riff("VP8X", Buffer.from("02000000000000000000", "hex"));
const webpOf = (...chunks: Buffer[]): Buffer =>
  riff("RIFF", Buffer.concat([latin1("WEBP"), extended, ...chunks]));
const frameOf = (content: Buffer): Buffer => riff("ANMF", Buffer.concat([Buffer.alloc(16), content]));

/** Frames within frames, each of 24 bytes more than the next one. */
function nestedFrames(depth: number): Buffer {
  const frames = Buffer.alloc(depth * 24);
  for (let at = 0; at < frames.length; at += 24) {
    frames.write("ANMF", at);
    frames.writeUInt32LE(frames.length - at - 8, at + 4);
  }
  return frames;
}

it("a WebP with frames within frames keeps only the outer frames", async () => {
  const image = riff("ALPH", latin1("drawings"));
  const after = await kept(
    webpOf(frameOf(Buffer.concat([image, frameOf(riff("XMP ", latin1(place)))]))),
    "image/webp",
  );
  expect(after.isWhole).toBe(true);
  expect(after.bytes).toEqual(webpOf(frameOf(Buffer.concat([image, riff("ANMF", Buffer.alloc(32))]))));

  expect((await kept(webpOf(nestedFrames(80_000)), "image/webp")).isWhole).toBe(true);
});

it("a WebP with too many chunks keeps the first chunks", async () => {
  const chunk = riff("ALPH", Buffer.alloc(0));
  const before = webpOf(repeated(chunk));
  const after = await kept(before, "image/webp");
  expect(after.isWhole).toBe(true);
  const end = 12 + extended.length + 49_999 * chunk.length;
  expect(after.bytes.subarray(0, end).equals(before.subarray(0, end))).toBe(true);
  expect(after.bytes.subarray(end).equals(Buffer.alloc(before.length - end))).toBe(true);
});

it("the chunks of all frames of a WebP are counted together", async () => {
  const chunk = riff("ALPH", Buffer.alloc(0));
  const frame = frameOf(repeated(chunk, 8_000));
  const { bytes } = await kept(webpOf(repeated(frame)), "image/webp");
  let chunks = 0;
  for (let at = bytes.indexOf("ALPH"); at !== -1; at = bytes.indexOf("ALPH", at + 4)) chunks += 1;
  expect(chunks).toBeLessThan(50_000);
});

it.each([2, 4, 6])(
  "%i bytes after the last chunk of a WebP, too few for a chunk, are replaced by zeros",
  async (length) => {
    const rest = latin1(place).subarray(0, length);
    const after = await kept(webpOf(frameOf(rest), rest), "image/webp");
    expect(after.bytes).toEqual(webpOf(frameOf(Buffer.alloc(length)), Buffer.alloc(length)));
  },
);

const header = Buffer.from("1a45dfa3874282847765626d", "hex");
const segment = Buffer.from("1853806701ffffffffffffff", "hex");
const webmOf = (...elements: (Buffer | string)[]): Buffer =>
  Buffer.concat([
    header,
    segment,
    ...elements.map((part) => (typeof part === "string" ? Buffer.from(part, "hex") : part)),
  ]);

it.each([
  ["an unknown length in one byte", "bfff"],
  ["an unknown length in two bytes", "bf7fff"],
  ["an unknown length in three bytes", "bf3fffff"],
  ["an unknown length in eight bytes", "bf01ffffffffffffff"],
  ["a length beyond the file", "bf1fffffe0"],
  ["a length over 2^53", "bf01f0000000000000"],
  ["a length of nine bytes", "bf00ffffffffffffff"],
])("a WebM with %s keeps nothing of that element", async (_, head) => {
  for (const length of [8, 125, 126, 127, 128, 16_381, 16_382, 16_383, 16_384, 70_000]) {
    const before = webmOf(head, Buffer.alloc(length, place));
    const { isWhole, bytes } = await kept(before, "video/webm");
    expect(isWhole).toBe(true);
    expect(bytes.length).toBe(before.length);
    expect(bytes.includes(place)).toBe(false);
    expect(bytes.subarray(0, webmOf().length)).toEqual(webmOf());
    // It is replaced by one element of the same length.
    const [first, ...rest] = elementsOf(bytes.subarray(webmOf().length));
    expect([first?.id, rest, length]).toEqual([0xec, [], length]);
  }
});

/**
 * Returns the elements in a range as a strict reader finds them. Throws if one does not end where the next one begins.
 */
function elementsOf(span: Buffer): { readonly id: number; readonly length: number }[] {
  const elements: { id: number; length: number }[] = [];
  for (let at = 0; at < span.length; ) {
    const id = span[at] ?? 0;
    const width = Math.clz32(span[at + 1] ?? 0) - 23;
    const length = Number(
      BigInt(`0x${span.toString("hex", at + 1, at + 1 + width)}`) ^ (1n << BigInt(7 * width)),
    );
    at += 1 + width + length;
    if (at > span.length) throw new Error(`The element ends ${at - span.length} bytes behind the span`);
    elements.push({ id, length });
  }
  return elements;
}

it.each(["bf", "bf01", "1853", "1a45dfa301", "1a45dfa3"])(
  "an incomplete element at the end of a WebM, %s, is removed",
  async (rest) => {
    const { bytes } = await kept(webmOf(rest), "video/webm");
    expect(bytes.length).toBe(webmOf(rest).length);
    expect(bytes.includes(Buffer.from(rest, "hex"), webmOf().length)).toBe(false);
  },
);

it.each(["01", "0000000000000001"])(
  "a WebM loses the blocks of a text track whose number is %s",
  async (number) => {
    const sized = (id: string, content: string | Buffer): Buffer => {
      const bytes = typeof content === "string" ? Buffer.from(content, "hex") : content;
      return Buffer.concat([Buffer.from(id, "hex"), Buffer.of(0x80 | bytes.length), bytes]);
    };
    const entry = sized("ae", Buffer.concat([sized("d7", number), sized("83", "11")]));
    const block = sized("a3", Buffer.concat([Buffer.from("81000080", "hex"), latin1(place)]));
    const before = webmOf(sized("1654ae6b", entry), "1f43b67501ffffffffffffff", block);
    expect((await kept(before, "video/webm")).bytes.includes(place)).toBe(false);
  },
);

const png = Buffer.from(
  "89504e470d0a1a0a0000000d49484452000000010000000108020000000000000000",
  "hex",
).subarray(0, 33);
const gif = Buffer.from("47494638396101000100000000", "hex");
const startOfJpeg = Buffer.from("ffd8ffc0000b080001000101011100ffda0008010100003f00", "hex");
const box = (type: string, ...content: Buffer[]): Buffer => {
  const all = Buffer.concat(content);
  return Buffer.concat([uint32(all.length + 8), latin1(type), all]);
};
const filmType = box("ftyp", latin1("isom\0\0\0\0isom"));

/** Films with nested boxes, as deep as the size allows. */
function nestedBoxes(types: readonly string[], depth: number): Buffer {
  const boxes = Buffer.alloc(depth * 8);
  for (let at = 0; at < boxes.length; at += 8) {
    boxes.writeUInt32BE(boxes.length - at, at);
    boxes.write(types[(at / 8) % types.length] ?? "", at + 4);
  }
  return boxes;
}

/** An EXIF directory that refers to itself, and claims a very large number of entries. */
const endlessExif = Buffer.concat([
  latin1("II*\0"),
  Buffer.from("08000000ffff", "hex"),
  Buffer.alloc(60_000, 8),
]);

it.each<[string, string, Buffer]>([
  ["a WebP of empty chunks", "image/webp", webpOf(repeated(riff("XMP ", Buffer.alloc(0))))],
  ["a WebP of frames in frames", "image/webp", webpOf(nestedFrames(80_000))],
  ["a WebP of EXIF", "image/webp", webpOf(repeated(riff("EXIF", endlessExif)))],
  ["a WebM of empty elements", "video/webm", webmOf(repeated(Buffer.from("bf80", "hex")))],
  ["a WebM of clusters in clusters", "video/webm", webmOf(repeated(Buffer.from("1f43b675ff", "hex")))],
  ["a WebM of groups", "video/webm", webmOf(repeated(Buffer.from("a084a1028180", "hex")))],
  [
    "a PNG of empty chunks",
    "image/png",
    Buffer.concat([png, repeated(Buffer.concat([uint32(0), latin1("tEXt"), uint32(0)]))]),
  ],
  [
    "a PNG of EXIF",
    "image/png",
    Buffer.concat([
      png,
      repeated(Buffer.concat([uint32(26), latin1("eXIf"), endlessExif.subarray(0, 26), uint32(0)])),
    ]),
  ],
  ["a GIF of empty extensions", "image/gif", Buffer.concat([gif, repeated(Buffer.from("21fe00", "hex"))])],
  [
    "a GIF of one long extension",
    "image/gif",
    Buffer.concat([gif, Buffer.of(0x21, 0xfe), repeated(Buffer.of(1, 65))]),
  ],
  [
    "a JPEG of empty segments",
    "image/jpeg",
    Buffer.concat([startOfJpeg, repeated(Buffer.from("fffe0002", "hex"))]),
  ],
  ["a JPEG of fill bytes", "image/jpeg", Buffer.concat([startOfJpeg, repeated(Buffer.of(0xff))])],
  ["a JPEG of restarts", "image/jpeg", Buffer.concat([startOfJpeg, repeated(Buffer.from("ffd0", "hex"))])],
  [
    "a JPEG of EXIF",
    "image/jpeg",
    Buffer.concat([
      startOfJpeg.subarray(0, 2),
      repeated(Buffer.concat([Buffer.from("ffe1ea70", "hex"), latin1("Exif\0\0"), endlessExif])),
    ]),
  ],
  ["an MP4 of empty boxes", "video/mp4", Buffer.concat([filmType, repeated(box("udta"))])],
  [
    "an MP4 of boxes in boxes",
    "video/mp4",
    Buffer.concat([filmType, nestedBoxes(["moov", "trak", "mdia", "minf", "stbl"], 200_000)]),
  ],
  [
    "an MP4 of tracks in tracks",
    "video/mp4",
    Buffer.concat([filmType, box("moov", nestedBoxes(["trak"], 200_000))]),
  ],
  [
    "a film whose chunks lie over each other",
    "video/quicktime",
    Buffer.concat([filmType, box("mdat", Buffer.alloc(100, place)), overlappingFilm()]),
  ],
  [
    "a PDF of streams",
    "application/pdf",
    Buffer.concat([latin1("%PDF-1.4\n"), repeated(latin1(">>stream\nendstream"))]),
  ],
  [
    "a PDF of the beginnings of streams",
    "application/pdf",
    Buffer.concat([latin1("%PDF-1.4\n"), repeated(latin1(">>stream\n"))]),
  ],
  [
    "a PDF of small JPEGs",
    "application/pdf",
    Buffer.concat([
      latin1("%PDF-1.4\n"),
      repeated(Buffer.concat([latin1(">>stream\n"), Buffer.from("ffd8ff00", "hex"), latin1("\nendstream")])),
    ]),
  ],
  [
    "a PDF of gaps",
    "application/pdf",
    Buffer.concat([latin1("%PDF-1.4\n"), repeated(latin1(`/Filter${" ".repeat(1_990)}>>stream\nendstream`))]),
  ],
])("%s is read in large parts", async (_, mediaType, bytes) => {
  const { calls } = await kept(bytes, mediaType);
  // Each piece has 64 KiB. Some are read twice, and most are written.
  expect(calls).toBeLessThan(20 + (5 * bytes.length) / 65_536);
});

function overlappingFilm(): Buffer {
  const chunks = 200_000;
  const times = Buffer.alloc(4);
  const sizes = Buffer.concat([times, uint32(0xffffffff), uint32(0xffffffff)]);
  const perChunk = Buffer.concat([times, uint32(1), uint32(1), uint32(0xffffffff), uint32(1)]);
  const offsets = Buffer.concat([times, uint32(0xffffffff), Buffer.alloc(chunks * 4)]);
  const tables = box("stbl", box("stsz", sizes), box("stsc", perChunk), box("stco", offsets));
  const handler = box("hdlr", latin1("\0\0\0\0\0\0\0\0vide"));
  return box("moov", box("trak", box("mdia", handler, box("minf", tables))));
}
