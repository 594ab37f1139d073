import { blocksOf, type FileContent, type SentFile } from "./file-content.ts";

/** A field of a form, and the files that share one field name. */
export interface Form {
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly files: Readonly<Record<string, readonly SentFile[]>>;
}

const blockBytes = 65_536;

/**
 * A form as multipart/form-data. Files are read while they are sent. `boundary` is text that occurs in none of
 * them: at most 60 letters, digits and hyphens. The same form with the same boundary gives the same bytes.
 */
export function formBody({ fields, files }: Form, boundary: string): FileContent {
  const texts = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  const sent = Object.entries(files).flatMap(([name, several]) => several.map((file) => ({ name, file })));
  const pieces: Piece[] = [
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
    ...measured(pieces),
    read: () => bytesOf(pieces),
    view: viewOf({ fields, files }),
  };
}

type Piece = Buffer | SentFile;

function headOf(boundary: string, name: string, file?: SentFile): string {
  const named = file ? `; filename="${quoted(file.name)}"` : "";
  const kind = file ? `content-type: ${file.mediaType}\r\n` : "";
  return `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${named}\r\n${kind}`;
}

/** Quoted as browsers do it: a name cannot end its quotes or its line. */
const quoted = (name: string): string =>
  name.replace(/["\r\n]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`);

function measured(pieces: readonly Piece[]): Pick<FileContent, "bytes" | "files"> {
  const files: (SentFile & { readonly endsAt: number })[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    bytes += Buffer.isBuffer(piece) ? piece.length : piece.bytes;
    if (!Buffer.isBuffer(piece)) files.push({ ...piece, endsAt: bytes });
  }
  return { bytes, files };
}

async function* bytesOf(pieces: readonly Piece[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece;
    // A copy, because the network may still hold a block when the next is read.
    else for await (const block of blocksOf(piece, blockBytes)) yield Buffer.from(block);
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
