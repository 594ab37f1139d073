import { deflateSync } from "node:zlib";
import type { FileBytes } from "./file-bytes.ts";
import { keepDrawnJpeg } from "./pictures.ts";

/**
 * Overwrites the metadata (XMP) of a PDF, and the descriptions in its JPEG pictures. The length of the file and all
 * positions in it stay the same, because a PDF contains a table of these positions. A signed PDF is not changed,
 * because its signature would become invalid.
 */
export function removeFromPdf(bytes: FileBytes): void {
  if (bytes.find(Buffer.from("/ByteRange"), 0) !== -1) return;
  let streams = 0;
  for (const stream of streamsOf(bytes)) {
    streams += 1;
    if (streams > mostStreams) return;
    if (isJpeg(bytes, stream)) keepDrawnJpeg(bytes, stream.from, stream.to);
    else if (isMetadata.test(stream.description)) emptyStream(bytes, stream);
  }
}

const mostStreams = 100_000;

interface Stream {
  /** The text before the content of the stream. It describes the content. */
  readonly description: string;
  readonly from: number;
  readonly to: number;
}

const begin = Buffer.from("stream");
const end = Buffer.from("endstream");
/** The maximum number of characters of the description before a stream that are read. */
const mostDescription = 2_000;

function* streamsOf(bytes: FileBytes): Generator<Stream> {
  for (let at = bytes.find(begin, 0); at !== -1; ) {
    const after = at + begin.length;
    const [first, second] = bytes.read(after, 2);
    const isStream = (first === 13 || first === 10) && textBefore(bytes, at, 20).trimEnd().endsWith(">>");
    const from = after + (first === 13 && second === 10 ? 2 : 1);
    const to = isStream ? bytes.find(end, from) : after;
    if (to === -1) return;
    if (isStream) {
      const text = textBefore(bytes, at, mostDescription);
      yield {
        description: text.slice(text.lastIndexOf(" obj") + 1),
        from,
        to: beforeLineEnd(bytes, from, to),
      };
    }
    at = bytes.find(begin, isStream ? to + end.length : after);
  }
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

/** Fills a stream with spaces. Compresses the spaces if the description says that the stream is compressed. */
function emptyStream(bytes: FileBytes, { description, from, to }: Stream): void {
  bytes.erase(from, to - from, isCompressed.test(description) ? 0 : 32);
  if (isCompressed.test(description) && to - from >= compressedSpace.length)
    bytes.write(from, compressedSpace);
}

const compressedSpace = deflateSync(" ");
