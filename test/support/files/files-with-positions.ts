import { crc32, deflateSync } from "node:zlib";
import { gif, jpeg, mov, mp4, pdf, png, type SampleFile, webm, webp } from "./sample-files.ts";

/** A file with the place where it was taken, and the offset of that place in the file. All other bytes must stay. */
export interface FileWithPosition extends SampleFile {
  readonly place: { readonly from: number; readonly to: number };
  /** The orientation of the image, if the file has one. */
  readonly orientation?: number;
}

/** The place in every such file: as text, and as the rational numbers of EXIF. */
export const positionText = "+52.5200+013.4050/";
export const positionNumbers = (isLittle: boolean): Buffer =>
  Buffer.concat([52, 1, 31, 1, 12, 1].map((value) => uint32(value, isLittle)));

/** Over sixty files of all kinds that can contain a place, in all possible forms. */
export const filesWithPositions = (): FileWithPosition[] => [
  ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((turned) => [
    inJpeg(app1(exif(turned, true)), turned),
    inJpeg(app1(exif(turned, false)), turned),
    inPng("eXIf", exif(turned, true, ""), turned),
    inWebp("EXIF", exif(turned, false, turned % 2 ? "" : undefined), turned),
  ]),
  inJpeg(app1(exif(6, true, undefined, 13)), 6),
  inJpeg(app1(Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`))),
  inJpeg(app1(Buffer.from(`http://ns.adobe.com/xap/1.0/\0${xmp}`, "utf16le"))),
  inJpeg(app1(Buffer.from(`http://ns.adobe.com/xmp/extension/\0${"A".repeat(32)}\0\0\0\0\0\0\0\0${xmp}`))),
  inJpeg(segment(0xed, Buffer.from(`Photoshop 3.0\u00008BIM${xmp}`))),
  inJpeg(segment(0xfe, Buffer.from(`GPS ${positionText}`))),
  inJpeg(Buffer.concat([segment(0xe3, Buffer.alloc(20)), app1(exif(3, true))]), 3),
  behindJpeg(Buffer.from(inJpeg(app1(exif(1, false))).bytes)),
  behindJpeg(Buffer.concat([Buffer.alloc(30, 1), filmOf("isom", udta(xyz))])),
  inPng("iTXt", Buffer.concat([Buffer.from("XML:com.adobe.xmp\0\0\0\0\0"), Buffer.from(xmp)])),
  inPng(
    "iTXt",
    Buffer.concat([Buffer.from("XML:com.adobe.xmp\0\u0001\0\0\0"), deflateSync(Buffer.from(xmp))]),
  ),
  inPng("zTXt", Buffer.concat([Buffer.from("Raw profile type xmp\0\0"), deflateSync(Buffer.from(xmp))])),
  inPng("tEXt", Buffer.from(`Raw profile type APP1\0\n${exif(1, true).toString("hex")}`)),
  inPng("tEXt", Buffer.from(`Location\0${positionText}`)),
  inPng("tEXt", Buffer.from(`exif:GPSLatitude\0${positionText}`)),
  inWebp("XMP ", Buffer.from(xmp)),
  inWebp("XMP ", Buffer.from(`${xmp} `)),
  ...[xmp, `${xmp}${" ".repeat(300)}`, `${xmp}${" ".repeat(513)}`].map(inGif),
  ...[mp4, mov].flatMap(({ name }) => {
    const brand = name === mp4.name ? "isom" : "qt  ";
    return [udta(xyz), udta(loci), uuidXmp, track(udta(xyz)), keyed(true), keyed(false), dashCam].map((box) =>
      inFilm(brand, box),
    );
  }),
  inPng("zTXt", Buffer.concat([Buffer.from("Description\0\0"), deflateSync(Buffer.from(positionText))])),
  inPng("caBX", Buffer.from(positionText)),
  withBlock(png(), png().bytes.length, Buffer.from(positionText)),
  withBlock(gif(), 19, Buffer.concat([Buffer.of(0x21, 0xfe, 18), Buffer.from(positionText), Buffer.of(0)])),
  withBlock(gif(), gif().bytes.length, Buffer.from(positionText)),
  inJpeg(
    segment(
      0xed,
      Buffer.from(`Photoshop 3.0\u00008BIM\u0004\u0004\0\0\0\0\0\u0017\u001c\u0002Z\0\u0012${positionText}`),
    ),
  ),
  inJpeg(segment(0xeb, Buffer.from(`JP\0\u0001\0\0\0\u0001${positionText}`))),
  inWebp("ABCD", Buffer.from(positionText)),
  inWebm("1254c367", positionText),
  inWebm("1941a469", positionText),
  inWebm("1043a770", positionText),
  inPdf(xmp),
  inPdf(`<photoshop:City>${positionText}</photoshop:City>`),
];

const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description exif:GPSLatitude="${positionText}"/></x:xmpmeta>`;

function uint32(value: number, isLittle: boolean): Buffer {
  const bytes = Buffer.alloc(4);
  if (isLittle) bytes.writeUInt32LE(value);
  else bytes.writeUInt32BE(value);
  return bytes;
}

function uint16(value: number, isLittle: boolean): Buffer {
  return isLittle ? Buffer.of(value & 255, value >> 8) : Buffer.of(value >> 8, value & 255);
}

/** EXIF with an orientation and a GPS directory that has a latitude. */
function exif(turned: number, isLittle: boolean, prefix = "Exif\0\0", pointerType = 4): Buffer {
  const short = (value: number) => uint16(value, isLittle);
  const long = (value: number) => uint32(value, isLittle);
  const entry = (tag: number, type: number, count: number, value: Buffer) =>
    Buffer.concat([short(tag), short(type), long(count), value]);
  const head = Buffer.concat([Buffer.from(isLittle ? "II" : "MM"), short(42), long(8)]);
  const directory = Buffer.concat([
    short(2),
    entry(0x0112, 3, 1, Buffer.concat([short(turned), short(0)])),
    entry(0x8825, pointerType, 1, long(38)),
    long(0),
  ]);
  const gps = Buffer.concat([short(1), entry(2, 5, 3, long(56)), long(0)]);
  return Buffer.concat([Buffer.from(prefix), head, directory, gps, positionNumbers(isLittle)]);
}

const segment = (marker: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0xff, marker), uint16(content.length + 2, false), content]);
const app1 = (content: Buffer): Buffer => segment(0xe1, content);

/** The file with `block` at a byte offset. */
function withBlock(sample: SampleFile, at: number, block: Buffer, orientation?: number): FileWithPosition {
  const bytes = Buffer.concat([sample.bytes.subarray(0, at), block, sample.bytes.subarray(at)]);
  const place = { from: at, to: at + block.length };
  return { ...sample, bytes, place, ...(orientation === undefined ? {} : { orientation }) };
}

const inJpeg = (block: Buffer, orientation?: number) => withBlock(jpeg(), 2, block, orientation);
const behindJpeg = (block: Buffer) => withBlock(jpeg(), jpeg().bytes.length, block);

function inPng(type: string, content: Buffer, orientation?: number): FileWithPosition {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const chunk = Buffer.concat([uint32(content.length, false), typed, uint32(crc32(typed), false)]);
  return withBlock(png(), 33, chunk, orientation);
}

function inWebp(type: string, content: Buffer, orientation?: number): FileWithPosition {
  const { bytes } = webp();
  const padding = Buffer.alloc(content.length % 2);
  const chunk = Buffer.concat([Buffer.from(type), uint32(content.length, true), content, padding]);
  const placed = withBlock(webp(), bytes.length, chunk, orientation);
  placed.bytes.writeUInt32LE(placed.bytes.length - 8, 4);
  return placed;
}

function inGif(text: string): FileWithPosition {
  const trailer = Buffer.concat([
    Buffer.of(1),
    Buffer.from(Array.from({ length: 256 }, (_, at) => 255 - at)),
    Buffer.of(0),
  ]);
  const head = Buffer.concat([Buffer.of(0x21, 0xff, 11), Buffer.from("XMP DataXMP")]);
  return withBlock(gif(), 19, Buffer.concat([head, Buffer.from(text), trailer]));
}

function box(type: string, ...content: Buffer[]): Buffer {
  const whole = Buffer.concat(content);
  return Buffer.concat([uint32(whole.length + 8, false), Buffer.from(type, "latin1"), whole]);
}

const xyz = box("\u00a9xyz", Buffer.from([0, 18, 0x15, 0xc7]), Buffer.from(positionText));
const loci = box("loci", Buffer.alloc(7), Buffer.from(positionText));
const udta = (...content: Buffer[]) => box("udta", ...content);
const track = (...content: Buffer[]) => box("trak", box("tkhd", Buffer.alloc(84)), ...content);
const uuidXmp = box("uuid", Buffer.from("be7acfcb97a942e89c71999491e3afac", "hex"), Buffer.from(xmp));

/** The data that dash cams write between the pieces of a film. */
const dashCam = box("free", Buffer.from(`GPS \0\0\0\u0001${positionText}`));

/** A WebM with an element at its end. */
function inWebm(id: string, text: string): FileWithPosition {
  const { bytes } = webm();
  const element = Buffer.concat([Buffer.from(id, "hex"), Buffer.of(0x80 | text.length), Buffer.from(text)]);
  const placed = withBlock(webm(), bytes.length, element);
  const length = bytes.indexOf(Buffer.from("18538067", "hex")) + 4;
  placed.bytes.writeUInt32BE(bytes.readUInt32BE(length + 4) + element.length, length + 4);
  return placed;
}

function inPdf(text: string): FileWithPosition {
  const head = "4 0 obj<</Type/Metadata/Subtype/XML/Length 200>>\nstream\n";
  const block = Buffer.from(`${head}${text}\nendstream\nendobj\n`);
  return withBlock(pdf(), pdf().bytes.lastIndexOf("xref\n0"), block);
}

/** The metadata of QuickTime: a list of keys, and values by their numbers. */
function keyed(isFull: boolean): Buffer {
  const names = ["com.apple.quicktime.make", "com.apple.quicktime.location.ISO6709"];
  const keys = box(
    "keys",
    Buffer.alloc(4),
    uint32(2, false),
    ...names.map((name) => box("mdta", Buffer.from(name))),
  );
  const value = (index: number, text: string) =>
    box(`\0\0\0${String.fromCharCode(index)}`, box("data", Buffer.alloc(8), Buffer.from(text)));
  const handler = box("hdlr", Buffer.alloc(25));
  return box(
    "meta",
    ...(isFull ? [Buffer.alloc(4)] : []),
    handler,
    keys,
    box("ilst", value(1, "Orbit"), value(2, positionText)),
  );
}

function filmOf(brand: string, block: Buffer): Buffer {
  const ftyp = box("ftyp", Buffer.from(brand), Buffer.alloc(4), Buffer.from(brand));
  return Buffer.concat([
    ftyp,
    box("moov", box("mvhd", Buffer.alloc(100)), block),
    box("mdat", Buffer.alloc(40)),
  ]);
}

function inFilm(brand: string, block: Buffer): FileWithPosition {
  const bytes = filmOf(brand, block);
  const from = bytes.indexOf(block);
  const sample = brand === "qt  " ? mov() : mp4();
  return { ...sample, bytes, place: { from, to: from + block.length } };
}
