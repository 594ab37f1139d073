import { createCipheriv, createDecipheriv } from "node:crypto";

export const tagLength = 16;
/** The plain length of every chunk but the last. */
export const chunkLength = 65_536;
const cipher = "chacha20-poly1305";

/** Which chunk of a file it is. */
export interface ChunkPlace {
  readonly at: number;
  readonly last: boolean;
}

export function sealChunk(key: Buffer, place: ChunkPlace, plain: Uint8Array): Buffer {
  const sealing = createCipheriv(cipher, key, nonceOf(place), { authTagLength: tagLength });
  return Buffer.concat([sealing.update(plain), sealing.final(), sealing.getAuthTag()]);
}

/** The plain bytes; undefined if they were sealed with another key, at another place, or have changed. */
export function openChunk(key: Buffer, place: ChunkPlace, sealed: Buffer): Buffer | undefined {
  if (sealed.length < tagLength) return undefined;
  const opening = createDecipheriv(cipher, key, nonceOf(place), { authTagLength: tagLength });
  opening.setAuthTag(sealed.subarray(-tagLength));
  const plain = opening.update(sealed.subarray(0, -tagLength));
  try {
    opening.final();
    return plain;
  } catch {
    return undefined;
  }
}

/** 11 bytes that count, and one that marks the last chunk. */
function nonceOf({ at, last }: ChunkPlace): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(at, 5, 6);
  nonce[11] = last ? 1 : 0;
  return nonce;
}
