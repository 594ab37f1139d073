import { randomBytes } from "node:crypto";
import { AgeFault } from "./age-fault.ts";
import { derived, headerLength, newFileKey, readFileKey, writeHeader } from "./age-header.ts";
import type { Identity, Recipient } from "./age-keys.ts";
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

/** The length of what `encryptStream` makes of so many bytes. */
export function encryptedSize(plain: number, recipients: readonly Recipient[]): number {
  const count = Math.max(1, Math.ceil(plain / chunkLength));
  return writeHeader(newFileKey(), recipients).length + nonceLength + plain + count * tagLength;
}

/**
 * Decrypts a stream in the format of age. Every byte that it gives is proven; throws an AgeFault at the first chunk that has
 * changed, and at the end if the stream is incomplete. So what it gave is whole only once it has ended.
 */
export async function* decryptStream(
  chunks: AsyncIterable<Uint8Array>,
  identities: readonly Identity[],
): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]();
  try {
    const { header, nonce, rest } = await readBeginning(source);
    const key = contentKey(readFileKey(header, identities), nonce);
    for await (const { bytes, ...place } of inPieces(following(rest, source), sealedLength))
      yield openedChunk(key, place, bytes);
  } finally {
    await source.return?.();
  }
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

async function readBeginning(source: AsyncIterator<Uint8Array>) {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const length = headerLength(bytes);
    if (length !== undefined && bytes.length >= length + nonceLength)
      return {
        header: bytes.subarray(0, length),
        nonce: bytes.subarray(length, length + nonceLength),
        rest: bytes.subarray(length + nonceLength),
      };
    const { value, done } = await source.next();
    if (done) throw new AgeFault("header", "The encrypted file is incomplete: it ends within its header.");
    bytes = Buffer.concat([bytes, value]);
  }
}

async function* following(first: Buffer, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (;;) {
    const { value, done } = await source.next();
    if (done) return;
    yield value;
  }
}
