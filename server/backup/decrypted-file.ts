import type { Identity } from "../secrets/age.ts";
import { AgeFault } from "../secrets/age-fault.ts";
import { headerLength, longestHeader, readFileKey } from "../secrets/age-header.ts";
import { chunkLength } from "../secrets/chunk-cipher.ts";
import { contentKey, nonceLength, openedChunk, sealedLength } from "../secrets/encrypted-stream.ts";
import type { ArchiveFile } from "./archive-file.ts";

/**
 * The plain bytes of an encrypted file, decrypted where they are read, so that no decrypted copy is needed. Throws an AgeFault
 * if no key fits or the file is incomplete; its `read` throws one where bytes have changed. Closes the file when it is closed.
 */
export async function decryptedFile(
  file: ArchiveFile,
  identities: readonly Identity[],
): Promise<ArchiveFile> {
  const { key, from } = await readKey(file, identities);
  const sealed = (await file.stat()).size - from;
  const lastAt = Math.max(0, Math.ceil(sealed / sealedLength) - 1);
  let held: { readonly at: number; readonly plain: Buffer } | undefined;

  async function plainAt(at: number): Promise<Buffer> {
    if (held?.at === at) return held.plain;
    const bytes = await bytesAt(file, from + at * sealedLength, sealedLength);
    const plain = openedChunk(key, { at, last: at === lastAt }, bytes);
    held = { at, plain };
    return plain;
  }

  // The end is read first: it proves that nothing was cut off.
  const size = lastAt * chunkLength + (await plainAt(lastAt)).length;
  return {
    async read(buffer, offset, length, position) {
      const wanted = Math.max(0, Math.min(length, size - position));
      for (let done = 0; done < wanted; ) {
        const place = position + done;
        const plain = await plainAt(Math.floor(place / chunkLength));
        const begin = place % chunkLength;
        done += plain.copy(buffer, offset + done, begin, begin + wanted - done);
      }
      return { buffer, bytesRead: wanted };
    },
    stat: async () => ({ size }),
    close: () => file.close(),
  };
}

async function readKey(file: ArchiveFile, identities: readonly Identity[]) {
  const bytes = await bytesAt(file, 0, longestHeader + nonceLength);
  const length = headerLength(bytes);
  if (length === undefined || bytes.length < length + nonceLength)
    throw new AgeFault("header", "The encrypted file is incomplete: it ends within its header.");
  const from = length + nonceLength;
  return {
    key: contentKey(readFileKey(bytes.subarray(0, length), identities), bytes.subarray(length, from)),
    from,
  };
}

/** The bytes from a position on; fewer if the file ends before. */
async function bytesAt(file: ArchiveFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  for (let done = 0; ; ) {
    const { bytesRead } = await file.read(buffer, done, length - done, position + done);
    done += bytesRead;
    if (bytesRead === 0 || done === length) return buffer.subarray(0, done);
  }
}
