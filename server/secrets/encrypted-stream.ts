import { randomBytes } from "node:crypto";
import type { Recipient } from "./age.ts";
import { AgeFault } from "./age-fault.ts";
import { derived, newFileKey, writeHeader } from "./age-header.ts";
import { chunkLength, openChunk, sealChunk, tagLength } from "./chunk-cipher.ts";
import { inPieces } from "./pieces.ts";

export const nonceLength = 16;
export const sealedLength = chunkLength + tagLength;

/**
 * Encrypts a stream in the format of age (age-encryption.org/v1), so that only the recipients can read it. It holds one chunk
 * of 64 KiB in memory. The writer needs no secret.
 */
export async function* encryptStream(
  chunks: AsyncIterable<Uint8Array>,
  recipients: readonly Recipient[],
): AsyncGenerator<Buffer> {
  const fileKey = newFileKey();
  const nonce = randomBytes(nonceLength);
  yield Buffer.concat([writeHeader(fileKey, recipients), nonce]);
  const key = contentKey(fileKey, nonce);
  for await (const { bytes, ...place } of inPieces(chunks, chunkLength)) yield sealChunk(key, place, bytes);
}

/** The key of the content, by the key of the file. */
export const contentKey = (fileKey: Buffer, nonce: Buffer): Buffer => derived(fileKey, nonce, "payload");

/** The plain bytes of a chunk. Throws an AgeFault if it has changed or is not the one of this place. */
export function openedChunk(
  key: Buffer,
  place: { readonly at: number; readonly last: boolean },
  sealed: Buffer,
) {
  const plain = openChunk(key, place, sealed);
  // Only an empty file has an empty last chunk: an added one would change nothing that is read.
  if (plain && (plain.length > 0 || place.at === 0)) return plain;
  throw new AgeFault("content", place.last ? incomplete : changed(place.at));
}

const incomplete = "The encrypted file is incomplete, or its end has changed.";
const changed = (at: number) =>
  `The encrypted file is damaged: bytes ${at * chunkLength} to ${(at + 1) * chunkLength} of its content have changed.`;
