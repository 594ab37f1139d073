import { blocksOf, type FileContent, type SentFile } from "./file-content.ts";

export interface FeedbackFiles {
  readonly images: readonly SentFile[];
  readonly videos: readonly SentFile[];
  readonly attachments: readonly SentFile[];
}

/** A file with its place in the body. */
interface PlacedFile {
  readonly field: keyof FeedbackFiles;
  /** The position in its field, from 0. */
  readonly at: number;
  readonly file: SentFile;
}

/** Every file with its place in the body. */
export const placesOf = ({ images, videos, attachments }: FeedbackFiles): readonly PlacedFile[] => [
  ...images.map((file, at): PlacedFile => ({ field: "images", at, file })),
  ...videos.map((file, at): PlacedFile => ({ field: "videos", at, file })),
  ...attachments.map((file, at): PlacedFile => ({ field: "attachments", at, file })),
];

// A multiple of 3, so that the base64 of each block joins the next without padding in between.
const blockBytes = 3 * 16_384;

/**
 * Feedback as JSON: its fields, and its files as base64 data URLs. Files are read and encoded in blocks while they
 * are sent, so that no file is in memory as a whole.
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
  return { mediaType: "application/json", ...measured(pieces), read: () => encoded(pieces) };
}

/** Text that is sent unchanged, or a file that is sent as base64. */
type Piece = string | SentFile;
type Member = readonly [name: string, value: readonly Piece[]];

const dataUrl = (file: SentFile): Piece[] => [`"data:${file.mediaType};base64,`, file, '"'];

const attachment = (file: SentFile): Piece[] =>
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

function measured(pieces: readonly Piece[]): Pick<FileContent, "bytes" | "files"> {
  const files: (SentFile & { readonly endsAt: number })[] = [];
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

async function* base64Of(file: SentFile): AsyncGenerator<Buffer, void, undefined> {
  for await (const block of blocksOf(file, blockBytes)) yield Buffer.from(block.toString("base64"), "latin1");
}
