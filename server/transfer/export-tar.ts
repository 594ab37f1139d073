import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Files } from "../files/files.ts";
import { blockSize, paddingOf, tarHeader } from "../files/tar.ts";
import type { WrittenExport } from "./export.ts";

/** The entry of an archive with the lines, and the beginning of the names of files. */
export const linesName = "export.ndjson";
export const filesFolder = "files/";

/**
 * An archive with the lines and the files of an export. Throws if a file was deleted since the export was written: then the
 * archive must count as cut off.
 */
export async function* tarOf(
  { lines, list }: WrittenExport,
  files: Pick<Files, "open">,
): AsyncGenerator<Uint8Array> {
  yield* entry(linesName, lines.size, createReadStream(lines.path));
  for await (const line of createInterface({ input: createReadStream(list.path) })) {
    const [sha256 = "", size = ""] = line.split(" ");
    yield* entry(`${filesFolder}${sha256}`, Number(size), await files.open(sha256));
  }
  yield Buffer.alloc(2 * blockSize);
}

async function* entry(name: string, size: number, chunks: AsyncIterable<Buffer>): AsyncGenerator<Uint8Array> {
  yield tarHeader(name, size);
  let sent = 0;
  for await (const chunk of chunks) {
    sent += chunk.length;
    yield chunk;
  }
  if (sent !== size) throw new Error(`${name} has ${sent} bytes, not ${size}`);
  yield Buffer.alloc(paddingOf(size));
}
