import { createHash } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { blockSize, paddingOf, tarHeader } from "./tar-header.ts";

export const manifestName = "manifest.sha256";

/** An archive under way: a tar file whose last entry lists the SHA-256 of all others, as `sha256sum -c` reads it. */
export interface ArchiveWriter {
  /** Adds a file of exactly `size` bytes and gives its SHA-256. */
  add(name: string, size: number, chunks: AsyncIterable<Uint8Array>): Promise<string>;
  addText(name: string, text: string): Promise<string>;
  /** Makes it durable under its name. */
  finish(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
}

export async function createArchive(path: string): Promise<ArchiveWriter> {
  const draft = `${path}.partial`;
  const handle = await open(draft, "wx", 0o600);
  const lines: string[] = [];

  async function add(name: string, size: number, chunks: AsyncIterable<Uint8Array>): Promise<string> {
    await handle.writeFile(tarHeader(name, size));
    const sha256 = await writeExactly(handle, size, chunks);
    await handle.writeFile(Buffer.alloc(paddingOf(size)));
    lines.push(`${sha256}  ${name}\n`);
    return sha256;
  }

  const addText = (name: string, text: string): Promise<string> => {
    const bytes = Buffer.from(text);
    return add(name, bytes.length, once(bytes));
  };

  return {
    add,
    addText,
    async finish() {
      await addText(manifestName, lines.join(""));
      await handle.writeFile(Buffer.alloc(2 * blockSize));
      await handle.sync();
      await handle.close();
      await rename(draft, path);
      await syncFolder(dirname(resolve(path)));
    },
    async abandon() {
      await handle.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

async function writeExactly(
  handle: FileHandle,
  size: number,
  chunks: AsyncIterable<Uint8Array>,
): Promise<string> {
  const hash = createHash("sha256");
  let written = 0;
  for await (const chunk of chunks) {
    await handle.writeFile(chunk);
    hash.update(chunk);
    written += chunk.length;
  }
  if (written !== size) throw new Error(`A file had ${written} bytes instead of ${size}.`);
  return hash.digest("hex");
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
