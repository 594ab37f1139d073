import { type FileHandle, open } from "node:fs/promises";
import type { Content } from "./call.ts";

/** A file on disk that goes with feedback. */
export interface FeedbackFile {
  readonly path: string;
  /** The name under which a reader finds it; sent for attachments only. */
  readonly name: string;
  readonly mediaType: string;
  /** Exact size. Sending fails where the file has another one by then. */
  readonly bytes: number;
}

export interface FeedbackFiles {
  readonly images: readonly FeedbackFile[];
  readonly videos: readonly FeedbackFile[];
  readonly attachments: readonly FeedbackFile[];
}

export interface FeedbackContent extends Content {
  /** The files in the order in which they are sent; `endsAt` is how much of the body has gone when one is through. */
  readonly files: readonly (FeedbackFile & { readonly endsAt: number })[];
  read(): AsyncIterable<Buffer>;
}

// A multiple of 3, so that the base64 of each block joins the next without padding in between.
const blockBytes = 3 * 16_384;

/**
 * Feedback as the JSON that the specification gives: its fields, and its files as base64 data URLs that are read and
 * encoded in blocks while they are sent, never held whole.
 */
export function feedbackBody(
  fields: Readonly<Record<string, unknown>>,
  { images, videos, attachments }: FeedbackFiles,
): FeedbackContent {
  const pieces = object([
    ...Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): Member => [name, [JSON.stringify(value)]]),
    ...listed("images", images.map(dataUrl)),
    ...listed("videos", videos.map(dataUrl)),
    ...listed("attachments", attachments.map(attachment)),
  ]);
  return { mediaType: "application/json", ...measured(pieces), read: () => encoded(pieces) };
}

/** Text that is sent as it is, or a file that is sent as base64. */
type Piece = string | FeedbackFile;
type Member = readonly [name: string, value: readonly Piece[]];

const dataUrl = (file: FeedbackFile): Piece[] => [`"data:${file.mediaType};base64,`, file, '"'];

const attachment = (file: FeedbackFile): Piece[] =>
  object([
    ["name", [JSON.stringify(file.name)]],
    ["data", dataUrl(file)],
  ]);

const listed = (name: string, values: Piece[][]): Member[] =>
  values.length === 0 ? [] : [[name, ["[", ...joined(values), "]"]]];

const object = (members: readonly Member[]): Piece[] => [
  "{",
  ...joined(members.map(([name, value]) => [`${JSON.stringify(name)}:`, ...value])),
  "}",
];

const joined = (values: readonly (readonly Piece[])[]): Piece[] =>
  values.flatMap((value, at) => (at === 0 ? value : [",", ...value]));

function measured(pieces: readonly Piece[]): Pick<FeedbackContent, "bytes" | "files"> {
  const files: (FeedbackFile & { readonly endsAt: number })[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    bytes += typeof piece === "string" ? Buffer.byteLength(piece) : 4 * Math.ceil(piece.bytes / 3);
    if (typeof piece !== "string") files.push({ ...piece, endsAt: bytes });
  }
  return { bytes, files };
}

async function* encoded(pieces: readonly Piece[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    if (typeof piece === "string") yield Buffer.from(piece);
    else yield* base64Of(piece);
  }
}

async function* base64Of({ path, name, bytes }: FeedbackFile): AsyncGenerator<Buffer, void, undefined> {
  const handle = await open(path);
  try {
    if ((await handle.stat()).size !== bytes) throw changed(name);
    const block = Buffer.allocUnsafe(Math.min(bytes, blockBytes));
    for (let left = bytes; left > 0; left -= blockBytes) {
      const wanted = block.subarray(0, Math.min(left, blockBytes));
      if (!(await fill(handle, wanted))) throw changed(name);
      yield Buffer.from(wanted.toString("base64"), "latin1");
    }
  } finally {
    await handle.close();
  }
}

/** Reads until the buffer is full; false where the file ends before. */
async function fill(handle: FileHandle, buffer: Buffer): Promise<boolean> {
  for (let filled = 0; filled < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled);
    if (bytesRead === 0) return false;
    filled += bytesRead;
  }
  return true;
}

const changed = (name: string) => new Error(`The file ${name} changed while it was sent.`);
