const pdfSignature = "%PDF-";

/** The signature of a PDF must begin within this many bytes from the start of the file. */
const pdfSignatureStarts = 1_024;

/** How many bytes of a file `detectMediaType` reads. */
export const signatureBytes = pdfSignatureStarts + pdfSignature.length - 1;

/**
 * Returns the media type that the first bytes show, or null. Includes HEIC and AVIF, which no field accepts.
 * (rule F4)
 */
export function detectMediaType(head: Uint8Array): string | null {
  if (startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(head, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 12) === "WEBP") return "image/webp";
  if (["GIF87a", "GIF89a"].includes(ascii(head, 0, 6))) return "image/gif";
  if (startsWith(head, [0x1a, 0x45, 0xdf, 0xa3])) return docTypeOf(head) === "webm" ? "video/webm" : null;
  return isoMediaType(head) ?? (hasPdfSignature(head) ? "application/pdf" : null);
}

/** Other bytes may be before the signature of a PDF. */
const hasPdfSignature = (head: Uint8Array): boolean => ascii(head, 0, signatureBytes).includes(pdfSignature);

/** Returns a declared media type in lower case without parameters, or null. Replaces `image/jpg` with `image/jpeg`. */
export function normaliseMediaType(declared: string | null | undefined): string | null {
  const type = (declared ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (!type) return null;
  return type === "image/jpg" ? "image/jpeg" : type;
}

// QuickTime files that are older than the box ftyp begin with one of these boxes.
const oldQuickTimeBoxes = ["moov", "mdat", "wide", "free", "skip", "pnot"];

const mp4Brand = /^(iso[2-9a-m]|mp4[12]|mp71|avc1|M4V |M4V[HP]|dash|MSNV|mmp4|f4v |F4V |NDS[CHMPSX]|XAVC)$/;

// Brands of files that are images or sound. These files have the same structure as videos.
const notVideoBrand = /^(mia[fn]|avio|j2ki|jp2 |crx |M4[AB] |M4P |F4[AB] )$/;

const heicBrand = /^(hei[cmsx]|hev[cmsx]|mif[12]|msf1)$/;

const avifBrand = /^avi[fs]$/;

/**
 * Returns the end of a sentence "this file is …" for a photograph format that no field accepts, otherwise undefined.
 */
export function adviceOn(mediaType: string | null): string | undefined {
  if (mediaType === "image/heic")
    return "HEIC, as iPhones store photographs: export it as JPEG, or choose “Most Compatible” in the settings of the camera";
  return mediaType === "image/avif" ? "AVIF: export it as PNG or JPEG" : undefined;
}

function isoMediaType(head: Uint8Array): string | null {
  if (head.length < 8) return null;
  const size = uint32(head, 0);
  const box = ascii(head, 4, 8);
  if (oldQuickTimeBoxes.includes(box)) return size < 2 || size >= 8 ? "video/quicktime" : null;
  if (box !== "ftyp" || size < 16) return null;
  const major = ascii(head, 8, 12);
  if (major === "qt  ") return "video/quicktime";
  if (heicBrand.test(major)) return "image/heic";
  if (avifBrand.test(major)) return "image/avif";
  if (notVideoBrand.test(major)) return null;
  return [major, ...compatibleBrands(head, size)].some((brand) => mp4Brand.test(brand)) ? "video/mp4" : null;
}

function compatibleBrands(head: Uint8Array, boxSize: number): string[] {
  const brands: string[] = [];
  for (let at = 16; at + 4 <= Math.min(boxSize, head.length); at += 4) brands.push(ascii(head, at, at + 4));
  return brands;
}

// An EBML header is a list of elements: id, length and bytes. DocType has the id 0x4282.
function docTypeOf(head: Uint8Array): string | undefined {
  let at = 4 + varintLength(head[4]);
  while (at < head.length) {
    const idLength = varintLength(head[at]);
    const size = varint(head, at + idLength);
    const from = at + idLength + varintLength(head[at + idLength]);
    if (head[at] === 0x42 && head[at + 1] === 0x82)
      return ascii(head, from, from + size).replace(/(?<!\0)\0+$/, "");
    at = from + size;
  }
  return undefined;
}

const varintLength = (first = 0) => Math.clz32(first) - 23;

function varint(head: Uint8Array, at: number): number {
  const length = varintLength(head[at]);
  let value = (head[at] ?? 0) & (0xff >> length);
  for (let i = 1; i < length; i++) value = value * 256 + (head[at + i] ?? 0);
  return value;
}

function startsWith(head: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, at) => head[at] === byte);
}

function ascii(head: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...head.subarray(from, to));
}

function uint32(head: Uint8Array, at: number): number {
  return new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(at);
}

// Marks the objects that `receivedFile` creates. A JSON body cannot contain a symbol, so no sender can imitate
// the mark.
const mark: unique symbol = Symbol("received file");

/**
 * A file of a request, stored on disk. The schema of the file's field checks the declared and detected
 * properties.
 */
export interface ReceivedFile {
  readonly [mark]: true;
  /** The declared media type, in lower case without parameters; null if none was declared. */
  readonly declaredType: string | null;
  /** The media type that the first bytes show; null if they show no known media type. */
  readonly detectedType: string | null;
  /**
   * The number of decoded bytes. Bytes over the limit of the file's field are read and counted, but not stored.
   */
  readonly size: number;
  /** The file name that the sender gave, unchanged. */
  readonly name: string | null;
  /** The fault in the encoding of the file. */
  readonly fault: "not_a_data_url" | "not_base64" | null;
  /** SHA-256 of the stored bytes, in hex. Empty if no bytes were stored. */
  readonly sha256: string;
  /** The path of the temporary file with the bytes. Empty if no bytes were received. */
  readonly path: string;
}

/** Creates a ReceivedFile. This is the only way to create one. */
export const receivedFile = (facts: Omit<ReceivedFile, typeof mark>): ReceivedFile => ({
  ...facts,
  [mark]: true,
});

export const isReceivedFile = (value: unknown): value is ReceivedFile =>
  typeof value === "object" && value !== null && mark in value && value[mark] === true;
