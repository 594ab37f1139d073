import { createHash } from "node:crypto";

/** SHA-256 of all chunks, in hex. */
export async function hashOfStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of chunks) hash.update(chunk);
  return hash.digest("hex");
}
