import { type ArchiveFile, decryptedFile } from "../../../server/backup/archive.ts";
import { readIdentities } from "../../../server/secrets/age.ts";

/** The plain bytes of an encrypted file, as a restore reads them. */
export async function decryptedBytes(bytes: Buffer, secretKeys: string): Promise<Buffer> {
  const file = await decryptedFile(fileOf(bytes), readIdentities(secretKeys));
  const { size } = await file.stat();
  const plain = Buffer.alloc(size);
  // The pieces that are not part of a chunk.
  for (let at = 0; at < size; at += 10_007) await file.read(plain, at, Math.min(10_007, size - at), at);
  return plain;
}

const fileOf = (bytes: Buffer): ArchiveFile => ({
  async read(buffer, offset, length, position) {
    return { buffer, bytesRead: bytes.copy(buffer, offset, position, position + length) };
  },
  stat: async () => ({ size: bytes.length }),
  close: async () => {},
});
