import { type FileHandle, open } from "node:fs/promises";
import type { Content } from "./call.ts";

export interface FeedbackFiles {
  readonly images: readonly SentFile[];
  readonly videos: readonly SentFile[];
  readonly attachments: readonly SentFile[];
}

/** A file with its position in the body. */
interface FilePosition {
  readonly field: keyof FeedbackFiles;
  /** The position in its field, from 0. */
  readonly at: number;
  readonly file: SentFile;
}

/** Returns every file with its position in the body. */
export const placesOf = ({ images, videos, attachments }: FeedbackFiles): readonly FilePosition[] => [
  ...images.map((file, at): FilePosition => ({ field: "images", at, file })),
  ...videos.map((file, at): FilePosition => ({ field: "videos", at, file })),
  ...attachments.map((file, at): FilePosition => ({ field: "attachments", at, file })),
];

// The size is a multiple of 3. So the base64 of a block needs no padding before the next block.
const jsonBlockBytes = 3 * 16_384;

/**
 * Returns feedback as JSON, with its files as base64 data URLs. Files are read and encoded in blocks while they are
 * sent, so the memory never contains a complete file.
 */
export function feedbackBody(
  fields: Readonly<Record<string, unknown>>,
  { images, videos, attachments }: FeedbackFiles,
): FileContent {
  const pieces = object([
    ...Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): Member => [name, [JSON.stringify(value)]]),
    ...listed("images", images.map(dataUrl)),
    ...listed("videos", videos.map(dataUrl)),
    ...listed("attachments", attachments.map(attachment)),
  ]);
  return {
    mediaType: "application/json",
    ...measured(pieces, (bytes) => 4 * Math.ceil(bytes / 3)),
    read: () => encoded(pieces),
  };
}

/** Text that is sent unchanged, or a file that is sent as base64. */
type JsonPiece = string | SentFile;

type Member = readonly [name: string, value: readonly JsonPiece[]];

const dataUrl = (file: SentFile): JsonPiece[] => [`"data:${file.mediaType};base64,`, file, '"'];

const attachment = (file: SentFile): JsonPiece[] =>
  object([
    ["name", [JSON.stringify(file.name)]],
    ["data", dataUrl(file)],
  ]);

const listed = (name: string, values: JsonPiece[][]): Member[] =>
  values.length === 0 ? [] : [[name, ["[", ...joined(values), "]"]]];

const object = (members: readonly Member[]): JsonPiece[] => [
  "{",
  ...joined(members.map(([name, value]) => [`${JSON.stringify(name)}:`, ...value])),
  "}",
];

const joined = (values: readonly (readonly JsonPiece[])[]): JsonPiece[] =>
  values.flatMap((value, at) => (at === 0 ? value : [",", ...value]));

async function* encoded(pieces: readonly JsonPiece[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    if (typeof piece === "string") yield Buffer.from(piece);
    else yield* base64Of(piece);
  }
}

async function* base64Of(file: SentFile): AsyncGenerator<Buffer, void, undefined> {
  for await (const block of blocksOf(file, jsonBlockBytes))
    yield Buffer.from(block.toString("base64"), "latin1");
}

/** A form. Several files can have the same field name. */
export interface Form {
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly files: Readonly<Record<string, readonly SentFile[]>>;
}

const formBlockBytes = 65_536;

/**
 * Returns a form as multipart/form-data. Files are read while they are sent. `boundary` has at most 60 letters, digits
 * and hyphens, and must not occur in any file. The same form with the same boundary results in the same bytes.
 */
export function formBody({ fields, files }: Form, boundary: string): FileContent {
  const texts = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const sent = Object.entries(files).flatMap(([name, several]) => several.map((file) => ({ name, file })));
  const pieces: FormPiece[] = [
    ...texts.map(([name, value]) => Buffer.from(`${headOf(boundary, name)}\r\n${value}\r\n`)),
    ...sent.flatMap(({ name, file }) => [
      Buffer.from(`${headOf(boundary, name, file)}\r\n`),
      file,
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ];
  return {
    mediaType: `multipart/form-data; boundary=${boundary}`,
    ...measured(pieces, (bytes) => bytes),
    read: () => bytesOf(pieces),
    view: viewOf({ fields, files }),
  };
}

type FormPiece = Buffer | SentFile;

function headOf(boundary: string, name: string, file?: SentFile): string {
  const named = file ? `; filename="${quoted(file.name)}"` : "";
  const kind = file ? `content-type: ${file.mediaType}\r\n` : "";
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${named}\r\n${kind}`;
}

/** Escapes quotation marks and line ends in a name, in the same way as browsers. */
const quoted = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`);

async function* bytesOf(pieces: readonly FormPiece[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    // Each block is copied, because the next block is read into the same buffer, perhaps before this block was sent.
    else for await (const block of blocksOf(piece, formBlockBytes)) yield Buffer.from(block);
  }
}

const viewOf = ({ fields, files }: Form) => ({
  ...fields,
  ...Object.fromEntries(
    Object.entries(files).map(([name, several]) => [
      name,
      several.map((file) => `<${file.mediaType} ${file.name}, ${file.bytes} bytes>`),
    ]),
  ),
});

/** A file on disk that a request sends. */
export interface SentFile {
  readonly path: string;
  /** The file name that readers of the feedback see. */
  readonly name: string;
  readonly mediaType: string;
  /** The exact size in bytes. If the file has a different size when it is sent, the request fails. */
  readonly bytes: number;
  /** The content of the file. If it is set, it is sent instead of the bytes on disk. */
  readonly content?: Buffer;
}

/** A body that contains files. The files are read while they are sent. */
export interface FileContent extends Content {
  /** The files in the order in which they are sent; `endsAt` is the position in the body at which a file ends. */
  readonly files: readonly (SentFile & { readonly endsAt: number })[];
  read(): AsyncIterable<Buffer>;
}

/**
 * Returns the length of a body, and the position at which each of its files ends. `sentBytes` returns how many bytes of
 * the body a file of a given size needs.
 */
function measured(
  pieces: readonly (string | Buffer | SentFile)[],
  sentBytes: (bytes: number) => number,
): Pick<FileContent, "bytes" | "files"> {
  const files: (SentFile & { readonly endsAt: number })[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (typeof piece === "string" || Buffer.isBuffer(piece)) bytes += Buffer.byteLength(piece);
    else {
      bytes += sentBytes(piece.bytes);
      files.push({ ...piece, endsAt: bytes });
    }
  }
  return { bytes, files };
}

/**
 * Yields the bytes of a file in blocks. All blocks use one buffer, so each block is valid only until the next block.
 * Throws an error if the size of the file has changed.
 */
async function* blocksOf(
  { path, name, bytes, content }: SentFile,
  blockBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  if (content) {
    for (let at = 0; at < bytes; at += blockBytes) yield content.subarray(at, at + blockBytes);
    return;
  }
  const handle = await open(path);
  try {
    if ((await handle.stat()).size !== bytes) throw changed(name);
    const block = Buffer.allocUnsafe(Math.min(bytes, blockBytes));
    for (let left = bytes; left > 0; left -= blockBytes) {
      const wanted = block.subarray(0, Math.min(left, blockBytes));
      if (!(await fill(handle, wanted))) throw changed(name);
      yield wanted;
    }
  } finally {
    await handle.close();
  }
}

/** Reads from a file until the buffer is full. Returns false if the file ends before that. */
async function fill(handle: FileHandle, buffer: Buffer): Promise<boolean> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

const changed = (name: string) => new Error(`The file ${name} changed while it was sent.`);
