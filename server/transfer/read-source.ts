import type { FileHandle } from "node:fs/promises";
import { ApiError } from "../../src/contract/errors.ts";
import { limits } from "../../src/contract/limits.ts";
import { blockSize, paddingOf, readTarHeader } from "../files/tar.ts";
import { filesFolder, linesName } from "./export.ts";
import { mostLineBytes } from "./records/record.ts";

/** A part of an open file. */
interface Span {
  readonly file: FileHandle;
  readonly at: number;
  readonly size: number;
}

/** An export that is read: its lines, and in an archive where its files begin. */
export interface Source {
  readonly lines: Span;
  /** Undefined if the file has only the lines. */
  readonly filesAt: number | undefined;
  /** The bytes of the whole file. */
  readonly size: number;
}

/** Finds the lines in a file: the file itself, or the first entry of an archive. Throws `bad_request`. */
export async function openSource(file: FileHandle): Promise<Source> {
  const { size } = await file.stat();
  const head = await readAt(file, 0, blockSize);
  if (head[0] === 0x7b) return { lines: { file, at: 0, size }, filesAt: undefined, size };
  const first = headerIn(head);
  if (first?.name !== linesName)
    throw refusedFile(["it is no export of an app, as `innkeep export` writes it."]);
  const filesAt = blockSize + first.size + paddingOf(first.size);
  if (filesAt > size) throw refusedFile([cutOff]);
  return { lines: { file, at: blockSize, size: first.size }, filesAt, size };
}

const cutOff = "it is cut off. Download it again.";

function headerIn(block: Buffer): { readonly name: string; readonly size: number } | undefined {
  try {
    return readTarHeader(block);
  } catch {
    return undefined;
  }
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

const chunkBytes = 262_144;

/** The bytes of a span. Throws `bad_request` if the file ends before. */
export async function* chunksOf({ file, at, size }: Span): AsyncGenerator<Buffer> {
  for (let done = 0; done < size; ) {
    const chunk = await readAt(file, at + done, Math.min(chunkBytes, size - done));
    if (chunk.length === 0) throw refusedFile([cutOff]);
    done += chunk.length;
    yield chunk;
  }
}

/** A line without its line feed. */
interface NumberedLine {
  readonly number: number;
  readonly bytes: Buffer;
}

const lineFeed = 0x0a;

/** The lines of a span. Throws `bad_request` for a line that is too long, and for a last one without a line feed. */
export async function* linesOf(span: Span): AsyncGenerator<NumberedLine> {
  let number = 1;
  let begun: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunksOf(span)) {
    let from = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, from)) {
      const piece = chunk.subarray(from, end);
      yield { number, bytes: begun.length === 0 ? piece : Buffer.concat([...begun, piece]) };
      begun = [];
      length = 0;
      number++;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > mostLineBytes) throw refusedFile([atLine(number, `has over ${mostLineBytes} bytes.`)]);
    if (rest.length > 0) begun.push(rest);
  }
  if (length > 0) throw refusedFile([atLine(number, "has no end. The file is cut off: download it again.")]);
}

/** A file in an archive, by the hash that its name gives. */
export interface ArchivedFile {
  readonly sha256: string;
  readonly bytes: Span;
}

/**
 * The files of an archive. Takes only what an export writes: plain files with the names of hashes, in their order, each once,
 * and nothing after the end. Throws `bad_request`.
 */
export async function* filesOf({ lines: { file }, filesAt, size }: Source): AsyncGenerator<ArchivedFile> {
  if (filesAt === undefined) return;
  let last = "";
  for (let at = filesAt; ; ) {
    const block = await readAt(file, at, blockSize);
    if (block.length < blockSize) throw refusedFile([cutOff]);
    if (block.every((byte) => byte === 0)) {
      if (size === at + 2 * blockSize && (await readAt(file, at + blockSize, blockSize)).every(isZero))
        return;
      throw refusedFile(["the archive goes on after its end."]);
    }
    const header = headerIn(block);
    const sha256 = hashIn(header?.name);
    if (!header || sha256 === undefined)
      throw refusedFile([`the archive has an entry at byte ${at} that no export writes.`]);
    if (sha256 <= last) throw refusedFile([`the file ${sha256} is in the archive twice, or not in order.`]);
    if (at + blockSize + header.size > size) throw refusedFile([cutOff]);
    yield { sha256, bytes: { file, at: at + blockSize, size: header.size } };
    last = sha256;
    at += blockSize + header.size + paddingOf(header.size);
  }
}

const isZero = (byte: number): boolean => byte === 0;

const hashIn = (name = ""): string | undefined =>
  name.startsWith(filesFolder) ? /^[\da-f]{64}$/.exec(name.slice(filesFolder.length))?.[0] : undefined;

/** The refusal of a file, with what is wrong with it. */
export const refusedFile = (faults: readonly string[]): ApiError =>
  new ApiError("bad_request", {
    message: `The file cannot be imported: ${faults[0] ?? "it is malformed."} Nothing was changed.`,
    issues: faults.slice(0, limits.namedFaults).map((message) => ({ path: "file", message })),
  });

/** What is wrong with a line, with its number. */
export const atLine = (number: number, fault: string): string => `line ${number}: ${fault}`;
